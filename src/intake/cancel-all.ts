import { FairQueue } from '../domain/queues.js';
import type { CancelCause } from '../domain/cancel-cause.js';
import type { ChangeOutcome } from '../domain/command.js';
import type { AccountId, OrderId, SessionNumber } from '../domain/ids.js';
import {
  CANCEL_INDEX_KEYS,
  CANCEL_ORDERS_READ_PER_TURN_MAX,
  CANCELS_IN_FLIGHT_MAX,
  CANCELS_IN_FLIGHT_PER_ACCOUNT_MAX,
  CANCELS_PER_TURN_MAX,
} from '../domain/limits/clients.js';
import { InvariantViolation, type Rejection } from '../domain/rejection.js';
import type { StateReader } from '../journal/port.js';
import type { WhenComplete } from '../journal/complete-reads.js';
import type { ParentOrder } from '../domain/order.js';
import type { PendingOrder } from '../risk/exposure-reading.js';
import type { OrderSender } from './trading-gate.js';

/** The orders of a cancelAll, by ascending id. */
export interface CancelAllResult {
  readonly orderIds: readonly OrderId[];
  /** Refusals of cancels by order. All other orders are being cancelled. */
  readonly refusals: ReadonlyMap<OrderId, Rejection>;
  /** An earlier create had no id, or was not durable, after the longest wait: its order may be open. Absent: none. */
  readonly missed?: Rejection;
}

export type CancelAllAnswer = (result: CancelAllResult) => void;

export interface CancelAllParts {
  readonly commands: Pick<OrderSender, 'change'>;
  readonly reader: StateReader;
  readonly whenComplete: WhenComplete;
  /** Creates and amendments of the account whose outcome is not known yet. */
  readonly pendingOrders: (account: AccountId) => Iterable<PendingOrder>;
  /** Runs the function once, after the other work of this turn; by default in a later turn of the event loop. */
  readonly soon?: (run: () => void) => void;
}

interface SelectedOrders {
  /** All orders with ids up to this one; 0: none. */
  readonly throughOrderId: number;
  /** The orders that these sessions have placed. */
  readonly sessions: ReadonlySet<SessionNumber>;
}

/** The open orders of an account that a cancelAll covers. */
export interface CancelSelection extends SelectedOrders {
  readonly cancelCause: CancelCause;
}

/** A request that waits for the next cancelAll of its account. */
interface WaitingCancel {
  readonly answer: CancelAllAnswer;
  readonly selection: CancelSelection;
}

/** A running cancelAll of an account, and the requests that wait for the next one. */
interface Run {
  readonly account: AccountId;
  readonly answers: readonly CancelAllAnswer[];
  /** The selections of its requests, in the order of the requests, and all of them together. */
  readonly selections: readonly CancelSelection[];
  readonly union: SelectedOrders;
  readonly next: WaitingCancel[];
  /** Orders of the selection that are not durable yet. Their cancels wait for them in the gateway. */
  readonly pending: Set<OrderId>;
  readonly orderIds: OrderId[];
  readonly refusals: Map<OrderId, Rejection>;
  /** The refusal of an order that is still not durable; null: none. No list shows such an order. */
  missed: Rejection | null;
  sentCount: number;
  settledCount: number;
}

/**
 * Cancels every open order of accounts, also those that are not durable yet. The orders are those of one instant. It
 * reads their ids part by part, and sends a bounded number of cancels at a time, account after account. A cancel of
 * 100,000 orders therefore delays neither creates nor cancels of others. All requests that come during a run of their
 * account share the next run. Each of them covers every order of its selection that was open when it came.
 */
export class CancelAll {
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
  cancel(account: AccountId, answer: CancelAllAnswer, selection: CancelSelection): void {
    const underWay = this.#runs.get(account);
    if (underWay === undefined) this.#begin(account, [{ answer, selection }]);
    else underWay.next.push({ answer, selection });
  }

  #begin(account: AccountId, waiting: readonly WaitingCancel[]): void {
    const selections = waiting.map(({ selection }) => selection);
    const run: Run = {
      account,
      answers: waiting.map(({ answer }) => answer),
      selections,
      union: unionOf(selections),
      next: [],
      pending: new Set(),
      orderIds: [],
      refusals: new Map(),
      missed: null,
      sentCount: 0,
      settledCount: 0,
    };
    this.#runs.set(account, run);
    this.#open(run);
  }

  /** Waits until the store is complete: an acknowledged order must not be missed. */
  #open(run: Run): void {
    const { pendingOrders, whenComplete } = this.#parts;
    // Before the read: it may lack those that are durable by then.
    for (const { kind, order } of pendingOrders(run.account)) {
      if (kind === 'CreateParent' && isSelected(run.union, order)) run.pending.add(order.orderId);
    }
    whenComplete(
      (snapshot) => {
        if (snapshot === null) return this.#soon(() => this.#open(run));
        const ids = snapshot.openOrderIds(run.account, CANCEL_INDEX_KEYS)[Symbol.iterator]();
        this.#collect(run, ids, Math.min(...run.union.sessions), []);
      },
      { account: run.account },
    );
  }

  /**
   * Reads all ids before the first cancel is sent, so that they are of one instant. An order of a session has a larger
   * id than the session's number, and only such orders are read.
   */
  #collect(run: Run, parts: Iterator<readonly OrderId[]>, firstSession: number, others: OrderId[]): void {
    const part = parts.next();
    if (part.done !== true) {
      for (const orderId of part.value) {
        // Durable, and not answered yet.
        run.pending.delete(orderId);
        if (orderId <= run.union.throughOrderId) run.orderIds.push(orderId);
        else if (orderId > firstSession) others.push(orderId);
      }
      if (part.value.length === CANCEL_INDEX_KEYS) {
        return this.#soon(() => this.#collect(run, parts, firstSession, others));
      }
      parts.return?.();
    }
    this.#addOrdersOfSessions(run, others, 0);
  }

  #addOrdersOfSessions(run: Run, others: readonly OrderId[], from: number): void {
    const state = this.#parts.reader.recent();
    const end = Math.min(others.length, from + CANCEL_ORDERS_READ_PER_TURN_MAX);
    for (const orderId of others.slice(from, end)) {
      const session = state.order(orderId)?.order.session ?? null;
      if (session !== null && run.union.sessions.has(session)) run.orderIds.push(orderId);
    }
    if (end < others.length) return this.#soon(() => this.#addOrdersOfSessions(run, others, end));
    if (run.pending.size > 0) {
      run.orderIds.push(...run.pending);
      run.orderIds.sort((one, other) => one - other);
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
    const cancelCause = causeOf(run, orderId);
    const change = { kind: 'CancelParent', account, orderId, cancelCause } as const;
    this.#parts.commands.change(change, (outcome) => this.#settle(run, orderId, outcome), null);
  }

  #settle(run: Run, orderId: OrderId, outcome: ChangeOutcome): void {
    this.#inFlightCount -= 1;
    run.settledCount += 1;
    if (outcome.kind === 'refused') {
      run.refusals.set(orderId, outcome.rejection);
      if (outcome.isUnresolved === true && run.pending.has(orderId)) run.missed ??= outcome.rejection;
    }
    if (run.settledCount === run.orderIds.length) this.#finish(run);
    else this.#queue(run);
    this.#send();
  }

  #finish({ account, answers, next, orderIds, refusals, missed }: Run): void {
    this.#runs.delete(account);
    if (next.length > 0) this.#begin(account, next);
    for (const answer of answers) answer({ orderIds, refusals, ...(missed !== null && { missed }) });
  }
}

/**
 * The cause of the first request of a run that covers all orders up to this one. When there is none, the order is of a
 * session.
 */
function causeOf({ selections }: Run, orderId: OrderId): CancelCause {
  const found =
    selections.find(({ throughOrderId }) => orderId <= throughOrderId) ??
    selections.find(({ sessions }) => sessions.size > 0);
  if (found === undefined) throw new InvariantViolation(`a request of the run covers order ${orderId}`);
  return found.cancelCause;
}

function isSelected({ throughOrderId, sessions }: SelectedOrders, { orderId, session }: ParentOrder): boolean {
  return orderId <= throughOrderId || (session !== null && sessions.has(session));
}

function unionOf(selections: readonly SelectedOrders[]): SelectedOrders {
  return {
    throughOrderId: Math.max(...selections.map(({ throughOrderId }) => throughOrderId)),
    sessions: new Set(selections.flatMap(({ sessions }) => [...sessions])),
  };
}
