import type { Venue } from '../../src/model/exchange.js';
import type { ParentOrder } from '../../src/model/order.js';
import type { OrderLeg, Pair } from '../../src/model/pair.js';
import { formatLots } from '../../src/model/quantity.js';
import type { DurationMs } from '../../src/model/time.js';

/** The leg that an order of its own would be, with its target in the base. */
export function legOf(order: ParentOrder, changes: Partial<OrderLeg> = {}): OrderLeg {
  const { venue, instrument, symbol, assetCategory, side, quantityPrecision, pricePrecision, quantity } = order;
  const { strategy, limitPrice, clip, durationMs, style, urgency, randomizeQuantity, would, trigger, placement } =
    order;
  return {
    venue,
    instrument,
    symbol,
    assetCategory,
    side,
    quantityPrecision,
    pricePrecision,
    quantity,
    strategy,
    limitPrice,
    clip,
    durationMs,
    style,
    urgency,
    randomizeQuantity,
    would,
    trigger,
    placement,
    targetValue: formatLots(quantity, order),
    ccy: symbol.slice(0, symbol.indexOf('/')).toUpperCase(),
    isBaseTarget: true,
    requestEcho: order.requestEcho,
    ...changes,
  };
}

/** The order as the leading leg of a pair that is hedged at another venue. */
export function pairOf(order: ParentOrder, hedgeAt: Venue, changes: Partial<OrderLeg> = {}): ParentOrder {
  const hedge = legOf(order, { venue: hedgeAt, side: order.side === 'BUY' ? 'SELL' : 'BUY', ...changes });
  const pair: Pair = {
    legs: [hedge, legOf(order)],
    leadingIndex: 1,
    isLed: true,
    maxUnhedgedValue: null,
    maxUnhedgedMs: 30_000 as DurationMs,
    hedgeSlippageBps: 50,
  };
  return { ...order, requestEcho: '', pair };
}
