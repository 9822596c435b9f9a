import type { StateReader } from '../journal/port.js';
import type { AccountId } from '../model/ids.js';
import { isTerminal } from '../model/order.js';
import { isRejected, type OrRejection, type Rejection } from '../model/rejection.js';
import type { Clock } from '../model/time.js';
import { CancelAll, type CancelAllAnswer, type CancelAllParts } from './cancel-all.js';
import { alreadyOver, namedOrder, unknownOrder } from './named-order.js';
import { parseOrderRef, type OrderRef } from './parse/order-ref.js';
import type { OrderDesk } from './port.js';
import type { OrderSummary } from './present/order-summary.js';

export interface OrderCancellationParts extends CancelAllParts {
  readonly desk: OrderDesk;
  readonly reader: StateReader;
  readonly clock: Clock;
}

/** Cancels an account's orders by either of their names. */
export class OrderCancellation {
  readonly #parts: OrderCancellationParts;
  readonly #all: CancelAll;

  constructor(parts: OrderCancellationParts) {
    this.#parts = parts;
    this.#all = new CancelAll(parts);
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

  /** Cancels every open order of the account; answers when all have their outcome. */
  cancelAll(account: AccountId, answer: CancelAllAnswer): void {
    this.#all.cancel(account, answer);
  }

  #unknown(ref: OrderRef): OrderSummary {
    const createdAtMs = this.#parts.clock.nowMs();
    return { ...ref, status: 'CANCEL_REJECTED', createdAtMs, outcome: unknownOrder(ref) };
  }
}
