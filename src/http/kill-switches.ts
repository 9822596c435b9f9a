import type { StateReader } from '../journal/port.js';
import type { Halt } from '../model/guardrail.js';
import type { AccountId, OrderId } from '../model/ids.js';
import {
  CANCEL_INDEX_KEYS,
  GUARDRAIL_LOOK_MS,
  KILL_LOOK_ORDERS,
  KILL_SWEEP_MS_MAX,
  KILL_SWEEP_MS_MIN,
} from '../model/limits.js';
import { isTerminal, type ParentState } from '../model/order.js';
import type { OrderCancellation } from './order-cancellation.js';
import type { HaltDirectory, HttpLog, KillSwitchStore } from './port.js';

export interface KillSwitchesParts {
  readonly store: KillSwitchStore;
  readonly halts: HaltDirectory;
  readonly cancellation: Pick<OrderCancellation, 'cancelAll'>;
  readonly reader: Pick<StateReader, 'refresh' | 'order' | 'openOrderIds' | 'accountsWithOpenOrders'>;
  /** Real time of day in milliseconds. */
  readonly realNowMs: () => number;
  readonly log: HttpLog;
}

/**
 * Cancels what is open wherever a kill switch is engaged, by a key or by the operator in another process, and goes on
 * looking for as long as it is: a create may have been on its way, a shard down. That nothing new comes in is the
 * guardrails' part.
 */
export class KillSwitches {
  readonly #parts: KillSwitchesParts;
  readonly #look: NodeJS.Timeout;
  #sweep: NodeJS.Timeout | undefined;
  #waitMs = KILL_SWEEP_MS_MIN;
  #isLooking = false;
  /** Something has changed while it was looking. */
  #mustLookAgain = false;
  #isClosed = false;

  /** Takes up what is engaged already with the next turn of the loop. */
  constructor(parts: KillSwitchesParts) {
    this.#parts = parts;
    parts.halts.onChange(() => this.#sweepAfter(0));
    this.#look = setInterval(() => parts.halts.look(), GUARDRAIL_LOOK_MS);
    this.#sweepAfter(0);
  }

  /** Halts the account's trading. Answers when that is on disk, with the switch that halts it. */
  engage(account: AccountId, answer: (halt: Halt | null) => void): void {
    const { store, halts, realNowMs } = this.#parts;
    store.engage({ kind: 'account', account }, { engagedAtMs: realNowMs(), by: 'API_KEY' }, () => {
      halts.look(true);
      answer(halts.haltOf(account));
    });
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#look);
    clearTimeout(this.#sweep);
  }

  #sweepAfter(waitMs: number): void {
    clearTimeout(this.#sweep);
    if (this.#isClosed) return;
    if (waitMs === 0) this.#waitMs = KILL_SWEEP_MS_MIN;
    this.#sweep = setTimeout(() => this.#cancelOpen(), waitMs);
  }

  /** Looks less and less often while there is nothing to cancel: orders that wait for their venue cost time to look at. */
  #cancelOpen(): void {
    const { halts, reader } = this.#parts;
    if (!halts.isServiceHalted && halts.haltedAccounts.length === 0) return;
    this.#mustLookAgain = this.#isLooking;
    if (this.#isLooking) return;
    this.#isLooking = true;
    reader.refresh();
    const accounts = halts.isServiceHalted ? reader.accountsWithOpenOrders() : halts.haltedAccounts;
    this.#lookAt(accounts, (uncancelled) => this.#cancelAll(uncancelled));
  }

  #cancelAll(uncancelled: readonly AccountId[]): void {
    const { cancellation, log } = this.#parts;
    this.#isLooking = false;
    if (this.#isClosed) return;
    if (uncancelled.length === 0 && this.#mustLookAgain) return this.#sweepAfter(0);
    if (uncancelled.length === 0) {
      this.#waitMs = Math.min(2 * this.#waitMs, KILL_SWEEP_MS_MAX);
      return this.#sweepAfter(this.#waitMs);
    }
    this.#waitMs = KILL_SWEEP_MS_MIN;
    let missingCount = uncancelled.length;
    for (const account of uncancelled) {
      cancellation.cancelAll(account, ({ orderIds }) => {
        log.info({ account, orders: orderIds.length }, 'the kill switch is engaged: every open order is cancelled');
        missingCount -= 1;
        if (missingCount === 0) this.#sweepAfter(this.#waitMs);
      });
    }
  }

  /** Finds the accounts with an order that is not being cancelled. */
  #lookAt(accounts: readonly AccountId[], done: (uncancelled: readonly AccountId[]) => void): void {
    const uncancelled: AccountId[] = [];
    const looks = this.#looks(accounts, uncancelled);
    const look = (): void => {
      if (looks.next().done === true) done(uncancelled);
      else if (this.#isClosed) looks.return();
      else setImmediate(look);
    };
    look();
  }

  /** Yields after every KILL_LOOK_ORDERS orders and every CANCEL_INDEX_KEYS ids. */
  *#looks(accounts: readonly AccountId[], uncancelled: AccountId[]): Generator<void, void> {
    const { reader } = this.#parts;
    let count = 0;
    for (const account of accounts) {
      const orderIds: OrderId[] = [];
      for (const part of reader.openOrderIds(account, CANCEL_INDEX_KEYS)) {
        for (const orderId of part) orderIds.push(orderId);
        if (part.length === CANCEL_INDEX_KEYS) yield;
      }
      for (const orderId of orderIds) {
        count += 1;
        if (count % KILL_LOOK_ORDERS === 0) yield;
        if (!isToCancel(reader.order(orderId))) continue;
        uncancelled.push(account);
        break;
      }
    }
  }
}

/** Open, and not being cancelled; null: it has ended and is no longer kept. */
function isToCancel(state: ParentState | null): boolean {
  return state !== null && !isTerminal(state.status) && state.status !== 'PENDING_CANCEL';
}
