import type { ErrorObject } from 'ajv';
import type { TSchema } from '@sinclair/typebox';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { isRejected, type OrRejection } from '../../src/domain/rejection.js';
import { canonical } from './canonical.js';
import type { open } from './compiled.js';
import { valueNear } from './request-value.js';

/* Compares the schema of a request with its parser: both accept the same requests and refuse the same fields. */

/** Rules that no schema can express: of the instrument, between fields, of numbers as text. */
const RULES_OF_MEANING: readonly RegExp[] = [
  // The flag s: a line separator is a valid character of a value.
  /^symbol .* is no (SPOT |FUTURE )?instrument of/s,
  /is not a multiple of the (lot|tick)/,
  /is (under|above) the (minimum|maximum)/,
  /has more than \d+ digits after the point/,
  /^clip_size_val .* is wrong: with clip_size_type/s,
  /^clip_size_val .* is above 50: with strategy POV/s,
  /^clip_size_val .* makes \d+ rungs/s,
  /^params\.duration_seconds .* is not a number of seconds from 1 to/s,
  /^params\.would\.would_pct .* is not a percentage above 0 and up to 100/s,
  /^params\.would\.would_price .* is worse than limit_price/s,
  /^params\.placement_infos\.(placement|cancel) .* is not a level of the book from 1 to/s,
  /^params\.placement_infos\.cancel .* is not more than placement/s,
  /^params\.ob_imbalance_threshold .* is not a decimal from 0.5 to 0.99/s,
  /^params\.price_lock_bps .* is not an integer from 1 to 100/s,
  /^params\.end_ladder_price: a ladder .* has no rungs/s,
  /^params\.ladder_direction \w+ contradicts a ladder/,
  /^params\.start_ladder_price .* is for strategies SCALE and ICEBERG/s,
  /^params\.(start|end)_ladder_price .* is worse than limit_price/s,
  /^params\.post_only true is not supported on/,
  /^params\.reduce_only true is for FUTURE only/,
  /^end_time .* is not after start_time/s,
  /^end_time .* is over 30 days after the start/s,
  /^strategy SCALE is not supported for a leg/,
  /^ccy .* is not one of/s,
  /^legs: both set is_leading/,
  /^params\.\w+ cannot be amended in /,
  // The end of the order is accepted instead.
  /^legs\[\d\]\.params\.duration_seconds is missing: strategy (TWAP|VWAP)/,
  /^params\.max_unhedged_seconds .* is not a number of seconds from 1 to/s,
  /^params\.hedge_slippage_bps .* is not an integer from 1 to/s,
];

/** The refusal of the parser; '' when it accepts the request. */
export function refusalOf(parsed: OrRejection<unknown>): string {
  return isRejected(parsed as OrRejection<object>)
    ? (parsed as { rejection: { message: string } }).rejection.message
    : '';
}

/** The field at the start of a refusal; '' for the whole request. */
function fieldOf(refusal: string): string {
  return /^[a-z_]+(?:\.\w+)*/.exec(refusal.replace(LEG, 'legs.$1'))?.[0] ?? '';
}

const LEG = /^legs\[(\d)\]/;

/** Fields with errors by the schema, with the names of the parser. */
function fieldsOf(errors: readonly ErrorObject[]): string[] {
  return errors
    .filter(({ keyword }) => keyword !== 'if' && keyword !== 'anyOf')
    .map(({ instancePath, params }) => {
      const missing = (params as { missingProperty?: string }).missingProperty;
      return [...instancePath.split('/').slice(1), ...(missing === undefined ? [] : [missing])].join('.');
    });
}

/** Compares a schema and its parser for one request. */
export function compare(schema: TSchema, validate: ReturnType<typeof open>, body: unknown, refusal: string): void {
  const unprefixed = refusal.replace(/^legs\[\d\]\./, '');
  const isMeaning = RULES_OF_MEANING.some((rule) => rule.test(unprefixed) || rule.test(refusal));
  if (validate(canonical(schema, body))) {
    expect(refusal === '' || isMeaning, `the schema accepts the request, the parser refuses it: ${refusal}`).toBe(true);
    return;
  }
  const blamed = fieldsOf(validate.errors ?? []);
  const named = fieldOf(refusal);
  // One may name the missing object, the other a missing member of it.
  const isSame = blamed.some(
    (field) => field === named || field.startsWith(`${named}.`) || named.startsWith(`${field}.`),
  );
  // The parser reports the first of several wrong fields, which may break a rule of meaning.
  expect(
    refusal !== '' && (isSame || isMeaning),
    `the schema blames ${blamed.join(', ')}, the parser says: ${refusal}`,
  ).toBe(true);
}

/** A valid request with one field or parameter replaced, added or removed. */
export function mutations(schema: TSchema, base: Record<string, unknown>): fc.Arbitrary<unknown> {
  const properties = schema['properties'] as Record<string, TSchema>;
  const oneField = fc
    .constantFrom(...Object.keys(properties))
    .chain((name) =>
      fc.option(valueNear(properties[name] as TSchema), { nil: undefined }).map((value) => ({ [name]: value })),
    );
  const inside = Object.entries(properties)
    .filter(([name, { type }]) => type === 'object' && (name === 'params' || name in base))
    .map(([name, schema]) =>
      mutations(schema, (base[name] ?? {}) as Record<string, unknown>).map((value) => ({ [name]: value })),
    );
  return fc.oneof(oneField, ...inside).map((field) => ({ ...base, ...field }));
}
