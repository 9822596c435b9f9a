import { describe, expect, it } from 'vitest';
import { INITIAL_PACING } from '../../src/domain/strategy-memory.js';
import type { StrategyDecision, StrategyView } from '../../src/domain/intent.js';
import { type Leg, STRATEGY_NAMES, type StrategyName, TRADING_STYLES } from '../../src/domain/order.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import { strategyFor } from '../../src/strategy/registry.js';
import type { FlatTerms } from '../domain/plain-order.js';
import { OrderRig } from '../order/order-rig.js';
import { BTC, marketOf, orderOf, START_MS } from '../order/orders.js';

const { bid: BID, ask: ASK } = marketOf();
/** A child is worth at least ten lots at the mid price. */
const WORTH = { ...BTC, quantityMin: 1 as Lots, notionalMin: 5 * (BID + ASK) };
const LADDER = { start: BID, end: (BID - 400) as Ticks, skewPpm: 1_000_000 };
const UNTIMED: ReadonlySet<StrategyName | undefined> = new Set(['POV', 'ICEBERG', 'SCALE', 'MARKET', 'LIMIT']);

/** The decision of an order with this rest and without a live child, near its end. */
function decided(terms: Partial<FlatTerms>, rest: number, market = marketOf({ volume: 10_000_000 })): StrategyDecision {
  const order = orderOf({
    ...(UNTIMED.has(terms.strategy) && { endAtMs: null, durationMs: null }),
    ...(terms.strategy === 'SCALE' && { ladder: LADDER }),
    ...(terms.strategy === 'LIMIT' && { limitPrice: BID }),
    ...terms,
  });
  const strategy = strategyFor(order);
  if (strategy === null) throw new Error(`${order.legs[0].strategy} is not offered`);
  const rig = new OrderRig(order, strategy, WORTH);
  rig.look();
  const view = rig.lastView;
  const [leg] = view.state.legs;
  const filled = (order.legs[0].quantity - rest) as Lots;
  const legs = [{ ...leg, children: [], progress: { filled, notional: BigInt(filled) as never } }] as const;
  const nowMs = (START_MS + 59_500) as StrategyView['nowMs'];
  const memory = leg.memory === null ? null : { ...leg.memory, pacing: INITIAL_PACING.pacing };
  const state = { ...view.state, status: 'PARTIALLY_FILLED', legs: [{ ...legs[0], memory }] };
  return strategy.work({ ...view, state, nowMs, market, working: 0 } as unknown as StrategyView);
}

const EACH = STRATEGY_NAMES.flatMap((strategy) => TRADING_STYLES.map((style) => [strategy, style] as const));

describe('the rest of an order', () => {
  it.each(EACH)('under the minimum ends it: %s, %s', (strategy, style) => {
    const { end, intents } = decided({ strategy, style }, 9);
    expect(intents).toEqual([]);
    // The bid, at which a ladder ends and a limit rests, needs one lot more than the mid.
    const least = strategy === 'LIMIT' || strategy === 'SCALE' ? '0.00011' : '0.0001';
    const message = `the rest of 0.00009 BTC is below the exchange's minimum of ${least}`;
    expect(end).toEqual({ code: 'INVALID_QUANTITY', message });
  });

  it.each(EACH)('that reaches the minimum does not end it: %s, %s', (strategy, style) => {
    expect(decided({ strategy, style }, 12).end).toBeNull();
  });

  it.each(['TWAP', 'POV', 'ICEBERG', 'IS', 'MARKET'] as const)(
    'is kept or placed when the limit price of a buy reaches the minimum: %s',
    (strategy) => {
      const limitPrice = (2 * BID) as Ticks;
      const { end, intents, wake } = decided({ strategy, style: 'PASSIVE', side: 'BUY', limitPrice }, 6);
      expect(end).toBeNull();
      // In the deadline window every style takes. A PASSIVE order without an end waits for its market.
      if (strategy === 'POV') return expect(wake.when).toContainEqual({ field: 'volume', at: 'or above', bound: 0 });
      expect(intents).toMatchObject([{ quantity: 6 }]);
      expect(6 * (intents[0] as { limitPrice: number }).limitPrice).toBeGreaterThanOrEqual(WORTH.notionalMin);
    },
  );

  it.each(['TWAP', 'IS', 'POV'] as const)(
    'is taken within the limit price at a price that reaches the minimum: %s, AGGRESSIVE',
    (strategy) => {
      const terms: Partial<Leg> = { strategy, style: 'AGGRESSIVE', side: 'BUY', limitPrice: (2 * BID) as Ticks };
      const needed = Math.ceil(WORTH.notionalMin / 6);
      const { intents } = decided(terms, 6);
      expect(intents).toMatchObject([{ quantity: 6, timeInForce: 'IOC' }]);
      const { limitPrice } = intents[0] as { limitPrice: number };
      expect(limitPrice >= needed && limitPrice <= 2 * BID).toBe(true);
    },
  );

  it('of a sell is taken in the deadline window at a price that reaches the minimum', () => {
    const bid = Math.ceil(WORTH.notionalMin / 10);
    const { intents } = decided({ strategy: 'TWAP', side: 'SELL' }, 10, marketOf({ bid, ask: bid + 10 }));
    expect(intents).toMatchObject([{ quantity: 10, limitPrice: bid }]);
  });

  it('of a sell is kept while the market is above its limit price', () => {
    const terms: Partial<Leg> = { strategy: 'TWAP', style: 'AGGRESSIVE', side: 'SELL', limitPrice: (BID / 2) as Ticks };
    expect(decided(terms, 12)).toMatchObject({ end: null });
    expect(decided(terms, 9).end).toMatchObject({ code: 'INVALID_QUANTITY' });
  });

  it('of a sell at the market is taken at a price that reaches the minimum', () => {
    const least = { strategy: 'MARKET', side: 'SELL' } as const;
    const bid = ASK + 1_000;
    expect(decided(least, 10, marketOf({ bid, ask: bid + 10 })).intents).toMatchObject([
      { quantity: 10, limitPrice: WORTH.notionalMin / 10 },
    ]);
  });
});
