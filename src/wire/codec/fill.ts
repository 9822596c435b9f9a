import type { Fill } from '../../model/event.js';
import type { VenueOrderId } from '../../model/ids.js';
import type { sluice } from '../generated/messages.js';
import { bigInteger, integer, integerText } from './exact.js';
import { LIQUIDITY } from './vocabulary.js';

export function toWireFill(fill: Fill): sluice.v1.Fill.$Properties {
  return {
    tradeId: fill.tradeId,
    venueOrderId: fill.venueOrderId,
    quantity: fill.quantity,
    price: fill.price,
    liquidity: LIQUIDITY.number(fill.liquidity),
    fee: integerText(fill.fee),
    feeCurrency: fill.feeCurrency,
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
  };
}
