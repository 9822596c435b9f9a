import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonBody } from '../../src/api/field/json-body.js';
import { parseJsonFile } from '../../src/api/field/json-file.js';
import { BODY_BYTES_MAX } from '../../src/domain/limits/clients.js';
import { isRejected } from '../../src/domain/rejection.js';
import { runs } from '../runs.js';

function refusalOf(text: string | Buffer): string | null {
  const result = parseJsonFile(Buffer.from(text), 'order.json');
  return isRejected(result) ? `${result.rejection.code}: ${result.rejection.message}` : null;
}

const NOT_JSON = 'the body is not JSON';

describe('a file with the body of a request', () => {
  it.each([
    ['', `line 1, column 1: ${NOT_JSON}`],
    ['no json', `line 1, column 1: ${NOT_JSON}`],
    ['{"a":1', `line 1, column 7: ${NOT_JSON}`],
    ['{\n  "a": BUY\n}', `line 2, column 8: ${NOT_JSON}`],
    ['{\r\n  "a": 1,\r\n}', `line 3, column 1: ${NOT_JSON}`],
    ['{"a": 1 "b": 2}', `line 1, column 9: ${NOT_JSON}`],
    ["{'a': 1}", `line 1, column 2: ${NOT_JSON}`],
    ['{"a" 1}', `line 1, column 6: ${NOT_JSON}`],
    ['{"a": 01}', `line 1, column 8: ${NOT_JSON}`],
    ['{"a": "b\nc"}', `line 1, column 7: ${NOT_JSON}`],
    ['[1, 2}', `line 1, column 6: ${NOT_JSON}`],
    ['[] []', `line 1, column 4: ${NOT_JSON}`],
    ['{"side": "BUY",\n "s\\u0069de": "SELL"}', 'line 2, column 2: the member "side" is given twice'],
    ['{"a": [{"b": 1}, {"b": 1, "b": 2}]}', 'line 1, column 27: the member "b" is given twice'],
    ['['.repeat(65), 'line 1, column 65: the body is nested deeper than 64 levels'],
  ])('%j is refused with line and column', (text, message) => {
    expect(refusalOf(text)).toBe(`INVALID_REQUEST: order.json, ${message}`);
    expect(refusalOf(`\uFEFF${text}`)).toBe(`INVALID_REQUEST: order.json, ${message}`);
  });

  it('is read after a byte order mark', () => {
    expect(parseJsonFile(Buffer.from('\uFEFF{"a": 1}\r\n'), 'order.json')).toMatchObject({ value: { a: 1 } });
  });

  it('has at most the size of a body', () => {
    const text = JSON.stringify('x'.repeat(BODY_BYTES_MAX - 2));
    expect(refusalOf(text)).toBeNull();
    expect(refusalOf(`${text} `)).toBe(
      `INVALID_REQUEST: order.json: the file has ${BODY_BYTES_MAX + 1} bytes; at most ${BODY_BYTES_MAX} are read`,
    );
  });

  it('is refused soon when a long string has no end', () => {
    const text = `{"a": "${'x'.repeat(100_000)}`;
    expect(refusalOf(text)).toBe(`INVALID_REQUEST: order.json, line 1, column 7: ${NOT_JSON}`);
  });

  it('is refused without a place when it is not UTF-8', () => {
    expect(refusalOf(Buffer.from([0x22, 0xff, 0x22]))).toBe('INVALID_REQUEST: order.json: the body is not UTF-8');
  });

  it('is refused as the same body is, always with a place', () => {
    const damage = fc.record({
      at: fc.nat(),
      length: fc.nat({ max: 2 }),
      text: fc.constantFrom('', ...'{}[]",:\\1e-. t'.split('')),
    });
    fc.assert(
      fc.property(fc.jsonValue(), damage, (value, { at, length, text }) => {
        const json = JSON.stringify(value, null, 1);
        const start = at % (json.length + 1);
        const damaged = json.slice(0, start) + text + json.slice(start + length);
        const body = parseJsonBody(Buffer.from(damaged));
        const refusal = refusalOf(damaged);
        if (!isRejected(body)) expect(refusal).toBeNull();
        else expect(refusal).toMatch(/^INVALID_REQUEST: order\.json, line \d+, column \d+: /);
      }),
      { numRuns: runs(300, 10_000) },
    );
  });
});
