import type { StateReader } from '../journal/port.js';
import type { AccountId, OrderId } from '../model/ids.js';
import { CANCELS_IN_FLIGHT_MAX } from '../model/limits.js';
import { isTerminal } from '../model/order.js';
import { isRejected, type OrRejection, type Rejection } from '../model/rejection.js';
import type { Clock } from '../model/time.js';
import { alreadyOver, namedOrder, unknownOrder } from './named-order.js';
import { parseOrderRef, type OrderRef } from './parse/order-ref.js';
import type { ChangeOutcome, OrderDesk } from './port.js';
import type { OrderSummary } from './present/order-summary.js';

export interface OrderCancellationParts {
  readonly desk: OrderDesk;
  readonly reader: StateReader;
  readonly clock: Clock;
}

/** An order of a cancelAll: why it could not be cancelled, or null when it is being cancelled. */
export type CancelAllResult = { readonly orderId: OrderId; readonly refusal: Rejection | null };

/** Cancels an account's orders by either of their names. */
export class OrderCancellation {
  readonly #parts: OrderCancellationParts;

  constructor(parts: OrderCancellationParts) {
    this.#parts = parts;
  }

  /**
   * Answers once: PENDING_CANCEL when durable, CANCEL_REJECTED when there is nothing to cancel, or a rejection when the
   * request does not say which order it means.
   */
  cancel(account: AccountId, body: unknown, answer: (result: OrRejection<OrderSummary>) => void): void {
    const request = parseOrderRef(body);
    if (isRejected(request)) return answer(request);
    const state = namedOrder(this.#parts.reader, account, request);
    if (isRejected(state)) return answer(state);
    if (state === null) return answer(this.#unknown(request));
    const { orderId, clientOrderId, createdAtMs } = state.order;
    const summarise = (status: OrderSummary['status'], outcome: Rejection | null): void =>
      answer({ orderId, clientOrderId, status, createdAtMs, outcome });
    if (isTerminal(state.status)) return summarise('CANCEL_REJECTED', alreadyOver(state));
    this.#parts.desk.change(
      { kind: 'CancelParent', account, orderId },
      (outcome) => {
        if (outcome.kind === 'pending') summarise('PENDING_CANCEL', null);
        else summarise('CANCEL_REJECTED', outcome.rejection);
      },
      null,
    );
  }

  /** The summary of a cancel that could not even be read, for an entry among others. */
  refused(rejection: Rejection): OrderSummary {
    const createdAtMs = this.#parts.clock.nowMs();
    return { orderId: null, clientOrderId: null, status: 'CANCEL_REJECTED', createdAtMs, outcome: rejection };
  }

  /** Cancels every open order, a bounded number at a time; answers when all have their outcome, by ascending id. */
  cancelAll(account: AccountId, answer: (results: readonly CancelAllResult[]) => void): void {
    this.#parts.reader.refresh();
    const orderIds = this.#parts.reader.openOrders(account).map((state) => state.order.orderId);
    const results: CancelAllResult[] = [];
    let sentCount = 0;
    let isSending = false;
    const onOutcome = (orderId: OrderId, outcome: ChangeOutcome): void => {
      results.push({ orderId, refusal: outcome.kind === 'pending' ? null : outcome.rejection });
      if (results.length === orderIds.length) answer(results.sort((one, other) => one.orderId - other.orderId));
      else send();
    };
    // An outcome may come at once, from within `desk.cancel`: the loop below then goes on, and the call nests no deeper.
    const send = (): void => {
      if (isSending) return;
      isSending = true;
      while (sentCount < orderIds.length && sentCount - results.length < CANCELS_IN_FLIGHT_MAX) {
        const orderId = orderIds[sentCount] as OrderId;
        sentCount += 1;
        this.#parts.desk.change(
          { kind: 'CancelParent', account, orderId },
          (outcome) => onOutcome(orderId, outcome),
          null,
        );
      }
      isSending = false;
    };
    if (orderIds.length === 0) answer(results);
    else send();
  }

  #unknown(ref: OrderRef): OrderSummary {
    const createdAtMs = this.#parts.clock.nowMs();
    return { ...ref, status: 'CANCEL_REJECTED', createdAtMs, outcome: unknownOrder(ref) };
  }
}
