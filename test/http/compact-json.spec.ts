import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compactJson } from '../../src/http/auth/signature.js';

const compacted = (text: string): string => compactJson(Buffer.from(text)).toString();

describe('the compact form of a JSON text', () => {
  it('equals the text of JSON.stringify for any value', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1, 4, '\t'), (text, indent) => {
        const value: unknown = JSON.parse(text);
        expect(compacted(JSON.stringify(value, null, indent))).toBe(JSON.stringify(value));
      }),
    );
  });

  it.each([
    ['keeps numbers as they are written', ' { "a" : 1.50e+1 ,\r\n"b":\t-0.0 } ', '{"a":1.50e+1,"b":-0.0}'],
    ['keeps white space and quotes in strings', '{ "a b" : "\\" x \\\\" }', '{"a b":"\\" x \\\\"}'],
    ['accepts a string without an end', '{ "a\\', '{"a\\'],
  ])('%s', (_name, text, expected) => {
    expect(compacted(text)).toBe(expected);
  });
});
