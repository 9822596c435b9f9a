import { CANCEL_ALL_AFTER_CAUSE } from '../domain/cancel-cause.js';
import type { CancelAllAfterTimer } from '../domain/command.js';
import type { AccountId, OrderId } from '../domain/ids.js';
import { CANCEL_ALL_AFTER_RETRY_MS } from '../domain/limits/clients.js';
import type { DurationMs } from '../domain/time.js';
import { isUnavailability } from '../api/field/error-code.js';
import type { CancelAllAnswer } from './cancel-all.js';
import type { OrderCancellation } from './order-cancellation.js';

/** Stores the timers of accounts. */
export interface CancelAllAfterStore {
  load(): Iterable<readonly [AccountId, CancelAllAfterTimer]>;
  /** null: off. Calls back once it is on disk, in the order of the calls. */
  put(account: AccountId, timer: CancelAllAfterTimer | null, onDisk: () => void): void;
}

interface CancelAllAfterParts {
  readonly store: CancelAllAfterStore;
  readonly cancellation: Pick<OrderCancellation, 'cancelAll'>;
  /** Returns a new order id: larger than every id so far, smaller than every later one. No order gets it. */
  readonly takeOrderId: () => OrderId;
  /** Real time, epoch milliseconds: for answers to clients. */
  readonly realNowMs: () => number;
  /** Real time without the steps of the wall clock: for stored times, so that a clock step changes no timer. */
  readonly steadyRealMs: () => number;
  readonly log: { info(context: object, message: string): void };
}

/**
 * Cancels every open order of an account when its timer is not renewed in time:
 *
 *     timer expires ─▶ bound of order ids on disk ─▶ cancels of the orders up to the bound ─▶ timer removed from disk
 *
 * The timer stays stored until every order has its cancel, so neither a crash nor a shard that is down loses it. After
 * a crash it fires again with the same bound. Later orders have larger ids and stay open (adr/0057).
 */
export class CancelAllAfter {
  readonly #parts: CancelAllAfterParts;
  readonly #set: Map<AccountId, CancelAllAfterTimer>;
  readonly #timers = new Map<AccountId, NodeJS.Timeout>();

  /** Starts the stored timers. Expired ones fire in the next turn of the event loop. */
  constructor(parts: CancelAllAfterParts) {
    this.#parts = parts;
    this.#set = new Map(parts.store.load());
    for (const account of this.#set.keys()) this.#arm(account);
  }

  /** `timeoutMs`: real time from now; 0: off. Answers once it is on disk, with the time of the cancel; null: off. */
  set(account: AccountId, timeoutMs: DurationMs, answer: (triggerAtMs: number | null) => void): void {
    const { realNowMs, steadyRealMs, store } = this.#parts;
    const triggerAtMs = timeoutMs === 0 ? null : steadyRealMs() + timeoutMs;
    const shownAtMs = timeoutMs === 0 ? null : realNowMs() + timeoutMs;
    const timer = triggerAtMs === null ? null : { triggerAtMs, throughOrderId: null };
    if (timer === null) this.#set.delete(account);
    else this.#set.set(account, timer);
    this.#arm(account);
    store.put(account, timer, () => answer(shownAtMs));
  }

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #arm(account: AccountId, notBeforeMs = 0): void {
    clearTimeout(this.#timers.get(account));
    this.#timers.delete(account);
    const timer = this.#set.get(account);
    if (timer === undefined) return;
    const waitMs = Math.max(0, timer.triggerAtMs - this.#parts.steadyRealMs(), notBeforeMs);
    this.#timers.set(
      account,
      setTimeout(() => this.#fire(account, timer), waitMs),
    );
  }

  #fire(account: AccountId, timer: CancelAllAfterTimer): void {
    if (timer.throughOrderId !== null) return this.#cancel(account, timer, timer.throughOrderId);
    const { store, takeOrderId } = this.#parts;
    const throughOrderId = takeOrderId();
    const fired = { ...timer, throughOrderId };
    this.#set.set(account, fired);
    store.put(account, fired, () => {
      // The timer was renewed before the bound was on disk.
      if (this.#set.get(account) === fired) this.#cancel(account, fired, throughOrderId);
    });
  }

  #cancel(account: AccountId, fired: CancelAllAfterTimer, throughOrderId: OrderId): void {
    const answer: CancelAllAnswer = ({ orderIds, refusals }) => {
      // The timer was renewed during the cancel.
      if (this.#set.get(account) !== fired) return;
      const isUndone = [...refusals.values()].some(({ code }) => isUnavailability(code));
      if (isUndone) return this.#arm(account, CANCEL_ALL_AFTER_RETRY_MS);
      this.#parts.log.info(
        { account, orders: orderIds.length },
        'the cancel-all-after timer expired; cancelled every open order',
      );
      this.#set.delete(account);
      this.#timers.delete(account);
      this.#parts.store.put(account, null, () => undefined);
    };
    this.#parts.cancellation.cancelAll(account, CANCEL_ALL_AFTER_CAUSE, answer, throughOrderId);
  }
}
