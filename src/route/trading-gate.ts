import type { AccountId } from '../model/ids.js';
import type { Rejection } from '../model/rejection.js';
import { type HaltReason, type TradingHalt, type TradingMode } from '../model/trading-halt.js';

/**
 * The one switch between trading and "cancels and reads only". Whatever halts trading calls `halt` with its reason, and
 * `lift` with the same reason when that is over; trading goes on when no reason is left.
 *
 *     gate.halt({ reason: 'DISK_FULL', sinceMs: Date.now(), message: 'the disk has 12 MB left', exempt: [] })
 *     gate.lift('DISK_FULL')
 *
 * While an account is halted:
 * - creates (single, batch, multi-leg), resumes and amendments that add quantity answer 503 SYSTEM_BUSY with the halt's
 *   message (`GatedOrderDesk`);
 * - shards place no child for its orders, hedges included (they hear of `mode` at their start and at each change);
 * - reads, cancels, pauses and end times work as ever, and `/status/ready` stays 200;
 * - `/status/health`, `/metrics` and the console show the halts.
 *
 * A reason that is set before `Service.start` holds from the first turn of every thread. Nothing is kept on disk here.
 */
export class TradingGate {
  readonly #halts = new Map<HaltReason, TradingHalt>();
  readonly #listeners: (() => void)[] = [];

  /** Halts trading for the reason, or replaces what was said of it before. */
  halt(halt: TradingHalt): void {
    this.#halts.set(halt.reason, halt);
    this.#tell();
  }

  /** Ends the halt for the reason; without effect when there is none. */
  lift(reason: HaltReason): void {
    if (this.#halts.delete(reason)) this.#tell();
  }

  /** Called after each change. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** All halts, in the order in which they began. */
  get halts(): readonly TradingHalt[] {
    return [...this.#halts.values()];
  }

  get mode(): TradingMode {
    const [first, ...others] = this.halts;
    if (first === undefined) return { isHalted: false, exempt: [] };
    const exempt = first.exempt.filter((account) => others.every((halt) => halt.exempt.includes(account)));
    return { isHalted: true, exempt };
  }

  /** Why the account may not place orders now; null: it may. */
  refusalOf(account: AccountId): Rejection | null {
    for (const { exempt, message } of this.#halts.values()) {
      if (!exempt.includes(account)) return { code: 'SYSTEM_BUSY', message: `trading is halted: ${message}` };
    }
    return null;
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
