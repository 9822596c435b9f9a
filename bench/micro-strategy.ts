import type { Strategy, StrategyView, VolumeProfile } from '../src/model/intent.js';
import type { Market } from '../src/model/market.js';
import type { ParentOrder, ParentState, StrategyName } from '../src/model/order.js';
import { STRATEGY_NAMES } from '../src/model/order.js';
import type { Lots, Ticks } from '../src/model/quantity.js';
import type { EpochMs } from '../src/model/time.js';
import { record } from '../src/order/standing.js';
import { workingOf } from '../src/order/working.js';
import { BINS_PER_DAY } from '../src/strategy/volume-shape.js';
import { randomOf } from '../src/strategy/random.js';
import { strategyFor } from '../src/strategy/registry.js';
import { repeated, type MicroGroup } from './micro-case.js';
import { INSTRUMENT, NOW_MS, parentOrder } from './micro-sample.js';

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
/** Time since the start at which the strategies are asked: within a slot, and so many lots behind it. */
const ELAPSED_MS = 1_234_567;

/** One decision of each strategy with something to place, half way, and of one that has nothing to do, as most have. */
export function strategyCases(): MicroGroup {
  const each = STRATEGY_NAMES.map((name): [string, Partial<ParentOrder>] => [name, termsOf(name)]);
  const orders: [string, Partial<ParentOrder>][] = [
    ...each,
    ['SCALE of 200 rungs', { strategy: 'SCALE', ...LADDER_OF_200 }],
    ['TWAP with all gates', { ...termsOf('TWAP'), ...GATES }],
  ];
  const decisions = Object.fromEntries(orders.map(([name, terms]) => [`decide ${name}`, decision(terms, 0.1)]));
  decisions['decide TWAP ahead of its schedule'] = decision(termsOf('TWAP'), 0.9);
  const { cases, close } = repeated(decisions);
  return { cases: cases.map((one) => ({ ...one, once: decisions[one.name] as () => unknown })), close };
}

function termsOf(strategy: StrategyName): Partial<ParentOrder> {
  return { strategy, ladder: strategy === 'SCALE' ? LADDER : null };
}

function decision(terms: Partial<ParentOrder>, filledPart: number): () => unknown {
  const endAtMs = (NOW_MS + 3_600_000) as EpochMs;
  const order: ParentOrder = {
    ...parentOrder(1_000_000),
    startAtMs: NOW_MS,
    endAtMs,
    quantity: 2_500_000 as Lots,
    ...terms,
  };
  const strategy = strategyFor(order);
  if (strategy === null) throw new Error(`${order.strategy} is not offered`);
  const view = halfWay(order, strategy, filledPart);
  return () => strategy.work(view);
}

/** The order with so much of it filled, some time after its start. */
function halfWay(order: ParentOrder, strategy: Strategy, filledPart: number): StrategyView {
  const created = record(null, { kind: 'ParentCreated', order }, NOW_MS).state;
  const accepted = record(created, { kind: 'ParentAccepted' }, NOW_MS).state;
  const before = viewOf(accepted, NOW_MS);
  const arrivalTwiceMid = MARKET.bid + MARKET.ask;
  const event = { kind: 'ParentStarted', arrivalTwiceMid, memory: strategy.begin(before) } as const;
  const started = record(accepted, event, NOW_MS).state;
  const filled = Math.floor(order.quantity * filledPart) as Lots;
  const progress = { filled, notional: (BigInt(filled) * BigInt(MARKET.ask)) as ParentState['progress']['notional'] };
  return viewOf({ ...started, status: 'PARTIALLY_FILLED', progress }, (NOW_MS + ELAPSED_MS) as EpochMs);
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
