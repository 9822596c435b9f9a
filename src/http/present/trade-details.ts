import { assert } from '../../model/assert.js';
import { formatAmount } from '../../model/amount.js';
import type { EventEnvelope } from '../../model/event.js';
import type { ParentOrder } from '../../model/order.js';
import { tradedBy } from '../../model/pair.js';
import { formatLots, formatTicks } from '../../model/quantity.js';
import { quote } from './json-text.js';

/** TradeDetails of the contract as JSON, from the envelope of a ChildFilled and the parent it belongs to. */
export function tradeText(order: ParentOrder, envelope: EventEnvelope): string {
  const { event, eventAtMs } = envelope;
  assert(event.kind === 'ChildFilled', 'a trade is made by a fill alone');
  const { fill } = event;
  const traded = tradedBy(order, event.child);
  return (
    `{"trade_id":${fill.tradeId},"symbol":${quote(traded.symbol)},"exchangeOrderId":${quote(fill.venueOrderId)},` +
    (order.clientOrderId === null ? '' : `"clientOrderId":${quote(order.clientOrderId)},`) +
    `"quantity":${formatLots(fill.quantity, traded)},"price":${formatTicks(fill.price, traded)},` +
    `"direction":"${traded.side}","makerOrTaker":"${fill.liquidity}","execTime":${eventAtMs},` +
    `"fee":${formatAmount(fill.fee)},"feeCurrency":${quote(fill.feeCurrency)}}`
  );
}
