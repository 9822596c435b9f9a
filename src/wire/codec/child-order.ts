import type { AdoptedChild } from '../../domain/command.js';
import type { Fill } from '../../domain/event.js';
import type { ChildNumber, VenueOrderId } from '../../domain/ids.js';
import type { ChildOrder } from '../../domain/order-state.js';
import type { Reason } from '../../domain/order.js';
import type { LegIndex } from '../../domain/pair.js';
import type { sluice } from '../generated/messages.js';
import { bigInteger, CodecError, integer, integerOrNull, integerText, required, time } from './message.js';
import { CHILD_TYPE, LIQUIDITY, SIDE, TIME_IN_FORCE } from './enums.js';

export function toWireChildOrder(order: ChildOrder): sluice.v1.ChildOrder.$Properties {
  return {
    child: order.child,
    leg: order.leg,
    side: SIDE.number(order.side),
    quantity: order.quantity,
    type: CHILD_TYPE.number(order.type),
    timeInForce: TIME_IN_FORCE.number(order.timeInForce),
    limitPrice: order.limitPrice,
    postOnly: order.postOnly,
    reduceOnly: order.reduceOnly,
    submittedAtMs: order.submittedAtMs,
    reason: toWireReason(order.reason),
  };
}

export function fromWireChildOrder(message: sluice.v1.ChildOrder): ChildOrder {
  return {
    child: message.child as ChildNumber,
    leg: fromWireLeg(message.leg, 'ChildOrder.leg'),
    side: SIDE.name(message.side, 'ChildOrder.side'),
    quantity: integer(message.quantity, 'ChildOrder.quantity'),
    type: CHILD_TYPE.name(message.type, 'ChildOrder.type'),
    timeInForce: TIME_IN_FORCE.name(message.timeInForce, 'ChildOrder.time_in_force'),
    limitPrice: integerOrNull(message.limitPrice, 'ChildOrder.limit_price'),
    postOnly: message.postOnly,
    reduceOnly: message.reduceOnly,
    submittedAtMs: time(message.submittedAtMs, 'ChildOrder.submitted_at_ms'),
    reason: fromWireReason(required(message.reason, 'ChildOrder.reason')),
  };
}

export function fromWireLeg(leg: number, field: string): LegIndex {
  if (leg !== 0 && leg !== 1) throw new CodecError(`${field} is ${leg}, not 0 or 1`);
  return leg;
}

export function toWireAdopted({ order, venueOrderId }: AdoptedChild): sluice.v1.ChildAdopted.$Properties {
  return { order: toWireChildOrder(order), venueOrderId };
}

export function fromWireAdopted({ order, venueOrderId }: sluice.v1.ChildAdopted): AdoptedChild {
  return {
    order: fromWireChildOrder(required(order, 'ChildAdopted.order')),
    venueOrderId: venueOrderId as VenueOrderId,
  };
}

/** The members have the names of the fields, and the encoder does not change the list: no copy. */
export function toWireReason(reason: Reason): sluice.v1.Reason.$Properties {
  return reason as sluice.v1.Reason.$Properties;
}

export function fromWireReason(message: sluice.v1.Reason): Reason {
  const { code, detail, figures } = message;
  return figures.length === 0 ? { code, detail } : { code, detail, figures };
}

export function toWireFill(fill: Fill): sluice.v1.Fill.$Properties {
  return {
    tradeId: fill.tradeId,
    venueOrderId: fill.venueOrderId,
    quantity: fill.quantity,
    price: fill.price,
    liquidity: LIQUIDITY.number(fill.liquidity),
    fee: integerText(fill.fee),
    feeCurrency: fill.feeCurrency,
    exchangeTradeId: fill.exchangeTradeId,
  };
}

export function fromWireFill(message: sluice.v1.Fill): Fill {
  return {
    tradeId: integer(message.tradeId, 'Fill.trade_id'),
    venueOrderId: message.venueOrderId as VenueOrderId,
    quantity: integer(message.quantity, 'Fill.quantity'),
    price: integer(message.price, 'Fill.price'),
    liquidity: LIQUIDITY.name(message.liquidity, 'Fill.liquidity'),
    fee: bigInteger(message.fee, 'Fill.fee'),
    feeCurrency: message.feeCurrency,
    exchangeTradeId: message.exchangeTradeId,
  };
}
