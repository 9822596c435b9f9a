import type { InstrumentIndex } from '../../model/instrument.js';
import type { OrderLeg, Pair } from '../../model/pair.js';
import type { sluice } from '../generated/messages.js';
import { fromWireClip, toWireClip } from './clip.js';
import { CodecError } from './codec-error.js';
import { bigInteger, integer, integerOrNull, integerText, time, timeOrNull } from './exact.js';
import {
  fromWirePlacement,
  fromWireTrigger,
  fromWireWould,
  toWirePlacement,
  toWireTrigger,
  toWireWould,
} from './order-params.js';
import { orNull, required } from './presence.js';
import { ASSET_CATEGORY, SIDE, STRATEGY, STYLE, URGENCY, VENUE } from './vocabulary.js';

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

export function fromWirePair(message: sluice.v1.Pair): Pair {
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
