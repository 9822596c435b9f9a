import type { StateReader } from '../journal/port.js';
import { FairQueue } from '../model/fair-queue.js';
import type { AccountId, OrderId } from '../model/ids.js';
import {
  CANCEL_INDEX_KEYS,
  CANCELS_IN_FLIGHT_MAX,
  CANCELS_IN_FLIGHT_PER_ACCOUNT_MAX,
  CANCELS_PER_TURN_MAX,
} from '../model/limits.js';
import type { Rejection } from '../model/rejection.js';
import type { ChangeOutcome, OrderDesk } from './port.js';

/** The orders of a cancelAll, by ascending id. */
export interface CancelAllResult {
  readonly orderIds: readonly OrderId[];
  /** Why an order could not be cancelled; the others are being cancelled. */
  readonly refusals: ReadonlyMap<OrderId, Rejection>;
}

export type CancelAllAnswer = (result: CancelAllResult) => void;

export interface CancelAllParts {
  readonly desk: Pick<OrderDesk, 'change'>;
  readonly reader: StateReader;
  /** Runs once after the other work of the thread had its turn; by default a later turn of the loop. */
  readonly soon?: (run: () => void) => void;
}

/** One cancelAll of an account that is under way, and the requests that wait for the one after it. */
interface Run {
  readonly account: AccountId;
  readonly answers: readonly CancelAllAnswer[];
  readonly next: CancelAllAnswer[];
  readonly orderIds: OrderId[];
  readonly refusals: Map<OrderId, Rejection>;
  sentCount: number;
  settledCount: number;
}

/**
 * Cancels every open order of accounts. The orders are those of one instant; their ids are read part by part, and their
 * cancels are sent a bounded number at a time, account after account. So a cancel of 100,000 orders delays neither the
 * creates of others nor their cancels. While a run of an account is under way, all requests that come meanwhile share
 * the next one: each of them covers every order that was open when it came.
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
  cancel(account: AccountId, answer: CancelAllAnswer): void {
    const underWay = this.#runs.get(account);
    if (underWay === undefined) this.#begin(account, [answer]);
    else underWay.next.push(answer);
  }

  #begin(account: AccountId, answers: readonly CancelAllAnswer[]): void {
    const run: Run = {
      account,
      answers,
      next: [],
      orderIds: [],
      refusals: new Map(),
      sentCount: 0,
      settledCount: 0,
    };
    this.#runs.set(account, run);
    this.#open(run);
  }

  /** Waits for the store: an order that was acknowledged before must not be left out. */
  #open(run: Run): void {
    const { reader } = this.#parts;
    if (!reader.refresh()) return this.#soon(() => this.#open(run));
    this.#collect(run, reader.openOrderIds(run.account, CANCEL_INDEX_KEYS)[Symbol.iterator]());
  }

  /** Reads the ids before the first cancel is sent: they are those of one instant. */
  #collect(run: Run, parts: Iterator<readonly OrderId[]>): void {
    const part = parts.next();
    if (part.done !== true) {
      for (const orderId of part.value) run.orderIds.push(orderId);
      if (part.value.length === CANCEL_INDEX_KEYS) return this.#soon(() => this.#collect(run, parts));
      parts.return?.();
    }
    if (run.orderIds.length === 0) return this.#finish(run);
    this.#unsent.add(run.account, run);
    this.#send();
  }

  /** An outcome may come at once, from within `desk.change`: the loop then goes on, and the call nests no deeper. */
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
    this.#parts.desk.change(change, (outcome) => this.#settle(run, orderId, outcome), null);
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
