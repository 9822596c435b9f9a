import type { MarkSource } from './margin.js';
import {
  FUNDING_INTERVAL_MS,
  FUNDINGS_LATE_COUNT_MAX,
  LIQUIDATION_CHECK_MS,
  LIQUIDATION_CHECKS_LATE_COUNT_MAX,
} from '../../domain/limits/trading.js';
import type { EpochMs } from '../../domain/time.js';
import type { VenueOrderLifecycle } from '../order/order-lifecycle.js';
import type { AccountRegistry } from './account-registry.js';
import { payFunding } from './clearing-house.js';
import type { FuturesPosition } from './futures-position.js';
import { Liquidation, type LiquidationParts } from './liquidation.js';
import type { VenueAccount } from './venue-account.js';

export interface ClearingParts extends LiquidationParts {
  readonly startMs: EpochMs;
}

/**
 * Pays the funding that is due and liquidates positions that are no longer covered, once a second. It runs at whole
 * seconds of service time, for any rate of calls.
 */
export class Clearing {
  readonly #accounts: AccountRegistry;
  readonly #lifecycle: VenueOrderLifecycle;
  readonly #funding: Funding;
  readonly #liquidation: Liquidation;
  #dueMs: number;

  constructor(parts: ClearingParts) {
    this.#accounts = parts.accounts;
    this.#lifecycle = parts.lifecycle;
    this.#funding = new Funding(parts.accounts, parts.marks);
    this.#liquidation = new Liquidation(parts);
    this.#dueMs = checkTimeMs(parts.startMs);
  }

  /** The times until now at which `run` is due, each once; after a long pause only the latest ones. */
  *takeDueTimes(nowMs: EpochMs): Generator<EpochMs> {
    if (nowMs < this.#dueMs) return;
    const latestMs = checkTimeMs(nowMs);
    const firstMs = Math.max(this.#dueMs, latestMs - (LIQUIDATION_CHECKS_LATE_COUNT_MAX - 1) * LIQUIDATION_CHECK_MS);
    this.#dueMs = latestMs + LIQUIDATION_CHECK_MS;
    for (let atMs = firstMs; atMs <= latestMs; atMs += LIQUIDATION_CHECK_MS) {
      if (this.#accounts.hasHolders) yield atMs as EpochMs;
    }
  }

  run(atMs: EpochMs): void {
    for (const account of this.#funding.settle(atMs)) {
      const assets = [...account.positions.values()].map(({ terms }) => terms.instrument.quote);
      for (const asset of new Set(assets)) this.#lifecycle.keepCovered(account, asset, atMs);
    }
    this.#liquidation.check(atMs);
  }
}

function checkTimeMs(nowMs: EpochMs): number {
  return Math.floor(nowMs / LIQUIDATION_CHECK_MS) * LIQUIDATION_CHECK_MS;
}

/**
 * Pays the funding of every position, once: the position records the time up to which it is paid. Longs and shorts both
 * settle with the clearing house, which takes the difference.
 */
class Funding {
  readonly #accounts: AccountRegistry;
  readonly #marks: MarkSource;

  constructor(accounts: AccountRegistry, marks: MarkSource) {
    this.#accounts = accounts;
    this.#marks = marks;
  }

  /** Pays all funding due until now; returns the accounts that changed. */
  settle(atMs: EpochMs): VenueAccount[] {
    return this.#accounts.holders().filter((account) => {
      const due = [...account.positions.values()].filter(
        ({ isOpen, fundedAtMs, terms }) =>
          isOpen && fundedAtMs < latestFundingMs(atMs) && this.#marks.isKnown?.(terms.instrument.index) !== false,
      );
      for (const position of due) this.#pay(account, position, atMs);
      return due.length > 0;
    });
  }

  #pay(account: VenueAccount, position: FuturesPosition, atMs: EpochMs): void {
    const { instrument, ppmUnit } = position.terms;
    const house = this.#accounts.house(account.venue);
    this.#accounts.touchFutures(account);
    this.#accounts.touchHouse(account.venue);
    for (const dueMs of fundingTimes(position.fundedAtMs, atMs)) {
      const price = BigInt(this.#marks.markPrice(instrument.index, dueMs));
      const rate = BigInt(this.#marks.fundingRatePpm(instrument.index, dueMs));
      const amount = -BigInt(position.net) * price * rate * ppmUnit;
      payFunding(account, house, { asset: instrument.quote, amount });
      position.fundedAtMs = dueMs;
    }
    account.updateLock(position);
    account.notePosition(position);
  }
}

/** The latest funding time that is not after now: 00:00, 08:00 and 16:00 UTC. */
function latestFundingMs(nowMs: EpochMs): EpochMs {
  return (Math.floor(nowMs / FUNDING_INTERVAL_MS) * FUNDING_INTERVAL_MS) as EpochMs;
}

/** The funding times after one instant and not after another, oldest first. */
function* fundingTimes(afterMs: EpochMs, untilMs: EpochMs): Generator<EpochMs> {
  const latestMs = latestFundingMs(untilMs);
  const firstMs = latestFundingMs(afterMs) + FUNDING_INTERVAL_MS;
  const oldestMs = latestMs - (FUNDINGS_LATE_COUNT_MAX - 1) * FUNDING_INTERVAL_MS;
  for (let dueMs = Math.max(firstMs, oldestMs); dueMs <= latestMs; dueMs += FUNDING_INTERVAL_MS) yield dueMs as EpochMs;
}
