import type { AccountId } from '../domain/ids.js';
import { ANSWER_WAIT_MS, EARLIER_CREATES_WAIT_MS } from '../domain/limits/clients.js';
import type { Rejection } from '../domain/rejection.js';

/** A create or a batch. It is done when each of its orders has an id or is refused. */
interface Admission {
  readonly number: number;
  readonly sinceMs: number;
  /** Parts of it that are not done. */
  partCount: number;
  isDone: boolean;
}

type Run = (refusal: Rejection | null) => void;

/** A change that waits, until its longest time. */
interface Wait {
  readonly run: Run;
  readonly timer: NodeJS.Timeout;
}

interface Waiter {
  /** Of the last admission that came before. */
  readonly number: number;
  readonly onAdmitted: () => void;
}

/**
 * Calls `run` when the creates of the account that have an id are durable. Returns false, and does not call it, when
 * all of them are.
 */
export type AfterPending = (account: AccountId, run: () => void) => boolean;

interface EarlierCreatesParts {
  readonly monotonicMs: () => number;
  readonly afterPending: AfterPending;
}

interface Line {
  /** Oldest first. The first one is not done. */
  readonly admissions: Admission[];
  /** Oldest first, so their numbers ascend. */
  readonly waiters: Waiter[];
}

/**
 * The creates of each account that the service has taken and that have no order id yet: members of a batch whose turn
 * has not come, and orders that wait for a price or for the counts of their risk limits. A cancel, pause, resume or
 * amendment waits for those that came before it, so it never answers "is unknown" for an order that appears a moment
 * later.
 *
 *     create  1 ──────────────▶ id
 *     batch   2 ────────────────────▶ ids
 *     cancel        waits for 1 and 2 ▶ runs       create 3 came after it
 */
export class EarlierCreates {
  readonly #parts: EarlierCreatesParts;
  readonly #lines = new Map<AccountId, Line>();
  readonly #waits: Wait[] = [];
  #lastNumber = 0;
  /** The request whose creates are being made; null: none that was deferred. */
  #deferred: Admission | null = null;

  constructor(parts: EarlierCreatesParts) {
    this.#parts = parts;
  }

  /**
   * Notes a create or a batch. Call the result, once or more often, when each of its orders has an id or is refused.
   */
  begin(account: AccountId): () => void {
    const line = this.#lines.get(account) ?? { admissions: [], waiters: [] };
    const admission = this.#deferred ?? this.#join(account, line);
    admission.partCount += 1;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      admission.partCount -= 1;
      if (admission.partCount > 0 || admission.isDone) return;
      admission.isDone = true;
      this.#advance(account, line);
    };
  }

  /**
   * Notes a request that cannot make its creates yet. Call the result once, with the function that makes them: they
   * keep the place of the request.
   */
  defer(account: AccountId): (make: () => void) => void {
    const end = this.begin(account);
    const admission = this.#lines.get(account)!.admissions.at(-1)!;
    return (make) => {
      this.#deferred = admission;
      try {
        make();
      } finally {
        this.#deferred = null;
        end();
      }
    };
  }

  #join(account: AccountId, line: Line): Admission {
    this.#lastNumber += 1;
    const sinceMs = this.#parts.monotonicMs();
    const admission: Admission = { number: this.#lastNumber, sinceMs, partCount: 0, isDone: false };
    line.admissions.push(admission);
    this.#lines.set(account, line);
    return admission;
  }

  /** True when a create of the account has no id yet. */
  isAny(account: AccountId): boolean {
    return this.#lines.has(account);
  }

  /**
   * Runs once when every earlier create of the account has its id or is refused: at once when there is none. After
   * EARLIER_CREATES_WAIT_MS it runs with a refusal.
   */
  after(account: AccountId, run: Run): void {
    const line = this.#lines.get(account);
    if (line === undefined) return run(null);
    const wait = this.#begin(run);
    this.#queue(line, () => this.#end(wait, null));
  }

  /**
   * Runs once when every earlier create of the account is durable or refused, or with a refusal after
   * EARLIER_CREATES_WAIT_MS. Returns false, and does not run, when all of them are.
   */
  afterDurable(account: AccountId, run: Run): boolean {
    const { afterPending } = this.#parts;
    const wait = this.#begin(run);
    const end = (): void => this.#end(wait, null);
    const line = this.#lines.get(account);
    if (line === undefined) {
      const isWaiting = afterPending(account, end);
      if (!isWaiting) this.#forget(wait);
      return isWaiting;
    }
    this.#queue(line, () => {
      if (!afterPending(account, end)) end();
    });
    return true;
  }

  /** Ends the waits with the refusal. */
  close(): void {
    while (this.#waits.length > 0) this.#end(this.#waits[0]!, STILL_ADMITTED);
  }

  #queue({ admissions, waiters }: Line, onAdmitted: () => void): void {
    waiters.push({ number: admissions.at(-1)!.number, onAdmitted });
  }

  #begin(run: Run): Wait {
    const sinceMs = this.#parts.monotonicMs();
    const onLongest = (): void => {
      this.#forgetLost(sinceMs - ANSWER_WAIT_MS);
      this.#end(wait, STILL_ADMITTED);
    };
    const wait: Wait = { run, timer: setTimeout(onLongest, EARLIER_CREATES_WAIT_MS) };
    this.#waits.push(wait);
    return wait;
  }

  #end(wait: Wait, refusal: Rejection | null): void {
    if (this.#forget(wait)) wait.run(refusal);
  }

  /** Returns false when the wait has ended. */
  #forget(wait: Wait): boolean {
    const index = this.#waits.indexOf(wait);
    if (index === -1) return false;
    this.#waits.splice(index, 1);
    clearTimeout(wait.timer);
    return true;
  }

  /**
   * Forgets creates that an internal error has left without an end: they must not hold up every later cancel. A create
   * is lost when a change has waited its longest time for it and it was too old before: after a standstill of the
   * thread an old create goes on in the first turn.
   */
  #forgetLost(untilMs: number): void {
    for (const [account, line] of this.#lines) {
      for (const admission of line.admissions) admission.isDone ||= admission.sinceMs <= untilMs;
      this.#advance(account, line);
    }
  }

  #advance(account: AccountId, line: Line): void {
    const { admissions, waiters } = line;
    const firstOpen = admissions.findIndex(({ isDone }) => !isDone);
    admissions.splice(0, firstOpen === -1 ? admissions.length : firstOpen);
    if (admissions.length === 0) this.#lines.delete(account);
    const next = admissions[0]?.number ?? Infinity;
    const readyCount = waiters.filter(({ number }) => number < next).length;
    for (const { onAdmitted } of waiters.splice(0, readyCount)) onAdmitted();
  }
}

const STILL_ADMITTED: Rejection = {
  code: 'SYSTEM_BUSY',
  message: 'an earlier create of the account is still being admitted; nothing was changed, try again',
};
