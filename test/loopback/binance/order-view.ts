import type { Exchange } from '../exchange.js';
import { isListed, type View } from '../faults.js';
import { isOpenStatus, type LoopbackOrder, type OrderState, type OrderStatus } from '../order.js';
import { NO_SUCH_ORDER } from './api-error.js';
import { accountOf, type RequestContext } from './endpoint.js';

/** An order as a request may see it. */
export interface ReportedOrder {
  readonly order: LoopbackOrder;
  readonly state: OrderState;
}

/**
 * The order that a request names by the exchange's id or the client's id, in its newest state; null when there is none.
 */
export function namedOrder(
  exchange: Exchange,
  {
    account,
    symbol,
    orderId,
    clientId,
  }: { account: number; symbol: string; orderId: number | null; clientId: string | null },
): LoopbackOrder | null {
  if (orderId !== null) {
    const order = exchange.ledger.order(orderId);
    if (order === null || order.terms.account !== account || order.terms.instrument.symbol !== symbol) return null;
    return clientId === null || order.terms.clientId === clientId ? order : null;
  }
  const named = exchange.ledger.withClientId(account, symbol, clientId ?? '');
  // A client id may come again after its order ended: the open order is meant, else the last one.
  return named.find(({ isOpen }) => isOpen) ?? named.at(-1) ?? null;
}

/** An order as the request sees it. Throws -2013 when the view hides it. */
export function seen(order: LoopbackOrder | null, view: View, nowMs: number): ReportedOrder {
  if (order === null || nowMs - order.acceptedAtMs < view.absentMs) throw NO_SUCH_ORDER();
  const state = order.stateAt(nowMs - view.staleMs);
  if (state === null) throw NO_SUCH_ORDER();
  return { order, state };
}

/** The open orders of the account, in the view of the request, by acceptance. */
export function seenOpenOrders(
  exchange: Exchange,
  context: RequestContext,
  symbol: string | null,
): readonly ReportedOrder[] {
  return seenOrders(exchange, context, symbol).filter(({ state }) => isOpenStatus(state.status));
}

/** All orders of the account, in the view of the request, by acceptance. */
export function seenOrders(
  exchange: Exchange,
  context: RequestContext,
  symbol: string | null,
): readonly ReportedOrder[] {
  const { view, nowMs } = context;
  const visible = exchange.ledger.ordersOf(accountOf(context)).filter(({ id, terms, acceptedAtMs }) => {
    const isOfSymbol = symbol === null || terms.instrument.symbol === symbol;
    return isOfSymbol && nowMs - acceptedAtMs >= view.absentMs && isListed(view, id);
  });
  return visible.flatMap((order) => {
    const state = order.stateAt(nowMs - view.staleMs);
    return state === null ? [] : [{ order, state }];
  });
}

/** The status in the words of Binance. */
export function wireStatus(status: OrderStatus): string {
  return status === 'PREVENTED' ? 'EXPIRED_IN_MATCH' : status;
}
