import type { Amount, Lots, Ticks } from '../../src/domain/quantity.js';
import type { Instrument } from '../../src/domain/instrument.js';
import type { Clip, ParentOrder, StrategyName, Side } from '../../src/domain/order.js';
import type { Pair } from '../../src/domain/pair.js';
import { leadingLeg, withQuantity } from '../../src/domain/order-legs.js';
import type { DurationMs, EpochMs } from '../../src/domain/time.js';
import { legOf } from '../domain/sample-pair.js';
import { BTC, OKX_BTC, orderOf, START_MS } from '../shard/sample-orders.js';
import type { Chance } from '../simulation/chance.js';
import { leastOf } from './pair-watch.js';
import { withTerms } from '../domain/plain-order.js';

/** Price in ticks of 0.01. */
export const MID = 6_400_000;
const STRATEGIES: readonly StrategyName[] = ['TWAP', 'VWAP', 'ICEBERG', 'POV', 'MARKET', 'LIMIT', 'IS'];

/** Instruments of the legs, with different lot sizes and minimums. */
export function trialInstruments(chance: Chance): readonly [Instrument, Instrument] {
  return [sized(BTC, chance), sized(OKX_BTC, chance)];
}

function sized(instrument: Instrument, chance: Chance): Instrument {
  const quantityPrecision = chance.between(3, 6);
  // Minimum notional: 5 USDT, or almost 0.
  const notionalMin = chance.hits(0.5) ? 5 * 10 ** (quantityPrecision + 2) : 1;
  return { ...instrument, quantityPrecision, notionalMin, quantityMin: chance.skewed(1, 20) as Lots };
}

/** Draws a pair with any two strategies, sizes and limits, in the account `alice`. */
export function trialPair(chance: Chance, [lead, other]: readonly [Instrument, Instrument]): ParentOrder {
  const units = chance.skewed(1, 300) / 100;
  const side = chance.pick(['BUY', 'SELL'] as const);
  const durationMs = (chance.skewed(5, 120) * 1000) as DurationMs;
  const leadOrder = { ...legTerms(chance, lead, units), side };
  const otherOrder = { ...legTerms(chance, other, units), side: side === 'BUY' ? 'SELL' : 'BUY', durationMs } as const;
  const strategy = chance.pick(STRATEGIES);
  const limitPrice = strategy === 'LIMIT' || chance.hits(0.2) ? limitOf(chance, side) : null;
  const isTimed = hasEnd(strategy) || chance.hits(0.7);
  const order = orderOf(1, {
    ...leadOrder,
    strategy,
    limitPrice,
    durationMs: isTimed ? durationMs : null,
    endAtMs: isTimed ? ((START_MS + durationMs) as EpochMs) : null,
    style: chance.pick(['PASSIVE', 'AGGRESSIVE', 'HYBRID'] as const),
  });
  const otherLimit = chance.hits(0.1) ? limitOf(chance, otherOrder.side) : null;
  const hedging = legOf(order, {
    ...otherOrder,
    strategy: chance.pick(['TWAP', 'MARKET'] as const),
    limitPrice: otherLimit,
  });
  const pair: Pair = {
    leadingIndex: 0,
    isLed: chance.hits(0.5),
    ...unhedgedTerms(chance),
    requestEcho: '',
  };
  return { ...order, legs: [legOf(order), hedging], pair };
}

/** Returns the pair with one changed term. The shard may refuse it. */
export function otherTerms(chance: Chance, order: ParentOrder, nowMs: number): ParentOrder {
  const pair = order.pair!;
  switch (chance.between(1, 5)) {
    case 1:
      return withQuantity(
        order,
        Math.max(1, Math.round((leadingLeg(order).quantity * chance.between(30, 200)) / 100)) as Lots,
      );
    case 2:
      return withTerms(order, { limitPrice: limitOf(chance, leadingLeg(order).side) });
    case 3:
      return withTerms(order, { style: chance.pick(['PASSIVE', 'AGGRESSIVE', 'HYBRID'] as const) });
    case 4:
      return withTerms(order, { endAtMs: (nowMs + chance.skewed(1_000, 60_000)) as EpochMs, durationMs: null });
    default:
      return { ...order, pair: { ...pair, ...unhedgedTerms(chance) } };
  }
}

/** True when each leg would be a valid order of its own. */
export function isTradable(order: ParentOrder, instruments: readonly [Instrument, Instrument]): boolean {
  return order.legs.every(({ quantity }, index) => quantity >= leastOf(instruments[index]!));
}

function unhedgedTerms(chance: Chance): Pick<Pair, 'maxUnhedgedValue' | 'maxUnhedgedMs' | 'hedgeSlippageBps'> {
  return {
    maxUnhedgedValue: chance.hits(0.5) ? null : ((BigInt(chance.skewed(10, 50_000)) * 10n ** 18n) as Amount),
    maxUnhedgedMs: (chance.skewed(1, 30) * 1000) as DurationMs,
    hedgeSlippageBps: chance.skewed(1, 200),
  };
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

function limitOf(chance: Chance, side: Side): Ticks {
  const away = chance.between(-2_000, 20_000);
  return (side === 'BUY' ? MID + away : MID - away) as Ticks;
}
