import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseExactJson } from '../../../../src/venue/live/json/exact-json.js';

test.each([
  ['{"i":8389765591234567890}', { i: '8389765591234567890' }],
  ['{"i":9007199254740993}', { i: '9007199254740993' }],
  ['{"i":-9007199254740993}', { i: '-9007199254740993' }],
  ['[8389765591234567890,1]', ['8389765591234567890', 1]],
  ['{"i":123456789012345}', { i: 123_456_789_012_345 }],
  ['{"p":0.12345678901234567890}', { p: 0.123_456_789_012_345_68 }],
  ['{"p":12345678901234567.5}', { p: Number('12345678901234567.5') }],
  ['{"p":12345678901234567e2}', { p: Number('12345678901234567e2') }],
  ['{"t":"a:8389765591234567890,"}', { t: 'a:8389765591234567890,' }],
  [String.raw`{"t":"\"8389765591234567890"}`, { t: '"8389765591234567890' }],
  ['{"8389765591234567890":1}', { '8389765591234567890': 1 }],
])('parses %s with exact integers', (text, value) => {
  expect(parseExactJson(text)).toEqual(value);
});

test('parses any JSON without long integers as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const isLong = /\d{16,}/.test(text);
      if (!isLong) expect(parseExactJson(text)).toEqual(JSON.parse(text));
      else expect(() => parseExactJson(text)).not.toThrow();
    }),
    { numRuns: 2_000 },
  );
});

test('throws a SyntaxError for a text that is no JSON, in linear time', () => {
  const startedMs = performance.now();
  for (const text of ['', '{', '"', `"${String.raw`\"`.repeat(500_000)}`, '8'.repeat(1_000_000) + 'x']) {
    expect(() => parseExactJson(text)).toThrow(SyntaxError);
  }
  expect(performance.now() - startedMs).toBeLessThan(5_000);
});
