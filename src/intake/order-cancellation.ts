import { isUnavailability } from '../api/field/error-code.js';
import { parseCancelBatch } from '../api/order/order-control.js';
import { type OrderRef, parseOrderRef } from '../api/order/order-reference.js';
import { type OrderSummary, summaryOf } from '../api/order/order-details.js';
import { CancelAll, type CancelAllAnswer, type CancelAllParts, type CancelAllResult } from './cancel-all.js';
import { runBatch } from './batch.js';
import type { EarlierCreates } from './earlier-creates.js';
import { memberOf, type Sender } from './order-placement.js';
import type { OrderSender } from './trading-gate.js';
import { type CancelCause, DISCONNECT_CAUSE, requestedBy } from '../domain/cancel-cause.js';
import type { AccountId, OrderId, SessionNumber } from '../domain/ids.js';
import { isTerminal, type ParentOrder } from '../domain/order.js';
import type { ParentState } from '../domain/order-state.js';
import { isRejected, type OrRejection, type Rejection, Rejected } from '../domain/rejection.js';
import type { Clock } from '../domain/time.js';
import { alreadyOver, unknownOrder, whenNamed } from './order-query.js';

interface OrderCancellationParts extends CancelAllParts {
  readonly commands: Pick<OrderSender, 'change'>;
  /** Returns a new order id: larger than every id so far, smaller than every later one. No order gets it. */
  readonly takeOrderId: () => OrderId;
  readonly earlier: Pick<EarlierCreates, 'after' | 'isAny'>;
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
   * request does not identify an order. An order that is not known may be one of an earlier create without an id: the
   * cancel waits for it.
   */
  cancel(sender: Sender, body: unknown, answer: (result: OrRejection<OrderSummary>) => void): void {
    const request = parseOrderRef(body);
    if (isRejected(request)) return answer(request);
    const { account, onAdmitted } = sender;
    this.#cancelKnown(sender, request, answer, (unknown) => {
      onAdmitted?.();
      const { earlier } = this.#parts;
      // A refused read has waited for the store as long as a request may.
      if (isRejected(unknown) && !earlier.isAny(account)) return answer(unknown);
      // It may be the order of an earlier create that had no id when this began.
      earlier.after(account, (refusal) => {
        this.#cancelKnown(sender, request, answer, (still) => answer(refusal === null ? still : new Rejected(refusal)));
      });
    });
  }

  /** Cancels the order if it is known. Otherwise calls `onUnknown` with the answer for an order that does not exist. */
  #cancelKnown(
    sender: Sender,
    request: OrderRef,
    answer: (result: OrderSummary) => void,
    onUnknown: (answer: OrRejection<OrderSummary>) => void,
  ): void {
    const takeUnstored = (): boolean => {
      const order = this.#pendingOrder(sender.account, request);
      if (order !== null) this.#send(sender, order, answer);
      return order !== null;
    };
    const cancelFound = (state: OrRejection<ParentState | null>): void => {
      if (state === null) onUnknown(this.#unknown(request));
      else if (isRejected(state)) onUnknown(state);
      else if (isTerminal(state.status)) answer(summaryOf(state.order, 'CANCEL_REJECTED', alreadyOver(state)));
      else this.#send(sender, state.order, answer);
    };
    whenNamed(this.#parts, sender, { ref: request, takeUnstored }, cancelFound);
  }

  #send({ account, apiKey, onAdmitted }: Sender, order: ParentOrder, answer: (result: OrderSummary) => void): void {
    const { orderId } = order;
    this.#parts.commands.change(
      { kind: 'CancelParent', account, orderId, cancelCause: requestedBy('CLIENT', apiKey) },
      (outcome) => {
        if (outcome.kind === 'pending') answer(summaryOf(order, 'PENDING_CANCEL', null));
        else answer(summaryOf(order, 'CANCEL_REJECTED', outcome.rejection));
      },
      null,
    );
    onAdmitted?.();
  }

  /** Cancels the members of a batch. Answers once, in the order of the members. `onAdmitted`: all cancels are sent. */
  cancelMany(
    sender: Sender,
    body: unknown,
    answer: (result: OrRejection<readonly OrderSummary[]>) => void,
    onAdmitted: (() => void) | null = null,
  ): void {
    const members = parseCancelBatch(body);
    if (isRejected(members)) return answer(members);
    runBatch(
      members,
      (member, settle: (summary: OrderSummary) => void, onMemberAdmitted) => {
        this.cancel(memberOf(sender, onMemberAdmitted), member, (result) =>
          settle(isRejected(result) ? this.#unreadable(result.rejection) : result),
        );
      },
      answer,
      onAdmitted,
    );
  }

  /**
   * Cancels every open order of the account with an id up to `throughOrderId`, by default of all earlier creates: it
   * waits for those without an id. Answers when all have their outcome. Requests during a run share the next run, which
   * covers the largest of their bounds.
   */
  cancelAll(account: AccountId, cancelCause: CancelCause, answer: CancelAllAnswer, throughOrderId?: OrderId): void {
    const cancel = (through: OrderId, missed: Rejection | null): void =>
      this.#all.cancel(account, missed === null ? answer : (result) => answer({ ...result, missed }), {
        throughOrderId: through,
        sessions: NO_SESSIONS,
        cancelCause,
      });
    if (throughOrderId !== undefined) return cancel(throughOrderId, null);
    this.#parts.earlier.after(account, (refusal) => cancel(this.#parts.takeOrderId(), refusal));
  }

  /** Cancels the open orders that these sessions of the account have placed. Otherwise as `cancelAll`. */
  cancelSessions(account: AccountId, sessions: ReadonlySet<SessionNumber>, answer: CancelAllAnswer): void {
    this.#all.cancel(account, answer, { throughOrderId: 0, sessions, cancelCause: DISCONNECT_CAUSE });
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
 * The part of a cancelAll that the client sees: without orders that ended before their cancel. A rejection when no
 * shard accepted a cancel, or when it may have missed an order.
 */
export function reportedCancels({ orderIds, refusals, missed }: CancelAllResult): OrRejection<CancelAllResult> {
  if (missed !== undefined) {
    const message = `${orderIds.length} orders are being cancelled, but an earlier create is still being admitted; try again`;
    return new Rejected({ ...missed, message });
  }
  const reported = orderIds.filter((orderId) => {
    const refusal = refusals.get(orderId);
    return refusal === undefined || isUnavailability(refusal.code);
  });
  const first = reported[0] === undefined ? undefined : refusals.get(reported[0]);
  const areAllRefused = first !== undefined && reported.every((orderId) => refusals.has(orderId));
  return areAllRefused ? new Rejected(first) : { orderIds: reported, refusals };
}
