import type { StateReader, StateSnapshot } from '../journal/port.js';
import type { CostRequest } from '../domain/query.js';
import type { OrderRef } from '../api/order/order-reference.js';
import type { ParentState } from '../domain/order-state.js';
import type { AccountId, OrderId } from '../domain/ids.js';
import type { Clock } from '../domain/time.js';
import type { RequestFailure, WhenComplete } from '../journal/complete-reads.js';
import type { CostReports } from './cost-reports.js';
import { isRejected, reject, type OrRejection, type Rejection, Rejected } from '../domain/rejection.js';

/**
 * The result of a query about one order. An unknown order has its own kind: each transport reports it in its own way.
 */
export type OrderAnswer<Value> =
  | { readonly kind: 'found'; readonly value: Value }
  | { readonly kind: 'unknown'; readonly rejection: Rejection }
  | { readonly kind: 'refused'; readonly rejection: Rejection };

export interface OrderQueryParts {
  readonly reader: StateReader;
  readonly whenComplete: WhenComplete;
  readonly costs: Pick<CostReports, 'ask'>;
  /** Service time. */
  readonly clock: Clock;
}

/** The sender of a query. */
interface Asker {
  readonly account: AccountId;
  readonly call?: RequestFailure | undefined;
}

/** Answers queries about single orders and about the costs of an account. */
export class OrderQuery {
  readonly #parts: OrderQueryParts;

  constructor(parts: OrderQueryParts) {
    this.#parts = parts;
  }

  /** The id of an order that a request names. Answers once. */
  idOf({ account, call }: Asker, ref: OrderRef, answer: (id: OrderAnswer<OrderId>) => void): void {
    whenNamed(this.#parts, { account, call }, { ref }, (state) => {
      const found = foundOrder(state, ref);
      answer(found.kind === 'found' ? { kind: 'found', value: found.value.order.orderId } : found);
    });
  }

  /** The execution cost of an order as JSON text. Answers once. */
  cost(asker: Asker, ref: OrderRef, answer: (cost: OrderAnswer<string>) => void): void {
    const { costs, clock } = this.#parts;
    this.idOf(asker, ref, (found) => {
      if (found.kind !== 'found') return answer(found);
      costs.ask({ kind: 'order', account: asker.account, orderId: found.value, asOfMs: clock.nowMs() }, (report) => {
        if (report === null) return answer({ kind: 'unknown', rejection: unknownOrder(ref) });
        answer(
          isRejected(report) ? { kind: 'refused', rejection: report.rejection } : { kind: 'found', value: report },
        );
      });
    });
  }

  /** The execution cost of the orders of a time range as JSON text. Answers once. */
  windowCost(query: Extract<CostRequest, { kind: 'window' }>, answer: (report: OrRejection<string>) => void): void {
    this.#parts.costs.ask(query, (report) => {
      if (report !== null) answer(report);
    });
  }
}

function foundOrder(state: Found, ref: OrderRef): OrderAnswer<ParentState> {
  if (isRejected(state)) return { kind: 'refused', rejection: state.rejection };
  return state === null ? { kind: 'unknown', rejection: unknownOrder(ref) } : { kind: 'found', value: state };
}

type Found = OrRejection<ParentState | null>;

/** A search for an order by a request. */
interface NamedSearch {
  readonly ref: OrderRef;
  /** Called before a wait for the store. True ends the search. Absent: false. */
  readonly takeUnstored?: () => boolean;
}

/**
 * Runs with the account's order that a request names; null: there is none. It reads the store again only when the order
 * is missing: the shard knows whether the order is still open. While the store lacks an answered turn, an unknown order
 * may be in that turn, so it waits, and then runs with SYSTEM_BUSY.
 */
export function whenNamed(
  { reader, whenComplete }: Pick<OrderQueryParts, 'reader' | 'whenComplete'>,
  { account, call }: Asker,
  { ref, takeUnstored }: NamedSearch,
  run: (state: Found) => void,
): void {
  const known = orderIn(reader.recent(), account, ref);
  if (known !== null && !isRejected(known)) return run(known);
  if (takeUnstored?.() === true) return;
  whenComplete(
    (snapshot) => {
      const latest = orderIn(snapshot ?? reader.recent(), account, ref);
      run(latest === null && snapshot === null ? new Rejected(STORE_BEHIND) : latest);
    },
    { account, client: call },
  );
}

/** The store lacks an answered turn: a read could contradict that answer. */
export const STORE_BEHIND: Rejection = {
  code: 'SYSTEM_BUSY',
  message: 'the latest orders and events are still being stored; nothing was done, try again',
};

/** The refusal of a request that names an unknown order. */
export function unknownOrder({ orderId, clientOrderId }: OrderRef): Rejection {
  const name = orderId === null ? `client_order_id ${clientOrderId}` : `order_id ${orderId}`;
  return { code: 'INVALID_ORDER', message: `${name} is unknown` };
}

/** The refusal of a change of an order that has ended. */
export function alreadyOver({ order, status }: ParentState): Rejection {
  return { code: 'INVALID_ORDER', message: `order_id ${order.orderId} is already ${status}` };
}

/** The account's order that a request names, in this snapshot; null: there is none. */
export function orderIn(
  snapshot: Pick<StateSnapshot, 'byClientOrderId' | 'order'>,
  account: AccountId,
  { orderId, clientOrderId }: OrderRef,
): Found {
  const entry = clientOrderId === null ? null : snapshot.byClientOrderId(account, clientOrderId);
  const namedId = orderId ?? entry?.orderId ?? null;
  const state = namedId === null ? null : snapshot.order(namedId);
  const owned = state !== null && state.order.account === account ? state : null;
  const isOneOrder = orderId === null || clientOrderId === null || owned?.order.orderId === entry?.orderId;
  if (isOneOrder) return owned;
  return reject('INVALID_REQUEST', `order_id ${orderId} and client_order_id ${clientOrderId} name different orders`);
}
