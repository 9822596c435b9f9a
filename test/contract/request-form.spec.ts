import type { TSchema } from '@sinclair/typebox';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CancelManyUpstreamOrdersRequest,
  CancelUpstreamOrderRequest,
  CreateManyParentOrdersRequest,
  CreateParentOrderRequest,
} from '../../src/api/order/order-schema.js';
import {
  AmendOrderRequest,
  CancelAllAfterRequest,
  parseBatch,
  parseCancelAfter,
} from '../../src/api/order/order-control.js';
import { KillSwitchRequest, parseKillSwitch } from '../../src/api/account/risk-limits.js';
import {
  CreateManyMultiLegsParentOrdersRequest,
  CreateMultiLegsParentOrderRequest,
} from '../../src/api/pair/pair-schema.js';
import { parsePairRequest } from '../../src/api/pair/pair-parser.js';
import { parseAmendment, amendedOrder } from '../../src/api/order/amendment.js';
import { parseOrderRef } from '../../src/api/order/order-reference.js';
import { parseOrderRequest } from '../../src/api/order/order-parser.js';
import { BATCH_ORDERS_MAX } from '../../src/domain/limits/clients.js';
import { isRejected, type OrRejection } from '../../src/domain/rejection.js';
import type { EpochMs } from '../../src/domain/time.js';
import { CATALOGUE, createBody, NOW_MS, parentState } from '../http/orders.js';
import { pairBody } from '../api/pairs.js';
import { pairOf } from '../domain/sample-pair.js';
import { canonical } from './canonical.js';
import { open } from './compiled.js';
import { compare, mutations, refusalOf } from './form-comparison.js';
import { runs } from '../runs.js';

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

  it.each(BASES.map((base, index) => [index, base] as const))('accept the valid request %i', (_index, base) => {
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
        { numRuns: runs(150, 1_500) },
      );
    },
  );

  it('agree on values that are no object', () => {
    for (const body of [null, 5, 'x', [], true]) {
      expect(validate(body)).toBe(false);
      expect(refusalOf(parseOrderRequest(body, CATALOGUE))).toMatch(/^the order is/);
    }
  });
});

describe('the schema of a multi-leg create and its parser', () => {
  const schema = CreateMultiLegsParentOrderRequest;
  const validate = open(schema);
  const agree = (body: unknown): void => {
    const sent = JSON.parse(JSON.stringify(body)) as unknown;
    compare(schema, validate, sent, refusalOf(parsePairRequest(sent, CATALOGUE)));
  };
  const bases = [
    pairBody(),
    pairBody({ end_time: '2026-11-22T12:00:00Z' }, { ccy: 'usdt', target_value: 30_000, limit_price: '60000' }),
    pairBody({ params: { max_unhedged_value: '5000', max_unhedged_seconds: 60, hedge_slippage_bps: '25' } }),
  ];

  it.each(bases.map((base, index) => [index, base] as const))('agree on request %i and its mutations', (_, base) => {
    expect([validate(canonical(schema, base)), refusalOf(parsePairRequest(base, CATALOGUE))]).toEqual([true, '']);
    fc.assert(fc.property(mutations(schema, base), agree), { numRuns: runs(50, 500) });
    const legs = base['legs'] as Record<string, unknown>[];
    const legSchema = CreateMultiLegsParentOrderRequest.properties.legs as unknown as { readonly items: TSchema };
    const oneLeg = fc
      .constantFrom(0, 1)
      .chain((at) => mutations(legSchema.items, legs[at] ?? {}).map((leg) => legs.with(at, leg as never)));
    fc.assert(
      fc.property(oneLeg, (mutated) => agree({ ...base, legs: mutated })),
      { numRuns: runs(100, 1_000) },
    );
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
          compare(CancelUpstreamOrderRequest, validate, sent, refusalOf(parseOrderRef(sent)));
        },
      ),
      { numRuns: runs(150, 1_500) },
    );
  });
});

describe('the schema of an amendment and its parser', () => {
  const schema = AmendOrderRequest;
  const validate = open(schema);
  const order = { symbol: 'BTC/USDT', startAtMs: NOW_MS, endAtMs: (NOW_MS + 600_000) as EpochMs };
  const single = parentState(order);
  const pair = parentState(
    pairOf(single.order, 'OKX', { instrument: CATALOGUE.find('OKX', 'SPOT', 'BTC/USDT')!.index }),
  );
  const parse = (body: unknown, state = single): OrRejection<unknown> => {
    const request = parseAmendment(body);
    return isRejected(request) ? request : amendedOrder(request.terms, state, CATALOGUE);
  };
  const bases = [
    { order_id: 7, quantity: '0.5' },
    { client_order_id: 'mine', limit_price: '60000.01', end_time: '2026-12-01T12:00:00Z' },
    {
      order_id: 7,
      params: {
        duration_seconds: 900,
        trading_style: 'passive',
        would: { would_price: '59000' },
        ob_imbalance_cancel: true,
        price_lock_bps: '5',
      },
    },
  ];
  const basesOfPairs = [
    { order_id: 7, quantity: '0.5' },
    { order_id: 7, limit_price: '60000.01', end_time: '2026-12-01T12:00:00Z', params: { trading_style: 'passive' } },
    { order_id: 7, params: { max_unhedged_value: '900.5', max_unhedged_seconds: '60', hedge_slippage_bps: 5 } },
  ];
  const cases = [
    ...bases.map((base) => ['an order', base, single] as const),
    ...basesOfPairs.map((base) => ['a pair', base, pair] as const),
  ];

  it.each(cases)('agree on requests of %s and their mutations: %j', (_, base, state) => {
    expect([validate(canonical(schema, base)), refusalOf(parse(base, state))]).toEqual([true, '']);
    fc.assert(
      fc.property(mutations(schema, base), (body) => {
        const sent = JSON.parse(JSON.stringify(body)) as unknown;
        compare(schema, validate, sent, refusalOf(parse(sent, state)));
      }),
      { numRuns: runs(100, 1_000) },
    );
  });
});

describe('the schema of cancel-all-after and its parser', () => {
  it('agree on every timeout', () => {
    const validate = open(CancelAllAfterRequest);
    const timeouts = [0, 1, 999, 1_000, 60_000.5, 86_400_000, 86_400_001, -1, '60000', null, undefined, [], true];
    for (const timeout of timeouts) {
      const body = { timeout_ms: timeout };
      expect(refusalOf(parseCancelAfter(body)) === '', String(timeout)).toBe(validate(body));
    }
  });
});

describe('the schema of a kill switch and its parser', () => {
  it('agree on every value', () => {
    const validate = open(KillSwitchRequest);
    for (const engaged of [true, false, 'true', 1, 0, null, undefined, [], {}]) {
      const body = { engaged };
      expect(refusalOf(parseKillSwitch(body)) === '', JSON.stringify(body)).toBe(validate(body));
    }
  });
});

describe('the schemas of batches and their parser', () => {
  it.each([
    ['create', CreateManyParentOrdersRequest, createBody()],
    ['create of pairs', CreateManyMultiLegsParentOrdersRequest, pairBody()],
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
