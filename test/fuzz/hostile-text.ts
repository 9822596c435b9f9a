import type { Random } from '../torture/random.js';
import type { Schema } from './schema-set.js';

const DEEP = 10_000;
const LONG = 8_192;
const VERY_LONG = 100_000;

/** Wrong types, extreme numbers, and texts with a meaning for careless code. */
const VALUES: readonly string[] = [
  ['null', 'true', 'false', '0', '-0', '1', '-1', '0.1', '1.5', '1e3', '-1e3', '1e-400', '1e400', '-1e400'],
  ['9007199254740991', '9007199254740992', '9007199254740993', '-9007199254740993', '18446744073709551616'],
  ['123456789012345678901234567890', '0.1000000000000000055511151231257827', '1E+2', '2147483648', '-2147483649'],
  ['[]', '{}', '[[]]', '[null]', '[{}]', '[1,"1",null]', '{"0":1,"length":1}', '{"toString":1,"valueOf":null}'],
  ['""', '" "', '"0"', '"00"', '"-0"', '"-1"', '"1"', '"1e3"', '"+1"', '".5"', '"5."', '"0x10"', '"1_000"', '"1,5"'],
  ['"NaN"', '"Infinity"', '"-Infinity"', '"null"', '"undefined"', '"true"', '"[object Object]"', '"٣"', '"１"', '"½"'],
  [
    String.raw`"\u0000"`,
    String.raw`"a\u0000b"`,
    String.raw`"a\nb"`,
    String.raw`"\r\nX-Injected: 1"`,
    String.raw`"\u001b[31m"`,
  ],
  [
    String.raw`"\ud800"`,
    String.raw`"\udc00\ud800"`,
    String.raw`"\ufeff"`,
    String.raw`"\u202e"`,
    String.raw`"\u2028"`,
    '"é"',
    '"🙂"',
  ],
  ['"__proto__"', '"constructor"', '"toString"', '"hasOwnProperty"', '"prototype"', '"length"'],
  [
    '{"__proto__":{"isAdmin":true}}',
    '{"constructor":{"prototype":{"x":1}}}',
    '"${7*7}"',
    `"' OR 1=1 --"`,
    '"<b>"',
    '"../../etc"',
  ],
  [
    '"0000-00-00T00:00:00Z"',
    '"2026-02-30T00:00:00Z"',
    '"9999-12-31T23:59:59.999Z"',
    '"+275760-09-13T00:00:00Z"',
    '"1969-12-31T23:59:59Z"',
  ],
].flat();

/** Texts that are not JSON. */
const BROKEN: readonly string[] = [
  ['NaN', 'Infinity', '-Infinity', 'undefined', '', '01', '+1', '.5', '1.', '0x10', "'a'", '"a', '"\u0001"', '"\n"'],
  ['[1,]', '{,}', '{"a"}', '{a:1}', '/* */1', '"\\x41"', '"\\u12"', 'tru', '\u00a0', '1 2'],
].flat();

const BROKEN_SHARE = 0.08;
const SCHEMA_SHARE = 0.3;
const LARGE_SHARE = 0.03;

/** Returns a JSON or other text that is invalid for this schema, or only just valid. */
export function hostileText(schema: Schema, valid: string, random: Random): string {
  const chance = random.next();
  if (chance < BROKEN_SHARE) return random.pick(BROKEN);
  if (chance < BROKEN_SHARE + LARGE_SHARE) return random.pick(LARGE)();
  const near = borderTexts(schema, valid);
  if (near.length > 0 && random.next() < SCHEMA_SHARE) return random.pick(near);
  return random.pick(VALUES);
}

const LARGE: readonly (() => string)[] = [
  () => `"${'x'.repeat(LONG)}"`,
  () => `"${'9'.repeat(LONG)}"`,
  () => '9'.repeat(LONG),
  () => `"${'🙂'.repeat(LONG)}"`,
  () => `"${'x'.repeat(VERY_LONG)}"`,
  () => '['.repeat(DEEP) + ']'.repeat(DEEP),
  () => '{"a":'.repeat(DEEP) + '1' + '}'.repeat(DEEP),
  () => `[${'0,'.repeat(DEEP)}0]`,
  () => `{${Array.from({ length: DEEP }, (_, index) => `"k${index}":${index}`).join()}}`,
];

/** Returns values at and next to the bounds of a schema, and other spellings of a valid value. */
function borderTexts({ minimum, maximum, pattern = '' }: Schema, valid: string): string[] {
  const ends = [minimum, maximum].filter((end) => end !== undefined);
  const longest = [...pattern.matchAll(/\{1,(\d+)\}/g)].map(([, count]) => Number(count));
  return [
    ...ends.flatMap((end) => [String(end - 1), String(end), String(end + 1), `"${end}"`, `${end}.5`]),
    ...longest.flatMap((count) => [count - 1, count, count + 1].map((length) => `"${'y'.repeat(length)}"`)),
    ...(valid.startsWith('"')
      ? [valid.toLowerCase(), valid.toUpperCase(), `${valid.slice(0, -1)} "`, `" ${valid.slice(1)}`, valid.slice(1, -1)]
      : [`"${valid.replaceAll('"', '')}"`, `-${valid}`, `${valid}0`, `[${valid}]`]),
  ];
}
