import { newScratch } from '../../src/strategy/strategy.js';
import type { Strategy } from '../../src/strategy/strategy.js';
import type { StrategyView, VolumeProfile } from '../../src/domain/intent.js';
import type { Market } from '../../src/domain/market.js';
import type { ParentState } from '../../src/domain/order-state.js';
import { type ParentOrder, STRATEGY_NAMES, type StrategyName } from '../../src/domain/order.js';
import type { Lots, Notional, Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { record } from '../../src/order/snapshot.js';
import { workingOf } from '../../src/order/children.js';
import { BINS_PER_DAY } from '../../src/strategy/volume/profile.js';
import { randomOf } from '../../src/strategy/random.js';
import { strategyFor } from '../../src/strategy/registry.js';
import { repeated, type MicroGroup } from './case.js';
import { INSTRUMENT, NOW_MS, parentOrder } from './sample.js';
import { type FlatTerms, withTerms } from '../../test/domain/plain-order.js';

const SCRATCH = newScratch();
const MARKET: Market = {
  bid: 6_400_000 as Ticks,
  ask: 6_400_010 as Ticks,
  bidQuantity: 50_000 as Lots,
  askQuantity: 70_000 as Lots,
  last: 6_400_005 as Ticks,
  volume: 90_000_000 as Lots,
  volatility: 0.0005,
  atMs: NOW_MS,
};
const PROFILE: VolumeProfile = {
  shares: Array.from({ length: BINS_PER_DAY }, () => 1 / BINS_PER_DAY),
  dailyVolume: 9_000_000_000 as Lots,
  recentDailyVolume: 12_000_000_000 as Lots,
};
const LADDER = { start: 6_390_000 as Ticks, end: 6_399_000 as Ticks, skewPpm: 2_000_000 };
const LADDER_OF_200 = { ladder: LADDER, clip: { type: 'ORDER_COUNT', count: 200 } } as const;
const GATES = {
  would: { price: 6_300_000 as Ticks, ppmOfPercent: 50_000_000, style: 'AGGRESSIVE' },
  imbalanceThresholdPpm: 750_000,
  priceLockBps: 10,
} as const;
/** Time of the decision after the start: within a slot, with the order behind its schedule. */
const ELAPSED_MS = 1_234_567;

/**
 * One decision of each strategy in the middle of its order, with something to place. Also one decision with nothing to
 * do, as most decisions.
 */
export function strategyCases(): MicroGroup {
  const each = STRATEGY_NAMES.map((name): [string, Partial<FlatTerms>] => [name, termsOf(name)]);
  const orders: [string, Partial<FlatTerms>][] = [
    ...each,
    ['SCALE of 200 rungs', { strategy: 'SCALE', ...LADDER_OF_200 }],
    ['TWAP with all gates', { ...termsOf('TWAP'), ...GATES }],
  ];
  const decisions = Object.fromEntries(orders.map(([name, terms]) => [`decide ${name}`, decision(terms, 0.1)]));
  decisions['decide TWAP ahead of its schedule'] = decision(termsOf('TWAP'), 0.9);
  const { cases, close } = repeated(decisions);
  return { cases: cases.map((one) => ({ ...one, once: decisions[one.name] as () => unknown })), close };
}

function termsOf(strategy: StrategyName): Partial<FlatTerms> {
  return { strategy, ladder: strategy === 'SCALE' ? LADDER : null };
}

function decision(terms: Partial<FlatTerms>, filledPart: number): () => unknown {
  const endAtMs = (NOW_MS + 3_600_000) as EpochMs;
  const order = withTerms(parentOrder(1_000_000), {
    startAtMs: NOW_MS,
    endAtMs,
    quantity: 2_500_000 as Lots,
    ...terms,
  });
  const strategy = strategyFor(order);
  if (strategy === null) throw new Error(`${order.legs[0].strategy} is not offered`);
  const view = halfWay(order, strategy, filledPart);
  return () => strategy.work(view, SCRATCH);
}

/** Returns the view of an order after some time, with a part of it filled. */
function halfWay(order: ParentOrder, strategy: Strategy, filledPart: number): StrategyView {
  const created = record(null, { kind: 'ParentCreated', order }, NOW_MS).state;
  const accepted = record(created, { kind: 'ParentAccepted' }, NOW_MS).state;
  const before = viewOf(accepted, NOW_MS);
  const arrivalTwiceMid = MARKET.bid + MARKET.ask;
  const event = { kind: 'ParentStarted', legs: [{ arrivalTwiceMid, memory: strategy.begin(before) }] } as const;
  const started = record(accepted, event, NOW_MS).state;
  const filled = Math.floor(order.legs[0].quantity * filledPart) as Lots;
  const progress = { filled, notional: (BigInt(filled) * BigInt(MARKET.ask)) as Notional };
  const legs: ParentState['legs'] = [{ ...started.legs[0], progress }];
  return viewOf({ ...started, status: 'PARTIALLY_FILLED', legs }, (NOW_MS + ELAPSED_MS) as EpochMs);
}

function viewOf(state: ParentState, nowMs: EpochMs): StrategyView {
  return {
    state,
    instrument: INSTRUMENT,
    working: workingOf(state),
    market: MARKET,
    nowMs,
    profile: PROFILE,
    random: randomOf(state.order.orderId),
  };
}
