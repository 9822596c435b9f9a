import type { AccountId } from '../domain/ids.js';
import type { AccountCounts, AccountNumbers } from '../wire/account-counts.js';

/** What an account writes to the journal. */
export interface AccountWrite {
  readonly account: AccountId;
  readonly bytesPerSecond: number;
}

export interface AccountWritesParts {
  readonly numbers: AccountNumbers;
  /** Bytes since the start, modulo 2^32. */
  readonly written: AccountCounts;
  readonly monotonicMs: () => number;
}

/** Time constant of the mean. */
const MEAN_MS = 60_000;
const WORD = 2 ** 32;

/** The mean rate at which each account writes to the journal, over about a minute. Creates of orders are included. */
export class AccountWrites {
  readonly #parts: AccountWritesParts;
  /** By number of the account. */
  readonly #seen: number[] = [];
  readonly #rates: number[] = [];
  #lookedAtMs: number;

  constructor(parts: AccountWritesParts) {
    this.#parts = parts;
    this.#lookedAtMs = parts.monotonicMs();
  }

  /** Call it about once a second. */
  check(): void {
    const { numbers, written, monotonicMs } = this.#parts;
    const nowMs = monotonicMs();
    const elapsedMs = nowMs - this.#lookedAtMs;
    if (elapsedMs <= 0) return;
    this.#lookedAtMs = nowMs;
    const share = 1 - Math.exp(-elapsedMs / MEAN_MS);
    for (let number = 0; number < numbers.all.length; number += 1) {
      const bytes = written.at(number);
      const grown = (bytes - (this.#seen[number] ?? 0) + WORD) % WORD;
      const before = this.#rates[number] ?? 0;
      this.#seen[number] = bytes;
      this.#rates[number] = before + ((grown * 1000) / elapsedMs - before) * share;
    }
  }

  /** Accounts that write at least a byte per second, the heaviest first. */
  heaviest(countMax: number): readonly AccountWrite[] {
    return this.#parts.numbers.all
      .map((account, number) => ({ account, bytesPerSecond: this.#rates[number] ?? 0 }))
      .filter(({ bytesPerSecond }) => bytesPerSecond >= 1)
      .sort((a, b) => b.bytesPerSecond - a.bytesPerSecond)
      .slice(0, countMax);
  }

  /** Mean bytes per second of all accounts. */
  get total(): number {
    return this.#rates.reduce((sum, rate) => sum + rate, 0);
  }
}
