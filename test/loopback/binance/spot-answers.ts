import { formatUnits } from '../decimal.js';
import type { LedgerFill } from '../ledger.js';
import type { LoopbackOrder, OrderState } from '../order.js';
import { type ReportedOrder, wireStatus } from './order-view.js';

const ACK_TYPES = new Set(['LIMIT', 'MARKET']);

export type ResponseType = 'ACK' | 'RESULT' | 'FULL';

/** FULL for LIMIT and MARKET, ACK for all others. */
export function standardResponse(type: string): ResponseType {
  return ACK_TYPES.has(type) ? 'FULL' : 'ACK';
}

/** Answer to a new order. */
export function placedAnswer(
  { order, fills }: { order: LoopbackOrder; fills: readonly LedgerFill[] },
  response: ResponseType,
): object {
  const { terms, acceptedAtMs } = order;
  const head = {
    symbol: terms.instrument.symbol,
    orderId: order.id,
    orderListId: -1,
    clientOrderId: terms.clientId,
    transactTime: acceptedAtMs,
  };
  if (response === 'ACK') return head;
  const result = {
    ...head,
    ...amounts(order, order.state),
    workingTime: acceptedAtMs,
    selfTradePreventionMode: terms.prevention,
  };
  return response === 'RESULT' ? result : insertFills(result, fills);
}

function insertFills(result: Record<string, unknown>, fills: readonly LedgerFill[]): object {
  const { selfTradePreventionMode, ...rest } = result;
  const written = fills.map(({ price, quantity, fee, feeAsset, tradeId }) => ({
    price: formatUnits(price),
    qty: formatUnits(quantity),
    commission: formatUnits(fee),
    commissionAsset: feeAsset,
    tradeId,
  }));
  return { ...rest, fills: written, selfTradePreventionMode };
}

/** Answer to a cancel. `cancelId` is the client id of the cancel request. */
export function cancelledAnswer(order: LoopbackOrder, cancelId: string): object {
  const { terms, state } = order;
  return {
    symbol: terms.instrument.symbol,
    origClientOrderId: terms.clientId,
    orderId: order.id,
    orderListId: -1,
    clientOrderId: cancelId,
    transactTime: state.atMs,
    ...amounts(order, state),
    selfTradePreventionMode: terms.prevention,
  };
}

/** An order in answers to look-ups and lists. */
export function orderAnswer({ order, state }: ReportedOrder): object {
  const { terms, acceptedAtMs } = order;
  const { origQuoteOrderQty, status, timeInForce, type, side, ...quantities } = amounts(order, state);
  return {
    symbol: terms.instrument.symbol,
    orderId: order.id,
    orderListId: -1,
    clientOrderId: terms.clientId,
    ...quantities,
    status,
    timeInForce,
    type,
    side,
    stopPrice: formatUnits(0n),
    icebergQty: formatUnits(0n),
    time: acceptedAtMs,
    updateTime: state.atMs,
    isWorking: true,
    workingTime: acceptedAtMs,
    origQuoteOrderQty,
    selfTradePreventionMode: terms.prevention,
  };
}

function amounts({ terms }: LoopbackOrder, state: OrderState): Record<string, string> {
  return {
    price: formatUnits(terms.price),
    origQty: formatUnits(terms.quantity),
    executedQty: formatUnits(state.filled),
    origQuoteOrderQty: formatUnits(terms.quoteQuantity),
    cummulativeQuoteQty: formatUnits(state.quoteFilled),
    status: wireStatus(state.status),
    timeInForce: terms.wireTimeInForce,
    type: terms.wireType,
    side: terms.side,
  };
}

/** A trade of the account. */
export function tradeAnswer(fill: LedgerFill): object {
  return {
    symbol: fill.symbol,
    id: fill.tradeId,
    orderId: fill.orderId,
    orderListId: -1,
    price: formatUnits(fill.price),
    qty: formatUnits(fill.quantity),
    quoteQty: formatUnits(fill.quoteQuantity),
    commission: formatUnits(fill.fee),
    commissionAsset: fill.feeAsset,
    time: fill.atMs,
    isBuyer: fill.side === 'BUY',
    isMaker: fill.isMaker,
    isBestMatch: true,
  };
}
