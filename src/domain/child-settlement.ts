import { childClientId, type ChildNumber, type OrderId } from './ids.js';
import { liveChildren, type ParentState } from './order-state.js';
import { isTerminal } from './order.js';
import { legAt } from './pair.js';
import { formatLots, type Lots, type Ticks } from './quantity.js';
import type { Rejection } from './rejection.js';

/** What an operator states about a child whose state the exchange does not say: its end, with what it has filled. */
export interface ChildSettlement {
  readonly orderId: OrderId;
  readonly child: ChildNumber;
  /** Filled quantity of the child in total. 0: it never traded. */
  readonly filled: Lots;
  /** Price of what is filled beyond the known fills; null: nothing is. */
  readonly price: Ticks | null;
  /** The operator's words; '': none. */
  readonly reason: string;
  /** The operator. */
  readonly by: string;
}

/** Why the settlement is refused; null: it is possible. */
export function settlementRefusal(
  state: ParentState,
  { child: number, filled, price }: ChildSettlement,
): Rejection | null {
  const { order, status, isReconciling } = state;
  const name = childClientId(order.orderId, number);
  if (isTerminal(status)) return refusal(`child ${name} is not live: its order is ${status}`);
  if (isReconciling) {
    const message = `order_id ${order.orderId} is being reconciled with its exchanges; repeat the request later`;
    return { code: 'SYSTEM_BUSY', message };
  }
  const child = liveChildren(state).find(({ order: { child: one } }) => one === number);
  if (child === undefined) return refusal(`child ${name} is not live: it has ended, or was never placed`);
  if (child.state !== 'UNKNOWN') {
    return refusal(`child ${name} is ${child.state}, not UNKNOWN: the exchange says what it has filled`);
  }
  const traded = legAt(order.legs, child.order.leg);
  const [stated, known, quantity] = [filled, child.progress.filled, child.order.quantity].map((lots) =>
    formatLots(lots, traded),
  );
  if (filled > child.order.quantity) {
    return wrongQuantity(`filled ${stated} exceeds the quantity ${quantity} of child ${name}`);
  }
  if (filled < child.progress.filled) {
    return wrongQuantity(`filled ${stated} is below ${known}, which the exchange has reported of child ${name}`);
  }
  if (filled > child.progress.filled && price === null) {
    const message = `the price is missing: ${stated} of child ${name} is more than the ${known} that the exchange has reported`;
    return { code: 'INVALID_LIMIT_PRICE', message };
  }
  return null;
}

function refusal(message: string): Rejection {
  return { code: 'INVALID_ORDER', message };
}

function wrongQuantity(message: string): Rejection {
  return { code: 'INVALID_QUANTITY', message };
}
