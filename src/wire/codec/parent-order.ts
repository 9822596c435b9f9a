import type { AccountId, ClientOrderId } from '../../model/ids.js';
import type { InstrumentIndex } from '../../model/instrument.js';
import type { ParentOrder } from '../../model/order.js';
import type { sluice } from '../generated/messages.js';
import { fromWireClip, toWireClip } from './clip.js';
import { integer, integerOrNull, time, timeOrNull } from './exact.js';
import {
  fromWireLadder,
  fromWirePlacement,
  fromWireTrigger,
  fromWireWould,
  toWireLadder,
  toWirePlacement,
  toWireTrigger,
  toWireWould,
} from './order-params.js';
import { fromWirePair, toWirePair } from './pair.js';
import { orNull, required } from './presence.js';
import { ASSET_CATEGORY, SIDE, STRATEGY, STYLE, URGENCY, VENUE } from './vocabulary.js';

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
