import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InstrumentIndex } from '../../src/domain/instrument.js';
import type { AccountId } from '../../src/domain/ids.js';
import { RISK_LIMIT_READ_MS } from '../../src/domain/limits/trading.js';
import { STRATEGY_NAMES, type StrategyName } from '../../src/domain/order.js';
import { formatSteps } from '../../src/domain/quantity.js';
import { runs } from '../runs.js';
import type { Body } from './clients.js';
import { CATALOGUE } from './listed.js';
import { QuietService } from './quiet-service.js';

interface Preview {
  readonly accepted: boolean;
  readonly rejections: readonly { readonly error_code: string; readonly message: string }[];
  readonly expected_cost?: object;
}

interface Summary {
  readonly order_id?: number;
  readonly status: string;
  readonly error_code?: string;
  readonly message?: string;
}

let service: QuietService;

beforeAll(() => {
  service = new QuietService(1);
  // A market with an open order stays awake, so that its published price is the present one.
  for (const instrument of CATALOGUE.instruments) {
    const price = Math.round(service.midOf(instrument) * 0.9);
    const quantity = Math.ceil((2 * instrument.notionalMin) / price);
    const order = {
      exchange: instrument.venue,
      symbol: instrument.symbol,
      asset_category: instrument.assetCategory,
      side: 'BUY',
      strategy: 'LIMIT',
      quantity: formatSteps(quantity, instrument.quantityPrecision),
      limit_price: formatSteps(price, instrument.pricePrecision),
    };
    expect(service.post<Summary>('create', order, 'bob')).toMatchObject({ status: 'PENDING_NEW' });
  }
  service.pass(1_000);
});
afterAll(() => service.close());

/** The preview of the order at this instant. */
function previewOf(order: Body): Preview {
  const { nowMs } = service;
  const preview = service.post<Preview>('preview', order);
  // Time has passed, because it waited for a market or its volume.
  return nowMs === service.nowMs ? preview : previewOf(order);
}

/** The first events of an order. */
function timelineOf(orderId: number): readonly { readonly event: string }[] {
  return service.get<{ events: { event: string }[] }>('order/timeline', `orderId=${orderId}&limit=5`).events;
}

/**
 * What a create of the order comes to at this instant: accepted, or the first reason against it. An exchange may refuse
 * the only child of an accepted order for rules of its own, such as its largest position. Then the order ends as
 * rejected too.
 */
function outcomeOf(order: Body): string {
  const summary = service.post<Summary>('create', order);
  if (summary.order_id === undefined) return `${summary.error_code}: ${summary.message}`;
  service.settle();
  const { orders } = service.get<{ orders: Summary[] }>('order/byId', `orderIds=${summary.order_id}`);
  const [details] = orders;
  const isAdmitted = timelineOf(summary.order_id).some(({ event }) => event === 'ParentAccepted');
  service.post('cancel', { order_id: summary.order_id });
  service.pass(50);
  const isRefused = details?.status === 'REJECTED' && !isAdmitted;
  return isRefused ? `${details?.error_code}: ${details?.message}` : 'accepted';
}

/** A state of account and market, and an order; prices and quantities relative to the market. */
interface Case {
  readonly instrument: number;
  readonly side: 'BUY' | 'SELL';
  readonly strategy: StrategyName;
  /** Limit price ÷ mid. null: none. */
  readonly limit: number | null;
  /** Value ÷ the minimum of the exchange, at the limit price or the mid. */
  readonly size: number;
  readonly style: string;
  readonly isReducing: boolean;
  readonly isPostOnly: boolean;
  /** Start in ms from now. */
  readonly startMs: number | null;
  /** Position in the perpetual before the order, in minimum orders: negative when short. */
  readonly position: number;
  readonly state: 'open' | 'halted' | 'limited' | 'killed';
}

const factor = fc.oneof(
  fc.constantFrom(0.05, 0.15, 0.5, 0.9, 0.96, 1, 1.04, 1.1, 2, 4.9, 5.1, 9),
  fc.double({ min: 0.99, max: 1.01, noNaN: true }),
);
const cases: fc.Arbitrary<Case> = fc.record({
  instrument: fc.constantFrom(0, 1, 1, 2),
  side: fc.constantFrom('BUY', 'SELL'),
  strategy: fc.constantFrom(...STRATEGY_NAMES),
  limit: fc.option(factor),
  size: fc.oneof(fc.double({ min: 0.3, max: 3, noNaN: true }), fc.constantFrom(10, 1000, 1_000_000)),
  style: fc.constantFrom('PASSIVE', 'HYBRID', 'AGGRESSIVE'),
  isReducing: fc.boolean(),
  isPostOnly: fc.boolean(),
  startMs: fc.option(fc.constantFrom(-1_000, 60_000), { freq: 3 }),
  position: fc.constantFrom(0, 0, -5, 5),
  state: fc.constantFrom('open', 'open', 'open', 'halted', 'limited', 'killed'),
});

function bodyOf({ strategy, side, limit, size, style, startMs, ...made }: Case): Body {
  const instrument = CATALOGUE.at(made.instrument as InstrumentIndex);
  const mid = service.midOf(instrument);
  const ticks = (share: number): number => Math.max(1, Math.round(mid * share));
  const isPriced = limit !== null || strategy === 'LIMIT' || strategy === 'SCALE';
  const share = limit ?? 1;
  const price = isPriced ? ticks(share) : mid;
  const lots = Math.max(1, Math.round((size * instrument.notionalMin) / price));
  const isFuture = instrument.assetCategory === 'FUTURE';
  const isTimed = strategy === 'TWAP' || strategy === 'VWAP' || strategy === 'IS';
  const [near, far] = side === 'BUY' ? [share, share * 0.98] : [share, share * 1.02];
  return {
    exchange: instrument.venue,
    symbol: instrument.symbol,
    asset_category: instrument.assetCategory,
    side,
    strategy,
    quantity: formatSteps(lots, instrument.quantityPrecision),
    ...(isPriced && strategy !== 'SCALE' && { limit_price: formatSteps(price, instrument.pricePrecision) }),
    ...(startMs !== null && { start_time: new Date(service.nowMs + startMs).toISOString() }),
    params: {
      ...(isTimed && { duration_seconds: '60' }),
      trading_style: style,
      ...(isFuture && made.isReducing && { reduce_only: true }),
      ...(made.isPostOnly && instrument.venue === 'BINANCE' && strategy !== 'MARKET' && { post_only: true }),
      ...(strategy === 'SCALE' && {
        start_ladder_price: formatSteps(ticks(near), instrument.pricePrecision),
        end_ladder_price: formatSteps(ticks(far), instrument.pricePrecision),
      }),
    },
  };
}

const PERPETUAL = 1 as InstrumentIndex;
const ALICE = { kind: 'account', account: 'alice' as AccountId } as const;
let entered: Case['state'] = 'open';

/** Halts, limits or kills the trading of the account, or lifts all of these. */
function enter(state: Case['state']): void {
  if (state === entered) return;
  entered = state;
  const { main, guardrails } = service.world.process.front;
  main.trading.lift('DISK_FULL');
  if (state === 'halted') main.trading.halt({ reason: 'DISK_FULL', sinceMs: 0, message: 'no room', exempt: [] });
  guardrails.set(ALICE, { allowedExchanges: state === 'limited' ? ['OKX'] : null });
  if (state === 'killed') guardrails.engage(ALICE, { engagedAtMs: service.nowMs, by: 'OPERATOR' }, () => undefined);
  else guardrails.release(ALICE);
  service.pass(2 * RISK_LIMIT_READ_MS);
}

/** Brings the position in the perpetual to a number of orders of ten times the minimum. */
function hold(orders: number): void {
  const instrument = CATALOGUE.at(PERPETUAL);
  const lots = Math.ceil((10 * instrument.notionalMin) / service.midOf(instrument)) * orders;
  const held = service.get<{ contracts: number; side: string }[]>('position', 'exchange=BINANCE');
  const net = held.reduce((sum, { contracts, side }) => sum + (side === 'SHORT' ? -contracts : contracts), 0);
  const missing = lots - Math.round(net * 10 ** instrument.quantityPrecision);
  if (missing === 0) return;
  enter('open');
  service.post('create', {
    exchange: 'BINANCE',
    symbol: instrument.symbol,
    asset_category: 'FUTURE',
    side: missing > 0 ? 'BUY' : 'SELL',
    strategy: 'MARKET',
    quantity: formatSteps(Math.abs(missing), instrument.quantityPrecision),
  });
  service.pass(2_000);
}

describe('the preview of an order', () => {
  it('accepts exactly the orders that create and admission accept, and begins with their reason', () => {
    fc.assert(
      fc.property(cases, (drawn) => {
        hold(drawn.position);
        enter(drawn.state);
        const body = bodyOf(drawn);
        const { accepted, rejections } = previewOf(body);
        const [first] = rejections;
        const expected = accepted ? 'accepted' : `${first?.error_code}: ${first?.message}`;
        expect([outcomeOf(body), body]).toEqual([expected, body]);
      }),
      { numRuns: runs(100, 3_000) },
    );
  });
});
