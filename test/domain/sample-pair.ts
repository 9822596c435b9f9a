import type { Venue } from '../../src/domain/exchange.js';
import type { ParentOrder } from '../../src/domain/order.js';
import type { OrderLeg, Pair } from '../../src/domain/pair.js';
import { formatLots } from '../../src/domain/quantity.js';
import type { DurationMs } from '../../src/domain/time.js';

/** A leg with the terms of a single-leg order and its target in base units. */
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

/** The order as the leading leg of a pair. The other leg hedges at another exchange. */
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
