import type { AccountId, ClientOrderId } from '../../domain/ids.js';
import type { InstrumentIndex } from '../../domain/instrument.js';
import type { Leg, LegTarget, ParentOrder } from '../../domain/order.js';
import type { Pair, PerLeg } from '../../domain/pair.js';
import type { sluice } from '../generated/messages.js';
import { ASSET_CATEGORY, SIDE, STRATEGY, STYLE, URGENCY, VENUE } from './enums.js';
import {
  bigInteger,
  CodecError,
  integer,
  integerOrNull,
  integerText,
  orNull,
  perLeg,
  required,
  time,
  timeOrNull,
  stepOf,
  wireStepOf,
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
    subaccount: order.subaccount,
    legs: order.legs.map(toWireLeg),
    pair: orNull(order.pair, toWirePair),
    createdAtMs: order.createdAtMs,
    startAtMs: order.startAtMs,
    endAtMs: order.endAtMs,
    postOnly: order.postOnly,
    reduceOnly: order.reduceOnly,
    imbalanceThresholdPpm: order.imbalanceThresholdPpm,
    priceLockBps: order.priceLockBps,
    revision: order.revision,
    requestDigest: order.requestDigest,
    session: order.session,
  };
}

export function fromWireParentOrder(message: ParentOrderMessage): ParentOrder {
  const legs = perLeg(message.legs, fromWireLeg, 'ParentOrder.legs');
  return {
    orderId: integer(message.orderId, 'ParentOrder.order_id'),
    account: message.account as AccountId,
    clientOrderId: message.clientOrderId as ClientOrderId | null,
    subaccount: message.subaccount,
    legs,
    pair: pairOf(message, legs),
    createdAtMs: time(message.createdAtMs, 'ParentOrder.created_at_ms'),
    startAtMs: time(message.startAtMs, 'ParentOrder.start_at_ms'),
    endAtMs: timeOrNull(message.endAtMs, 'ParentOrder.end_at_ms'),
    postOnly: message.postOnly,
    reduceOnly: message.reduceOnly,
    imbalanceThresholdPpm: integerOrNull(message.imbalanceThresholdPpm, 'ParentOrder.imbalance_threshold_ppm'),
    priceLockBps: integerOrNull(message.priceLockBps, 'ParentOrder.price_lock_bps'),
    revision: message.revision,
    requestDigest: message.requestDigest,
    session: integerOrNull(message.session, 'ParentOrder.session'),
  };
}

function toWirePair(pair: Pair): sluice.v1.Pair.$Properties {
  return {
    leadingIndex: pair.leadingIndex,
    unled: !pair.isLed,
    maxUnhedgedValue: orNull(pair.maxUnhedgedValue, integerText),
    maxUnhedgedMs: pair.maxUnhedgedMs,
    hedgeSlippageBps: pair.hedgeSlippageBps,
    requestEcho: pair.requestEcho,
  };
}

/** The terms that bind two legs. An order has them exactly when it has two legs. */
function pairOf({ pair }: ParentOrderMessage, { length }: PerLeg<Leg>): Pair | null {
  if ((pair === null) !== (length === 1)) {
    throw new CodecError(`ParentOrder.pair: ${pair === null ? 'absent' : 'present'} with legs: ${length}`);
  }
  if (pair === null) return null;
  return {
    leadingIndex: leadingIndexOf(pair.leadingIndex),
    isLed: !pair.unled,
    maxUnhedgedValue: orNull(pair.maxUnhedgedValue, (text) => bigInteger(text, 'Pair.max_unhedged_value')),
    maxUnhedgedMs: time(pair.maxUnhedgedMs, 'Pair.max_unhedged_ms'),
    hedgeSlippageBps: integer(pair.hedgeSlippageBps, 'Pair.hedge_slippage_bps'),
    requestEcho: pair.requestEcho,
  };
}

function leadingIndexOf(index: number): Pair['leadingIndex'] {
  if (index === 0 || index === 1) return index;
  throw new CodecError(`Pair.leading_index: ${index} is neither 0 nor 1`);
}

function toWireLeg(leg: Leg): sluice.v1.Leg.$Properties {
  return {
    venue: VENUE.number(leg.venue),
    instrument: leg.instrument,
    symbol: leg.symbol,
    assetCategory: ASSET_CATEGORY.number(leg.assetCategory),
    side: SIDE.number(leg.side),
    quantity: leg.quantity,
    strategy: STRATEGY.number(leg.strategy),
    limitPrice: leg.limitPrice,
    durationMs: leg.durationMs,
    clip: toWireClip(leg.clip),
    style: STYLE.number(leg.style),
    urgency: URGENCY.number(leg.urgency),
    randomizeQuantity: leg.randomizeQuantity,
    would: orNull(leg.would, toWireWould),
    trigger: orNull(leg.trigger, toWireTrigger),
    target: orNull(leg.target, toWireTarget),
    quantityPrecision: leg.quantityPrecision,
    pricePrecision: leg.pricePrecision,
    quantityStep: wireStepOf(leg.quantityStep),
    priceStep: wireStepOf(leg.priceStep),
    requestEcho: leg.requestEcho,
    placement: orNull(leg.placement, toWirePlacement),
    ladder: orNull(leg.ladder, toWireLadder),
  };
}

function fromWireLeg(message: sluice.v1.Leg): Leg {
  return {
    venue: VENUE.name(message.venue, 'Leg.venue'),
    instrument: message.instrument as InstrumentIndex,
    symbol: message.symbol,
    assetCategory: ASSET_CATEGORY.name(message.assetCategory, 'Leg.asset_category'),
    side: SIDE.name(message.side, 'Leg.side'),
    quantity: integer(message.quantity, 'Leg.quantity'),
    strategy: STRATEGY.name(message.strategy, 'Leg.strategy'),
    limitPrice: integerOrNull(message.limitPrice, 'Leg.limit_price'),
    durationMs: timeOrNull(message.durationMs, 'Leg.duration_ms'),
    clip: fromWireClip(required(message.clip, 'Leg.clip')),
    style: STYLE.nameOr('HYBRID', message.style, 'Leg.style'),
    urgency: URGENCY.nameOr('MEDIUM', message.urgency, 'Leg.urgency'),
    randomizeQuantity: message.randomizeQuantity,
    would: orNull(message.would, fromWireWould),
    trigger: orNull(message.trigger, fromWireTrigger),
    target: orNull(message.target, fromWireTarget),
    quantityPrecision: message.quantityPrecision,
    pricePrecision: message.pricePrecision,
    quantityStep: stepOf(message.quantityStep, 'quantity_step'),
    priceStep: stepOf(message.priceStep, 'price_step'),
    requestEcho: message.requestEcho,
    placement: orNull(message.placement, fromWirePlacement),
    ladder: orNull(message.ladder, fromWireLadder),
  };
}

function toWireTarget({ value, ccy, isBase }: LegTarget): sluice.v1.LegTarget.$Properties {
  return { value, ccy, base: isBase };
}

function fromWireTarget({ value, ccy, base }: sluice.v1.LegTarget): LegTarget {
  return { value, ccy, isBase: base };
}
