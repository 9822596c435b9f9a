import { isUnavailability } from '../api/field/error-code.js';
import { parseBatch } from '../api/order/order-control.js';
import { type OrderRef, parseOrderRef } from '../api/order/order-reference.js';
import type { OrderSummary } from '../api/order/order-details.js';
import { FairQueue } from '../domain/queues.js';
import type { ChangeOutcome } from '../domain/command.js';
import { runBatch } from './order-placement.js';
import type { OrderSender } from './trading-gate.js';
import type { AccountId, OrderId } from '../domain/ids.js';
import {
  CANCEL_INDEX_KEYS,
  CANCELS_IN_FLIGHT_MAX,
  CANCELS_IN_FLIGHT_PER_ACCOUNT_MAX,
  CANCELS_PER_TURN_MAX,
} from '../domain/limits/clients.js';
import { isTerminal } from '../domain/order.js';
import { isRejected, type OrRejection, type Rejection, Rejected } from '../domain/rejection.js';
import type { Clock } from '../domain/time.js';
import type { StateReader } from '../journal/port.js';
import { alreadyOver, namedOrder, unknownOrder } from './order-query.js';

/** The orders of a cancelAll, by ascending id. */
export interface CancelAllResult {
  readonly orderIds: readonly OrderId[];
  /** Refusals of cancels by order. All other orders are being cancelled. */
  readonly refusals: ReadonlyMap<OrderId, Rejection>;
}

export type CancelAllAnswer = (result: CancelAllResult) => void;

interface CancelAllParts {
  readonly commands: Pick<OrderSender, 'change'>;
  readonly reader: StateReader;
  /** Runs the function once, after the other work of this turn; by default in a later turn of the event loop. */
  readonly soon?: (run: () => void) => void;
}

/** A request that waits for the next cancelAll of its account. */
interface WaitingCancel {
  readonly answer: CancelAllAnswer;
  readonly throughOrderId: number;
}

/** A running cancelAll of an account, and the requests that wait for the next one. */
interface Run {
  readonly account: AccountId;
  readonly answers: readonly CancelAllAnswer[];
  /** Omits orders with larger ids. */
  readonly throughOrderId: number;
  readonly next: WaitingCancel[];
  readonly orderIds: OrderId[];
  readonly refusals: Map<OrderId, Rejection>;
  sentCount: number;
  settledCount: number;
}

/**
 * Cancels every open order of accounts. The orders are those of one instant. It reads their ids part by part, and sends a
 * bounded number of cancels at a time, account after account. A cancel of 100,000 orders therefore delays neither creates
 * nor cancels of others. All requests that come during a run of their account share the next run. Each of them covers
 * every order that was open when it came.
 */
class CancelAll {
  readonly #parts: CancelAllParts;
  readonly #soon: (run: () => void) => void;
  readonly #runs = new Map<AccountId, Run>();
  readonly #unsent = new FairQueue<AccountId, Run>();
  #inFlightCount = 0;
  #isSending = false;

  constructor(parts: CancelAllParts) {
    this.#parts = parts;
    this.#soon = parts.soon ?? ((run) => void setImmediate(run));
  }

  /** Answers when every order has its outcome. */
  cancel(account: AccountId, answer: CancelAllAnswer, throughOrderId: number): void {
    const underWay = this.#runs.get(account);
    if (underWay === undefined) this.#begin(account, [{ answer, throughOrderId }]);
    else underWay.next.push({ answer, throughOrderId });
  }

  #begin(account: AccountId, waiting: readonly WaitingCancel[]): void {
    const run: Run = {
      account,
      answers: waiting.map(({ answer }) => answer),
      throughOrderId: Math.max(...waiting.map(({ throughOrderId }) => throughOrderId)),
      next: [],
      orderIds: [],
      refusals: new Map(),
      sentCount: 0,
      settledCount: 0,
    };
    this.#runs.set(account, run);
    this.#open(run);
  }

  /** Waits until the store is complete: an acknowledged order must not be missed. */
  #open(run: Run): void {
    const { reader } = this.#parts;
    const snapshot = reader.complete();
    if (snapshot === null) return this.#soon(() => this.#open(run));
    this.#collect(run, snapshot.openOrderIds(run.account, CANCEL_INDEX_KEYS)[Symbol.iterator]());
  }

  /** Reads all ids before the first cancel is sent, so that they are of one instant. */
  #collect(run: Run, parts: Iterator<readonly OrderId[]>): void {
    const part = parts.next();
    if (part.done !== true) {
      for (const orderId of part.value) if (orderId <= run.throughOrderId) run.orderIds.push(orderId);
      if (part.value.length === CANCEL_INDEX_KEYS) return this.#soon(() => this.#collect(run, parts));
      parts.return?.();
    }
    if (run.orderIds.length === 0) return this.#finish(run);
    this.#unsent.add(run.account, run);
    this.#send();
  }

  /** An outcome may come within `commands.change`. The outer loop then continues, so the calls do not nest. */
  #send(): void {
    if (this.#isSending) return;
    this.#isSending = true;
    let turnCount = 0;
    while (this.#inFlightCount < CANCELS_IN_FLIGHT_MAX && turnCount < CANCELS_PER_TURN_MAX) {
      const run = this.#unsent.take();
      if (run === undefined) break;
      turnCount += 1;
      this.#sendNext(run);
      this.#queue(run);
    }
    this.#isSending = false;
    if (turnCount === CANCELS_PER_TURN_MAX && !this.#unsent.isEmpty) this.#soon(() => this.#send());
  }

  #queue(run: Run): void {
    const isFull = run.sentCount - run.settledCount >= CANCELS_IN_FLIGHT_PER_ACCOUNT_MAX;
    if (run.sentCount < run.orderIds.length && !isFull) this.#unsent.add(run.account, run);
  }

  #sendNext(run: Run): void {
    const { account } = run;
    const orderId = run.orderIds[run.sentCount] as OrderId;
    run.sentCount += 1;
    this.#inFlightCount += 1;
    const change = { kind: 'CancelParent', account, orderId } as const;
    this.#parts.commands.change(change, (outcome) => this.#settle(run, orderId, outcome), null);
  }

  #settle(run: Run, orderId: OrderId, outcome: ChangeOutcome): void {
    this.#inFlightCount -= 1;
    run.settledCount += 1;
    if (outcome.kind === 'refused') run.refusals.set(orderId, outcome.rejection);
    if (run.settledCount === run.orderIds.length) this.#finish(run);
    else this.#queue(run);
    this.#send();
  }

  #finish({ account, answers, next, orderIds, refusals }: Run): void {
    this.#runs.delete(account);
    if (next.length > 0) this.#begin(account, next);
    for (const answer of answers) answer({ orderIds, refusals });
  }
}

interface OrderCancellationParts extends CancelAllParts {
  readonly commands: Pick<OrderSender, 'change'>;
  readonly reader: StateReader;
  readonly clock: Clock;
}

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
    if (isRejected(state)) return answer(state);
    if (state === null) return answer(this.#unknown(request));
    const { orderId, clientOrderId, createdAtMs } = state.order;
    const summarise = (status: OrderSummary['status'], outcome: Rejection | null): void =>
      answer({ orderId, clientOrderId, status, createdAtMs, outcome });
    if (isTerminal(state.status)) return summarise('CANCEL_REJECTED', alreadyOver(state));
    this.#parts.commands.change(
      { kind: 'CancelParent', account, orderId },
      (outcome) => {
        if (outcome.kind === 'pending') summarise('PENDING_CANCEL', null);
        else summarise('CANCEL_REJECTED', outcome.rejection);
      },
      null,
    );
  }

  /** Cancels the members of a batch. Answers once, in the order of the members. */
  cancelMany(account: AccountId, body: unknown, answer: (result: OrRejection<readonly OrderSummary[]>) => void): void {
    const members = parseBatch(body);
    if (isRejected(members)) return answer(members);
    runBatch(
      members,
      (member, settle: (summary: OrderSummary) => void) =>
        this.cancel(account, member, (result) =>
          settle(isRejected(result) ? this.#unreadable(result.rejection) : result),
        ),
      answer,
    );
  }

  /**
   * Cancels every open order of the account, or those with ids up to `throughOrderId`. Answers when all have their outcome.
   * Requests during a run share the next run, which covers the largest of their bounds.
   */
  cancelAll(account: AccountId, answer: CancelAllAnswer, throughOrderId: number = Infinity): void {
    this.#all.cancel(account, answer, throughOrderId);
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
