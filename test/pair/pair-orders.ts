import type { Amount } from '../../src/model/amount.js';
import type { Instrument } from '../../src/model/instrument.js';
import type { Clip, ParentOrder, StrategyName } from '../../src/model/order.js';
import type { Pair } from '../../src/model/pair.js';
import type { Lots, Ticks } from '../../src/model/quantity.js';
import type { DurationMs, EpochMs } from '../../src/model/time.js';
import { legOf } from '../model/sample-pair.js';
import { BTC, OKX_BTC, orderOf, START_MS } from '../shard/sample-orders.js';
import type { Chance } from '../sim/chance.js';

/** In cents, which are the ticks. */
export const MID = 6_400_000;
const STRATEGIES: readonly StrategyName[] = ['TWAP', 'VWAP', 'ICEBERG', 'POV', 'MARKET', 'LIMIT', 'IS'];

/** The instruments of the legs: lots of different sizes, least quantities of different kinds. */
export function trialInstruments(chance: Chance): readonly [Instrument, Instrument] {
  return [sized(BTC, chance), sized(OKX_BTC, chance)];
}

function sized(instrument: Instrument, chance: Chance): Instrument {
  const quantityPrecision = chance.between(3, 6);
  // Money: 5 USDT, or as good as nothing.
  const notionalMin = chance.hits(0.5) ? 5 * 10 ** (quantityPrecision + 2) : 1;
  return { ...instrument, quantityPrecision, notionalMin, quantityMin: chance.skewed(1, 20) as Lots };
}

/** A pair of any two strategies, sizes and caps, in the account of `alice`. */
export function trialPair(chance: Chance, [lead, other]: readonly [Instrument, Instrument]): ParentOrder {
  const units = chance.skewed(1, 300) / 100;
  const side = chance.pick(['BUY', 'SELL'] as const);
  const durationMs = (chance.skewed(5, 120) * 1000) as DurationMs;
  const leadOrder = { ...legTerms(chance, lead, units), side, durationMs };
  const otherOrder = { ...legTerms(chance, other, units), side: side === 'BUY' ? 'SELL' : 'BUY', durationMs } as const;
  const strategy = chance.pick(STRATEGIES);
  const order = orderOf(1, {
    ...leadOrder,
    strategy,
    limitPrice: strategy === 'LIMIT' || chance.hits(0.2) ? limitOf(chance, side) : null,
    endAtMs: hasEnd(strategy) || chance.hits(0.7) ? ((START_MS + durationMs) as EpochMs) : null,
    style: chance.pick(['PASSIVE', 'AGGRESSIVE', 'HYBRID'] as const),
  });
  const limitPrice = chance.hits(0.1) ? limitOf(chance, otherOrder.side) : null;
  const follower = legOf(order, { ...otherOrder, strategy: chance.pick(['TWAP', 'MARKET'] as const), limitPrice });
  const pair: Pair = {
    legs: [legOf(order), follower],
    leadingIndex: 0,
    isLed: chance.hits(0.85),
    maxUnhedgedValue: chance.hits(0.5) ? null : ((BigInt(chance.skewed(10, 50_000)) * 10n ** 18n) as Amount),
    maxUnhedgedMs: (chance.skewed(1, 30) * 1000) as DurationMs,
    hedgeSlippageBps: chance.skewed(1, 200),
  };
  return { ...order, pair };
}

function hasEnd(strategy: StrategyName): boolean {
  return strategy === 'TWAP' || strategy === 'VWAP';
}

function legTerms(
  chance: Chance,
  { quantityPrecision, pricePrecision, index, venue, quantityMin }: Instrument,
  units: number,
) {
  const least = Math.max(quantityMin, Math.ceil(0.0002 * 10 ** quantityPrecision));
  const quantity = Math.max(least, Math.round(units * 10 ** quantityPrecision)) as Lots;
  const clip: Clip = chance.pick([
    { type: 'AUTOMATIC' } as const,
    { type: 'ORDER_COUNT', count: chance.between(1, 20) } as const,
    { type: 'PERCENTAGE', ppmOfPercent: chance.between(5, 50) * 1_000_000 } as const,
  ]);
  return { quantityPrecision, pricePrecision, instrument: index, venue, quantity, clip };
}

function limitOf(chance: Chance, side: ParentOrder['side']): Ticks {
  const away = chance.between(-2_000, 20_000);
  return (side === 'BUY' ? MID + away : MID - away) as Ticks;
}
