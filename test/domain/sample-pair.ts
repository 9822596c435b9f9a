import type { Venue } from '../../src/domain/exchange.js';
import type { Leg, ParentOrder } from '../../src/domain/order.js';
import type { Pair } from '../../src/domain/pair.js';
import { leadingLeg } from '../../src/domain/order-legs.js';
import { formatLots } from '../../src/domain/quantity.js';
import type { DurationMs } from '../../src/domain/time.js';

/** The leg of a single-leg order as a leg of a pair, with its target in base units. */
export function legOf(order: ParentOrder, changes: Partial<Leg> = {}): Leg {
  const leg = leadingLeg(order);
  const ccy = leg.symbol.slice(0, leg.symbol.indexOf('/')).toUpperCase();
  return { ...leg, target: { value: formatLots(leg.quantity, leg), ccy, isBase: true }, ...changes };
}

/** The order as the leading leg of a pair. The other leg hedges at another exchange. */
export function pairOf(order: ParentOrder, hedgeAt: Venue, changes: Partial<Leg> = {}): ParentOrder {
  const leading = legOf(order);
  const hedge = legOf(order, { venue: hedgeAt, side: leading.side === 'BUY' ? 'SELL' : 'BUY', ...changes });
  const pair: Pair = {
    leadingIndex: 1,
    isLed: true,
    maxUnhedgedValue: null,
    maxUnhedgedMs: 30_000 as DurationMs,
    hedgeSlippageBps: 50,
    requestEcho: '',
  };
  return { ...order, legs: [hedge, leading], pair };
}
