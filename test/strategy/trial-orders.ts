import type { OrderId } from '../../src/domain/ids.js';
import type { Instrument } from '../../src/domain/instrument.js';
import {
  type Clip,
  type Ladder,
  type ParentOrder,
  type BookPlacement,
  type Side,
  type StrategyName,
  TRADING_STYLES,
  TRIGGER_CONDITIONS,
  URGENCIES,
} from '../../src/domain/order.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import type { DurationMs, EpochMs } from '../../src/domain/time.js';
import { BTC, orderOf, PERPETUAL, START_MS } from '../order/orders.js';
import type { Chance } from '../simulation/chance.js';
import type { FlatTerms } from '../domain/plain-order.js';

/** Mid at which each trial market begins, in ticks. */
export const MID = 6_400_000;

/** Instruments: any order, small children only, no prices far from the market, or a perpetual. */
export const INSTRUMENTS: readonly Instrument[] = [
  BTC,
  { ...BTC, quantityMax: 150 as Lots },
  {
    ...BTC,
    filters: {
      ...BTC.filters,
      buyBand: { minPpm: 999_950, maxPpm: 1_100_000 },
      sellBand: { minPpm: 900_000, maxPpm: 1_000_050 },
    },
  },
  PERPETUAL,
];

/** Strategies that need an end time. */
const TIMED: ReadonlySet<StrategyName> = new Set(['TWAP', 'VWAP']);

/** Draws an order that a parser accepts, near the market. */
export function trialOrder(chance: Chance, strategy: StrategyName, instrument: Instrument): ParentOrder {
  const durationMs = TIMED.has(strategy) || chance.hits(0.6) ? ((1_000 * chance.skewed(1, 900)) as DurationMs) : null;
  const isFuture = instrument.assetCategory === 'FUTURE';
  const side = chance.hits(0.5) ? 'BUY' : 'SELL';
  const limitPrice = limitOf(chance, strategy);
  const hasLadder = strategy === 'SCALE' || (strategy === 'ICEBERG' && chance.hits(0.3));
  return orderOf({
    strategy,
    orderId: chance.between(1, 1e9) as OrderId,
    assetCategory: instrument.assetCategory,
    symbol: instrument.symbol,
    side,
    quantity: chance.skewed(10, 20_000) as Lots,
    limitPrice,
    durationMs,
    endAtMs: durationMs === null ? null : ((START_MS + durationMs) as EpochMs),
    clip: clipOf(chance),
    style: chance.pick(TRADING_STYLES),
    urgency: chance.pick(URGENCIES),
    randomizeQuantity: chance.hits(0.4),
    postOnly: strategy !== 'MARKET' && chance.hits(0.2),
    reduceOnly: isFuture && chance.hits(0.5),
    ladder: hasLadder ? ladderOf(chance, side, limitPrice) : null,
    placement: chance.hits(0.2) ? placementOf(chance) : null,
    ...gatesOf(chance),
  });
}

function limitOf(chance: Chance, strategy: StrategyName): Ticks | null {
  return strategy !== 'LIMIT' && chance.hits(0.5) ? null : near(chance, 500);
}

export function near(chance: Chance, ticks: number): Ticks {
  return (MID + chance.between(-ticks, ticks)) as Ticks;
}

function clipOf(chance: Chance): Clip {
  return chance.pick<Clip>([
    { type: 'AUTOMATIC' },
    { type: 'AUTOMATIC' },
    { type: 'ABSOLUTE', quantity: chance.between(10, 500) as Lots },
    { type: 'PERCENTAGE', ppmOfPercent: chance.between(1, 50) * 1_000_000 },
    { type: 'ORDER_COUNT', count: chance.between(1, 40) },
  ]);
}

/** Within the limit price, if there is one. */
function ladderOf(chance: Chance, side: Side, limit: Ticks | null): Ladder {
  const inside = (price: Ticks): Ticks =>
    limit === null ? price : ((side === 'BUY' ? Math.min(price, limit) : Math.max(price, limit)) as Ticks);
  const start = inside(near(chance, 500));
  const end = inside(near(chance, 500));
  const apart = (side === 'BUY' ? end - 1 : end + 1) as Ticks;
  return { start, end: end === start ? apart : end, skewPpm: chance.skewed(10_000, 100_000_000) };
}

export function placementOf(chance: Chance): BookPlacement {
  const level = chance.between(1, 4);
  if (chance.hits(0.4)) return { mode: 'TIGHT' };
  return { mode: 'CUSTOM', level, cancelLevel: level + chance.between(1, 4) };
}

export function gatesOf(chance: Chance): Partial<FlatTerms> {
  const isGated = chance.hits(0.4);
  return {
    would:
      isGated && chance.hits(0.5)
        ? {
            price: chance.hits(0.3) ? null : near(chance, 300),
            ppmOfPercent: chance.between(1, 100) * 1_000_000,
            style: chance.pick(TRADING_STYLES),
          }
        : null,
    trigger: chance.hits(0.1) ? { price: near(chance, 100), condition: chance.pick(TRIGGER_CONDITIONS) } : null,
    imbalanceThresholdPpm: isGated && chance.hits(0.5) ? chance.pick([500_000, 600_000, 750_000, 900_000]) : null,
    priceLockBps: isGated && chance.hits(0.4) ? chance.pick([1, 2, 5]) : null,
  };
}
