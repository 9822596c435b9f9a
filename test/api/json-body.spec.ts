import { describe, expect, it } from 'vitest';
import { parseJsonBody } from '../../src/api/field/json-body.js';
import { JSON_LEVELS_MAX } from '../../src/api/field/json-fault.js';
import { isRejected } from '../../src/domain/rejection.js';

/** The message of the refusal; '' when the body is read. */
function refusalOf(text: string): string {
  const parsed = parseJsonBody(Buffer.from(text));
  return isRejected(parsed) ? `${parsed.rejection.code}: ${parsed.rejection.message}` : '';
}

function nested(levels: number, content = ''): string {
  return '['.repeat(levels) + content + ']'.repeat(levels);
}

describe('a JSON body', () => {
  it.each([
    nested(JSON_LEVELS_MAX),
    `{"a":${nested(JSON_LEVELS_MAX - 1)}}`,
    // Siblings are not nested, and brackets in texts are no levels.
    `[${`${nested(JSON_LEVELS_MAX - 1)},`.repeat(3)}0]`,
    nested(JSON_LEVELS_MAX, `"${'['.repeat(100)}"`),
    nested(JSON_LEVELS_MAX, String.raw`"\"[[", "\\", "\\\"{"`),
  ])('may have 64 levels: %s', (text) => {
    expect(refusalOf(text)).toBe('');
  });

  it.each([
    nested(JSON_LEVELS_MAX + 1),
    `{"a":${nested(JSON_LEVELS_MAX)}}`,
    `[[],${nested(JSON_LEVELS_MAX)}]`,
    nested(JSON_LEVELS_MAX, String.raw`"\\",[]`),
    // Broken in other ways too.
    '['.repeat(JSON_LEVELS_MAX + 1),
    '{"a":'.repeat(JSON_LEVELS_MAX + 1),
  ])('has at most 64 levels: %s', (text) => {
    expect(refusalOf(text)).toBe('INVALID_REQUEST: the body is nested deeper than 64 levels');
  });

  it.each(['[', '{', '{"a":', '['.repeat(64) + ']'.repeat(64) + '['.repeat(64)])(
    'is refused in time that does not grow with its depth: %s',
    (part) => {
      const bytes = Buffer.alloc(1 << 20, part);
      const beganAtMs = performance.now();
      expect(isRejected(parseJsonBody(bytes))).toBe(true);
      // A bound for a machine that is busy. It takes less than a millisecond.
      expect(performance.now() - beganAtMs).toBeLessThan(1_000);
    },
  );

  it.each([
    ['{"a":1,"a":1}', 'a'],
    ['{"limit_price":"1","side":"BUY","limit_price":null}', 'limit_price'],
    ['{"a":{"b":1},"c":{"b":1,"d":2,"b":3}}', 'b'],
    ['[{"a":1},{"a":{"a":[{"x":1,"x":2}]}}]', 'x'],
    [String.raw`{"limit_price":"1","limit\u005fprice":"2"}`, 'limit_price'],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"":1,"":2}', ''],
    ['{"a" : ":", "b":"{\\"a\\":1}", "a"\n:[]}', 'a'],
    ['{"1":1,"2":2,"1":3}', '1'],
  ])('names each member of an object once: %s', (text, name) => {
    expect(refusalOf(text)).toBe(`INVALID_REQUEST: the member ${JSON.stringify(name)} is given twice`);
  });

  it.each([
    '{"a":1,"A":1,"a ":1}',
    '[{"a":1},{"a":1}]',
    '{"a":{"a":{"a":1}}}',
    '{"a":"a\\":1","b":":"}',
    '{"__proto__":{"constructor":1},"constructor":{"__proto__":2}}',
    '{"2":1,"1":{},"":[]}',
    '":"',
    '[]',
    'null',
  ])('may have one name in several objects: %s', (text) => {
    expect(refusalOf(text)).toBe('');
  });

  it.each(['', '{', '{"a":1,}', "{'a':1}", '{"a"}', '"', '"\\'])('is JSON: %s', (text) => {
    expect(refusalOf(text)).toBe('INVALID_REQUEST: the body is not JSON');
  });

  it('quotes a short part of a long name', () => {
    const name = 'x'.repeat(10_000);
    expect(refusalOf(`{"${name}":1,"${name}":2}`).length).toBeLessThan(200);
  });
});
