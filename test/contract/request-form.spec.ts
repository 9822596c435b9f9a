import type { ErrorObject } from 'ajv';
import type { TSchema } from '@sinclair/typebox';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CancelManyUpstreamOrdersRequest, CancelUpstreamOrderRequest } from '../../src/contract/cancel-request.js';
import { CreateManyParentOrdersRequest, CreateParentOrderRequest } from '../../src/contract/order-request.js';
import { parseCancelRequest } from '../../src/http/parse/cancel-request.js';
import { parseBatch } from '../../src/http/parse/order-batch.js';
import { parseOrderRequest } from '../../src/http/parse/order-request.js';
import { BATCH_ORDERS_MAX } from '../../src/model/limits.js';
import { isRejected, type OrRejection } from '../../src/model/rejection.js';
import { CATALOGUE, createBody } from '../http/orders.js';
import { canonical } from './canonical.js';
import { open } from './compiled.js';
import { valueNear } from './request-value.js';

/** Right by the contract. */

/** Rules that no schema can tell: of the instrument, of fields with each other, of numbers written as text. */
const RULES_OF_MEANING: readonly RegExp[] = [
  // A line separator is text like any other.
  /^symbol .* is no (SPOT |FUTURE )?instrument of/s,
  /is not a multiple of the (lot|tick)/,
  /is (under|above) the (minimum|maximum)/,
  /has more than \d digits behind the point/,
  /^clip_size_val .* is wrong: with clip_size_type/,
  /^clip_size_val .* is above 50: with strategy POV/,
  /^clip_size_val .* makes \d+ rungs/,
  /^params\.duration_seconds .* is not a number of seconds from 1 to/,
  /^params\.would\.would_pct .* is not a percentage above 0 and up to 100/,
  /^params\.would\.would_price .* is worse than limit_price/,
  /^params\.placement_infos\.(placement|cancel) .* is not a level of the book from 1 to/,
  /^params\.placement_infos\.cancel .* is not more than placement/,
  /^params\.ob_imbalance_threshold .* is not a decimal from 0.5 to 0.99/,
  /^params\.price_lock_bps .* is not an integer from 1 to 100/,
  /^params\.end_ladder_price: a ladder .* has no rungs/,
  /^params\.ladder_direction \w+ contradicts a ladder/,
  /^params\.start_ladder_price .* is for strategies SCALE and ICEBERG/,
  /^params\.(start|end)_ladder_price .* is worse than limit_price/,
  /^params\.post_only true is not supported on/,
  /^params\.reduce_only true is for FUTURE only/,
  /^end_time .* is not after start_time/,
];

/** What the parser says; '' when it takes the request. */
function refusalOf(parsed: OrRejection<unknown>): string {
  return isRejected(parsed as OrRejection<object>)
    ? (parsed as { rejection: { message: string } }).rejection.message
    : '';
}

/** The field that a refusal begins with; '' for the request as a whole. */
function fieldOf(refusal: string): string {
  return /^[a-z_]+(?:\.[a-z_]+)*/.exec(refusal)?.[0] ?? '';
}

/** Fields that a schema complains of, as the parser names them. */
function fieldsOf(errors: readonly ErrorObject[]): string[] {
  return errors
    .filter(({ keyword }) => keyword !== 'if' && keyword !== 'anyOf')
    .map(({ instancePath, params }) => {
      const missing = (params as { missingProperty?: string }).missingProperty;
      return [...instancePath.split('/').slice(1), ...(missing === undefined ? [] : [missing])].join('.');
    });
}

/** Holds a schema and its parser against each other over one request. */
function compare(schema: TSchema, validate: ReturnType<typeof open>, body: unknown, refusal: string): void {
  const isMeaning = RULES_OF_MEANING.some((rule) => rule.test(refusal));
  if (validate(canonical(schema, body))) {
    expect(refusal === '' || isMeaning, `the schema takes it, the parser says: ${refusal}`).toBe(true);
    return;
  }
  const blamed = fieldsOf(validate.errors ?? []);
  const named = fieldOf(refusal);
  // One may name the object that is missing, the other what is missing within it.
  const isSame = blamed.some(
    (field) => field === named || field.startsWith(`${named}.`) || named.startsWith(`${field}.`),
  );
  // Of several wrong fields the parser tells the first, which may be wrong by its meaning.
  expect(
    refusal !== '' && (isSame || isMeaning),
    `the schema blames ${blamed.join(', ')}, the parser says: ${refusal}`,
  ).toBe(true);
}

/** A right request, with one field or parameter replaced, added or left out. */
function mutations(schema: TSchema, base: Record<string, unknown>): fc.Arbitrary<unknown> {
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

const BASES: readonly Record<string, unknown>[] = [
  createBody(),
  createBody({ strategy: 'LIMIT', limit_price: '60000.01', clip_size_type: 'ORDER_COUNT', clip_size_val: '5' }),
  createBody({ start_time: '2026-11-21T12:00:00Z', end_time: '2026-11-22T12:00:00Z', params: {} }),
  createBody({ symbol: 'BTC/USDT:USDT', asset_category: 'FUTURE', params: { duration_seconds: 5, reduce_only: true } }),
  createBody({
    params: { duration_seconds: '60', would: { would_price: '59000', would_pct: 50, would_style: 'PASSIVE' } },
  }),
  createBody({ strategy: 'MARKET', params: { trigger: { trigger_price: '61000', trigger_condition: 'above' } } }),
  createBody({
    params: { duration_seconds: '60', placement_infos: { placement_mode: 'CUSTOM', placement: 2, cancel: '5' } },
  }),
  createBody({
    strategy: 'SCALE',
    params: { start_ladder_price: '59000', end_ladder_price: 60000, ladder_direction: 'UPWARDS', size_skew: 1.5 },
  }),
  createBody({
    strategy: 'POV',
    clip_size_type: 'PERCENTAGE',
    clip_size_val: '50',
    params: { ob_imbalance_cancel: true, ob_imbalance_threshold: '0.8', price_lock_bps: 100 },
  }),
];

describe('the schema of a create and its parser', () => {
  const validate = open(CreateParentOrderRequest);

  it.each(BASES.map((base, index) => [index, base] as const))('take the right request %i', (_index, base) => {
    const refusal = refusalOf(parseOrderRequest(base, CATALOGUE));
    expect(refusal).toBe('');
    expect(validate(canonical(CreateParentOrderRequest, base))).toBe(true);
  });

  it.each(BASES.map((base, index) => [index, base] as const))(
    'agree on every mutation of request %i',
    (_index, base) => {
      fc.assert(
        fc.property(mutations(CreateParentOrderRequest, base), (body) => {
          const sent = JSON.parse(JSON.stringify(body)) as unknown;
          compare(CreateParentOrderRequest, validate, sent, refusalOf(parseOrderRequest(sent, CATALOGUE)));
        }),
        { numRuns: 1_500 },
      );
    },
  );

  it('agree on what is no object', () => {
    for (const body of [null, 5, 'x', [], true]) {
      expect(validate(body)).toBe(false);
      expect(refusalOf(parseOrderRequest(body, CATALOGUE))).toMatch(/^the order is/);
    }
  });
});

describe('the schema of a cancel and its parser', () => {
  it('agree on every mutation', () => {
    const validate = open(CancelUpstreamOrderRequest);
    const bases = fc.constantFrom(
      { order_id: 7 },
      { client_order_id: 'mine' },
      { order_id: 7, client_order_id: 'mine' },
    );
    fc.assert(
      fc.property(
        bases.chain((base) => mutations(CancelUpstreamOrderRequest, base)),
        (body) => {
          const sent = JSON.parse(JSON.stringify(body)) as unknown;
          compare(CancelUpstreamOrderRequest, validate, sent, refusalOf(parseCancelRequest(sent)));
        },
      ),
      { numRuns: 1_500 },
    );
  });
});

describe('the schemas of batches and their parser', () => {
  it.each([
    ['create', CreateManyParentOrdersRequest, createBody()],
    ['cancel', CancelManyUpstreamOrdersRequest, { order_id: 7 }],
  ] as const)('agree on %s', (_name, schema, member) => {
    const validate = open(schema);
    const many = (count: number) => ({ orders: Array.from({ length: count }, () => member) });
    for (const body of [many(1), many(BATCH_ORDERS_MAX)]) {
      expect([validate(body), refusalOf(parseBatch(body))]).toEqual([true, '']);
    }
    for (const body of [{}, [], null, 'x', { orders: null }, { orders: {} }, many(0), many(BATCH_ORDERS_MAX + 1)]) {
      expect([validate(body), refusalOf(parseBatch(body)) === '']).toEqual([false, false]);
    }
  });
});
