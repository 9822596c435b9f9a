import { isUnavailability } from '../api/field/error-code.js';
import { parseBatch } from '../api/order/order-control.js';
import { type OrderRef, parseOrderRef } from '../api/order/order-reference.js';
import type { OrderSummary } from '../api/order/order-details.js';
import { CancelAll, type CancelAllAnswer, type CancelAllParts, type CancelAllResult } from './cancel-all.js';
import { runBatch } from './batch.js';
import type { OrderSender } from './trading-gate.js';
import type { AccountId, OrderId, SessionNumber } from '../domain/ids.js';
import { isTerminal, type ParentOrder } from '../domain/order.js';
import { isRejected, type OrRejection, type Rejection, Rejected } from '../domain/rejection.js';
import type { Clock } from '../domain/time.js';
import type { StateReader } from '../journal/port.js';
import { alreadyOver, namedOrder, unknownOrder } from './order-query.js';

interface OrderCancellationParts extends CancelAllParts {
  readonly commands: Pick<OrderSender, 'change'>;
  readonly reader: StateReader;
  /** Returns a new order id: larger than every id so far, smaller than every later one. No order gets it. */
  readonly takeOrderId: () => OrderId;
  readonly clock: Clock;
}

const NO_SESSIONS: ReadonlySet<SessionNumber> = new Set();

/** Cancels an account's orders by order id or client order id. */
export class OrderCancellation {
  readonly #parts: OrderCancellationParts;
  readonly #all: CancelAll;

  constructor(parts: OrderCancellationParts) {
    this.#parts = parts;
    this.#all = new CancelAll(parts);
  }

  /**
   * Answers once: PENDING_CANCEL when durable, CANCEL_REJECTED when there is nothing to cancel, or a rejection when the
   * request does not identify an order.
   */
  cancel(account: AccountId, body: unknown, answer: (result: OrRejection<OrderSummary>) => void): void {
    const request = parseOrderRef(body);
    if (isRejected(request)) return answer(request);
    const state = namedOrder(this.#parts.reader, account, request);
    const order = state === null || isRejected(state) ? this.#pendingOrder(account, request) : state.order;
    if (order === null) return answer(isRejected(state) ? state : this.#unknown(request));
    const { orderId, clientOrderId, createdAtMs } = order;
    const summarise = (status: OrderSummary['status'], outcome: Rejection | null): void =>
      answer({ orderId, clientOrderId, status, createdAtMs, outcome });
    if (state !== null && !isRejected(state) && isTerminal(state.status)) {
      return summarise('CANCEL_REJECTED', alreadyOver(state));
    }
    this.#parts.commands.change(
      { kind: 'CancelParent', account, orderId },
      (outcome) => {
        if (outcome.kind === 'pending') summarise('PENDING_CANCEL', null);
        else summarise('CANCEL_REJECTED', outcome.rejection);
      },
      null,
    );
  }

  /** Cancels the members of a batch. Answers once, in the order of the members. `onAdmitted`: all cancels are sent. */
  cancelMany(
    account: AccountId,
    body: unknown,
    answer: (result: OrRejection<readonly OrderSummary[]>) => void,
    onAdmitted: (() => void) | null = null,
  ): void {
    const members = parseBatch(body);
    if (isRejected(members)) return answer(members);
    runBatch(
      members,
      (member, settle: (summary: OrderSummary) => void, onMemberAdmitted) => {
        this.cancel(account, member, (result) =>
          settle(isRejected(result) ? this.#unreadable(result.rejection) : result),
        );
        onMemberAdmitted?.();
      },
      answer,
      onAdmitted,
    );
  }

  /**
   * Cancels every open order of the account with an id up to `throughOrderId`, by default all that were sent before. Answers
   * when all have their outcome. Requests during a run share the next run, which covers the largest of their bounds.
   */
  cancelAll(account: AccountId, answer: CancelAllAnswer, throughOrderId = this.#parts.takeOrderId()): void {
    this.#all.cancel(account, answer, { throughOrderId, sessions: NO_SESSIONS });
  }

  /** Cancels the open orders that these sessions of the account have placed. Otherwise as `cancelAll`. */
  cancelSessions(account: AccountId, sessions: ReadonlySet<SessionNumber>, answer: CancelAllAnswer): void {
    this.#all.cancel(account, answer, { throughOrderId: 0, sessions });
  }

  /** The order of a create that is not durable yet: a client may cancel it by its client_order_id at once. */
  #pendingOrder(account: AccountId, { orderId, clientOrderId }: OrderRef): ParentOrder | null {
    for (const { kind, order } of this.#parts.pendingOrders(account)) {
      const isNamed =
        (orderId === null || order.orderId === orderId) &&
        (clientOrderId === null || order.clientOrderId === clientOrderId);
      if (kind === 'CreateParent' && isNamed) return order;
    }
    return null;
  }

  #unreadable(rejection: Rejection): OrderSummary {
    const createdAtMs = this.#parts.clock.nowMs();
    return { orderId: null, clientOrderId: null, status: 'CANCEL_REJECTED', createdAtMs, outcome: rejection };
  }

  #unknown(ref: OrderRef): OrderSummary {
    const createdAtMs = this.#parts.clock.nowMs();
    return { ...ref, status: 'CANCEL_REJECTED', createdAtMs, outcome: unknownOrder(ref) };
  }
}

/**
 * The part of a cancelAll that the client sees: without orders that ended before their cancel. A rejection when no shard
 * accepted a cancel.
 */
export function reportedCancels({ orderIds, refusals }: CancelAllResult): OrRejection<CancelAllResult> {
  const reported = orderIds.filter((orderId) => {
    const refusal = refusals.get(orderId);
    return refusal === undefined || isUnavailability(refusal.code);
  });
  const first = reported[0] === undefined ? undefined : refusals.get(reported[0]);
  const areAllRefused = first !== undefined && reported.every((orderId) => refusals.has(orderId));
  return areAllRefused ? new Rejected(first) : { orderIds: reported, refusals };
}
