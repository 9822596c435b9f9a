import * as fc from 'fast-check';
import type { TSchema } from '@sinclair/typebox';

/** Values near the bounds of a field, and arbitrary JSON. */
export function valueNear(schema: TSchema): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 3, arbitrary: nearValue(schema) },
    { weight: 2, arbitrary: fc.constantFrom(...SPECIAL) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  );
}

const SPECIAL: readonly unknown[] = [
  null,
  true,
  false,
  'true',
  '',
  ' ',
  0,
  -1,
  1,
  1.5,
  [],
  {},
  '0',
  '00',
  '1e3',
  '-1',
  '1',
];

function nearValue(schema: TSchema): fc.Arbitrary<unknown> {
  const names = schema['enum'] as readonly string[] | undefined;
  if (names !== undefined) return fc.constantFrom(...names).chain(inAnyCase);
  if (schema['format'] === 'date-time') return instants;
  switch (schema['type']) {
    case 'object':
      return fc.record(
        Object.fromEntries(
          Object.entries(schema['properties'] as Record<string, TSchema>).map(([name, part]) => [
            name,
            valueNear(part),
          ]),
        ),
        { requiredKeys: [] },
      );
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.maxSafeNat().map(String));
    default:
      return String(schema['pattern']).includes(String.raw`\d+\.?\d*`) ? decimals : names128;
  }
}

function inAnyCase(name: string): fc.Arbitrary<string> {
  return fc.constantFrom(name, name.toLowerCase(), `${name.slice(0, 1)}${name.slice(1).toLowerCase()}`, `${name} `);
}

const digits = fc.string({ unit: fc.constantFrom('0', '1', '5', '9'), maxLength: 22 });
const decimals = fc.oneof(
  fc.tuple(digits, fc.constantFrom('', '.', '..', 'e', ','), digits).map((parts) => parts.join('')),
  fc.double({ min: 0, max: 1e6, noNaN: true }).map((value) => Math.round(value * 1e5) / 1e5),
  fc.constantFrom('1'.repeat(40), '1'.repeat(41), '+1', '١', '0.0', '.0', '5.', '.5'),
);

const instants = fc.oneof(
  fc
    .date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  fc.constantFrom(
    '2026-02-28T23:59:59Z',
    '2026-02-29T00:00:00Z',
    '2028-02-29T00:00:00.123456789Z',
    '2026-11-21T12:00Z',
    '2026-11-21T24:00:00Z',
    '2026-11-21T12:00:60Z',
    '2026-13-01T00:00:00Z',
    '2026-00-10T00:00:00Z',
    '2026-11-21T12:00:00+00:00',
    '2026-11-21t12:00:00z',
    '2026-11-21',
  ),
);

const names128 = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom('a b', 'a,b', 'a\nb', '🙂', 'x'.repeat(64), 'x'.repeat(65), 'x'.repeat(128), 'x'.repeat(129)),
);
