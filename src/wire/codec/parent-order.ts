import type { AccountId, ClientOrderId } from '../../domain/ids.js';
import type { InstrumentIndex } from '../../domain/instrument.js';
import type { ParentOrder } from '../../domain/order.js';
import type { OrderLeg, Pair } from '../../domain/pair.js';
import type { sluice } from '../generated/messages.js';
import { ASSET_CATEGORY, SIDE, STRATEGY, STYLE, URGENCY, VENUE } from './enums.js';
import {
  bigInteger,
  CodecError,
  integer,
  integerOrNull,
  integerText,
  orNull,
  required,
  time,
  timeOrNull,
} from './message.js';
import {
  fromWireClip,
  fromWireLadder,
  fromWirePlacement,
  fromWireTrigger,
  fromWireWould,
  toWireClip,
  toWireLadder,
  toWirePlacement,
  toWireTrigger,
  toWireWould,
} from './order-params.js';

export type ParentOrderMessage = ReturnType<typeof sluice.v1.ParentOrder.decode>;

/** The one mapping of ParentOrder: a command creates it, an event records it, the stored state keeps it. */
export function toWireParentOrder(order: ParentOrder): sluice.v1.ParentOrder.$Properties {
  return {
    orderId: order.orderId,
    account: order.account,
    clientOrderId: order.clientOrderId,
    venue: VENUE.number(order.venue),
    subaccount: order.subaccount,
    instrument: order.instrument,
    symbol: order.symbol,
    assetCategory: ASSET_CATEGORY.number(order.assetCategory),
    side: SIDE.number(order.side),
    quantity: order.quantity,
    strategy: STRATEGY.number(order.strategy),
    limitPrice: order.limitPrice,
    createdAtMs: order.createdAtMs,
    startAtMs: order.startAtMs,
    endAtMs: order.endAtMs,
    durationMs: order.durationMs,
    clip: toWireClip(order.clip),
    style: STYLE.number(order.style),
    urgency: URGENCY.number(order.urgency),
    randomizeQuantity: order.randomizeQuantity,
    postOnly: order.postOnly,
    reduceOnly: order.reduceOnly,
    would: orNull(order.would, toWireWould),
    trigger: orNull(order.trigger, toWireTrigger),
    placement: orNull(order.placement, toWirePlacement),
    ladder: orNull(order.ladder, toWireLadder),
    imbalanceThresholdPpm: order.imbalanceThresholdPpm,
    priceLockBps: order.priceLockBps,
    pair: orNull(order.pair, toWirePair),
    requestEcho: order.requestEcho,
    requestDigest: order.requestDigest,
    revision: order.revision,
    quantityPrecision: order.quantityPrecision,
    pricePrecision: order.pricePrecision,
  };
}

export function fromWireParentOrder(message: ParentOrderMessage): ParentOrder {
  return {
    orderId: integer(message.orderId, 'ParentOrder.order_id'),
    account: message.account as AccountId,
    clientOrderId: message.clientOrderId as ClientOrderId | null,
    venue: VENUE.name(message.venue, 'ParentOrder.venue'),
    subaccount: message.subaccount,
    instrument: message.instrument as InstrumentIndex,
    symbol: message.symbol,
    assetCategory: ASSET_CATEGORY.name(message.assetCategory, 'ParentOrder.asset_category'),
    side: SIDE.name(message.side, 'ParentOrder.side'),
    quantity: integer(message.quantity, 'ParentOrder.quantity'),
    strategy: STRATEGY.name(message.strategy, 'ParentOrder.strategy'),
    limitPrice: integerOrNull(message.limitPrice, 'ParentOrder.limit_price'),
    createdAtMs: time(message.createdAtMs, 'ParentOrder.created_at_ms'),
    startAtMs: time(message.startAtMs, 'ParentOrder.start_at_ms'),
    endAtMs: timeOrNull(message.endAtMs, 'ParentOrder.end_at_ms'),
    durationMs: timeOrNull(message.durationMs, 'ParentOrder.duration_ms'),
    clip: fromWireClip(required(message.clip, 'ParentOrder.clip')),
    style: STYLE.nameOr('HYBRID', message.style, 'ParentOrder.style'),
    urgency: URGENCY.nameOr('MEDIUM', message.urgency, 'ParentOrder.urgency'),
    randomizeQuantity: message.randomizeQuantity,
    postOnly: message.postOnly,
    reduceOnly: message.reduceOnly,
    would: orNull(message.would, fromWireWould),
    trigger: orNull(message.trigger, fromWireTrigger),
    placement: orNull(message.placement, fromWirePlacement),
    ladder: orNull(message.ladder, fromWireLadder),
    imbalanceThresholdPpm: integerOrNull(message.imbalanceThresholdPpm, 'ParentOrder.imbalance_threshold_ppm'),
    priceLockBps: integerOrNull(message.priceLockBps, 'ParentOrder.price_lock_bps'),
    pair: orNull(message.pair, fromWirePair),
    requestEcho: message.requestEcho,
    requestDigest: message.requestDigest,
    revision: message.revision,
    quantityPrecision: message.quantityPrecision,
    pricePrecision: message.pricePrecision,
  };
}

export function toWirePair(pair: Pair): sluice.v1.Pair.$Properties {
  return {
    legs: pair.legs.map(toWireLeg),
    leadingIndex: pair.leadingIndex,
    unled: !pair.isLed,
    maxUnhedgedValue: orNull(pair.maxUnhedgedValue, integerText),
    maxUnhedgedMs: pair.maxUnhedgedMs,
    hedgeSlippageBps: pair.hedgeSlippageBps,
  };
}

function fromWirePair(message: sluice.v1.Pair): Pair {
  const [first, second, ...more] = message.legs.map(fromWireLeg);
  if (first === undefined || second === undefined || more.length > 0) {
    throw new CodecError(`Pair.legs: ${message.legs.length}, not 2`);
  }
  return {
    legs: [first, second],
    leadingIndex: leadingIndexOf(message.leadingIndex),
    isLed: !message.unled,
    maxUnhedgedValue: orNull(message.maxUnhedgedValue, (text) => bigInteger(text, 'Pair.max_unhedged_value')),
    maxUnhedgedMs: time(message.maxUnhedgedMs, 'Pair.max_unhedged_ms'),
    hedgeSlippageBps: integer(message.hedgeSlippageBps, 'Pair.hedge_slippage_bps'),
  };
}

function leadingIndexOf(index: number): Pair['leadingIndex'] {
  if (index === 0 || index === 1) return index;
  throw new CodecError(`Pair.leading_index: ${index} is neither 0 nor 1`);
}

function toWireLeg(leg: OrderLeg): sluice.v1.OrderLeg.$Properties {
  return {
    venue: VENUE.number(leg.venue),
    instrument: leg.instrument,
    symbol: leg.symbol,
    assetCategory: ASSET_CATEGORY.number(leg.assetCategory),
    side: SIDE.number(leg.side),
    quantityPrecision: leg.quantityPrecision,
    pricePrecision: leg.pricePrecision,
    targetValue: leg.targetValue,
    ccy: leg.ccy,
    baseTarget: leg.isBaseTarget,
    quantity: leg.quantity,
    limitPrice: leg.limitPrice,
    strategy: STRATEGY.number(leg.strategy),
    clip: toWireClip(leg.clip),
    durationMs: leg.durationMs,
    style: STYLE.number(leg.style),
    urgency: URGENCY.number(leg.urgency),
    randomizeQuantity: leg.randomizeQuantity,
    would: orNull(leg.would, toWireWould),
    trigger: orNull(leg.trigger, toWireTrigger),
    placement: orNull(leg.placement, toWirePlacement),
    requestEcho: leg.requestEcho,
  };
}

function fromWireLeg(message: sluice.v1.OrderLeg): OrderLeg {
  return {
    venue: VENUE.name(message.venue, 'OrderLeg.venue'),
    instrument: message.instrument as InstrumentIndex,
    symbol: message.symbol,
    assetCategory: ASSET_CATEGORY.name(message.assetCategory, 'OrderLeg.asset_category'),
    side: SIDE.name(message.side, 'OrderLeg.side'),
    quantityPrecision: message.quantityPrecision,
    pricePrecision: message.pricePrecision,
    targetValue: message.targetValue,
    ccy: message.ccy,
    isBaseTarget: message.baseTarget,
    quantity: integer(message.quantity, 'OrderLeg.quantity'),
    limitPrice: integerOrNull(message.limitPrice, 'OrderLeg.limit_price'),
    strategy: STRATEGY.name(message.strategy, 'OrderLeg.strategy'),
    clip: fromWireClip(required(message.clip, 'OrderLeg.clip')),
    durationMs: timeOrNull(message.durationMs, 'OrderLeg.duration_ms'),
    style: STYLE.nameOr('HYBRID', message.style, 'OrderLeg.style'),
    urgency: URGENCY.nameOr('MEDIUM', message.urgency, 'OrderLeg.urgency'),
    randomizeQuantity: message.randomizeQuantity,
    would: orNull(message.would, fromWireWould),
    trigger: orNull(message.trigger, fromWireTrigger),
    placement: orNull(message.placement, fromWirePlacement),
    requestEcho: message.requestEcho,
  };
}
