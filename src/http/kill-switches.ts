import type { StateReader } from '../journal/port.js';
import type { Halt } from '../model/guardrail.js';
import type { AccountId } from '../model/ids.js';
import { GUARDRAIL_LOOK_MS, KILL_SWEEP_MS_MAX, KILL_SWEEP_MS_MIN } from '../model/limits.js';
import type { OrderCancellation } from './order-cancellation.js';
import type { HaltDirectory, HttpLog, KillSwitchStore } from './port.js';

export interface KillSwitchesParts {
  readonly store: KillSwitchStore;
  readonly halts: HaltDirectory;
  readonly cancellation: Pick<OrderCancellation, 'cancelAll'>;
  readonly reader: Pick<StateReader, 'refresh' | 'openOrders' | 'accountsWithOpenOrders'>;
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
    const { halts, reader, cancellation, log } = this.#parts;
    if (!halts.isServiceHalted && halts.haltedAccounts.length === 0) return;
    reader.refresh();
    const accounts = halts.isServiceHalted ? reader.accountsWithOpenOrders() : halts.haltedAccounts;
    const uncancelled = accounts.filter((account) => this.#hasUncancelled(account));
    if (uncancelled.length === 0) {
      this.#waitMs = Math.min(2 * this.#waitMs, KILL_SWEEP_MS_MAX);
      return this.#sweepAfter(this.#waitMs);
    }
    this.#waitMs = KILL_SWEEP_MS_MIN;
    let missingCount = uncancelled.length;
    for (const account of uncancelled) {
      cancellation.cancelAll(account, (results) => {
        log.info({ account, orders: results.length }, 'the kill switch is engaged: every open order is cancelled');
        missingCount -= 1;
        if (missingCount === 0) this.#sweepAfter(this.#waitMs);
      });
    }
  }

  #hasUncancelled(account: AccountId): boolean {
    return this.#parts.reader.openOrders(account).some(({ status }) => status !== 'PENDING_CANCEL');
  }
}
