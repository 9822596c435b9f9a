import type { AccountId } from '../domain/ids.js';
import { ANSWER_WAIT_MS, EARLIER_CREATES_WAIT_MS } from '../domain/limits/clients.js';
import type { Rejection } from '../domain/rejection.js';

/** A create or a batch. It is done when each of its orders has an id or is refused. */
interface Admission {
  readonly number: number;
  readonly sinceMs: number;
  isDone: boolean;
}

interface Waiter {
  /** Of the last admission that came before. */
  readonly number: number;
  readonly run: (refusal: Rejection | null) => void;
  timer: NodeJS.Timeout | null;
}

interface Line {
  /** Oldest first. The first one is not done. */
  readonly admissions: Admission[];
  /** Oldest first, so their numbers ascend. */
  readonly waiters: Waiter[];
}

/**
 * The creates of each account that the service has taken and that have no order id yet: members of a batch whose turn has
 * not come, and orders that wait for a price or for the counts of their risk limits. A cancel, pause, resume or amendment
 * waits for those that came before it, so it never answers "is unknown" for an order that appears a moment later.
 *
 *     create  1 ──────────────▶ id
 *     batch   2 ────────────────────▶ ids
 *     cancel        waits for 1 and 2 ▶ runs       create 3 came after it
 */
export class EarlierCreates {
  readonly #monotonicMs: () => number;
  readonly #lines = new Map<AccountId, Line>();
  #lastNumber = 0;

  constructor({ monotonicMs }: { readonly monotonicMs: () => number }) {
    this.#monotonicMs = monotonicMs;
  }

  /** Notes a create or a batch. Call the result, once or more often, when each of its orders has an id or is refused. */
  begin(account: AccountId): () => void {
    this.#lastNumber += 1;
    const admission: Admission = { number: this.#lastNumber, sinceMs: this.#monotonicMs(), isDone: false };
    const line = this.#lines.get(account) ?? { admissions: [], waiters: [] };
    line.admissions.push(admission);
    this.#lines.set(account, line);
    return () => {
      if (admission.isDone) return;
      admission.isDone = true;
      this.#advance(account, line);
    };
  }

  /** True when a create of the account has no id yet. */
  isAny(account: AccountId): boolean {
    return this.#lineOf(account) !== null;
  }

  /**
   * Runs once when every earlier create of the account has its id or is refused: at once when there is none. After
   * EARLIER_CREATES_WAIT_MS it runs with a refusal.
   */
  after(account: AccountId, run: (refusal: Rejection | null) => void): void {
    const line = this.#lineOf(account);
    if (line === null) return run(null);
    const waiter: Waiter = { number: line.admissions.at(-1)!.number, run, timer: null };
    waiter.timer = setTimeout(() => {
      line.waiters.splice(line.waiters.indexOf(waiter), 1);
      run(STILL_ADMITTED);
    }, EARLIER_CREATES_WAIT_MS);
    line.waiters.push(waiter);
  }

  /** Ends the waits with the refusal. */
  close(): void {
    for (const { waiters } of this.#lines.values()) release(waiters.splice(0), STILL_ADMITTED);
  }

  /** Forgets creates that an internal error has left without an end: they must not hold up every later cancel. */
  #lineOf(account: AccountId): Line | null {
    const line = this.#lines.get(account);
    if (line === undefined) return null;
    const lostMs = this.#monotonicMs() - ANSWER_WAIT_MS;
    for (const admission of line.admissions) admission.isDone ||= admission.sinceMs <= lostMs;
    this.#advance(account, line);
    return line.admissions.length > 0 ? line : null;
  }

  #advance(account: AccountId, line: Line): void {
    const { admissions, waiters } = line;
    const firstOpen = admissions.findIndex(({ isDone }) => !isDone);
    admissions.splice(0, firstOpen === -1 ? admissions.length : firstOpen);
    if (admissions.length === 0) this.#lines.delete(account);
    const next = admissions[0]?.number ?? Infinity;
    const readyCount = waiters.filter(({ number }) => number < next).length;
    release(waiters.splice(0, readyCount), null);
  }
}

function release(waiters: readonly Waiter[], refusal: Rejection | null): void {
  for (const { run, timer } of waiters) {
    clearTimeout(timer!);
    run(refusal);
  }
}

export const STILL_ADMITTED: Rejection = {
  code: 'SYSTEM_BUSY',
  message: 'an earlier create of the account is still being admitted; nothing was changed, try again',
};
