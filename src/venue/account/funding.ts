import { FUNDING_INTERVAL_MS, FUNDINGS_LATE_COUNT_MAX } from '../../model/limits.js';
import type { EpochMs } from '../../model/time.js';
import type { AccountRegistry } from './account-registry.js';
import type { Contract } from './contract.js';
import { payFunding } from './house.js';
import type { MarkSource } from './mark-source.js';
import type { Position } from './position.js';
import type { VenueAccount } from './venue-account.js';

export interface FundingParts {
  readonly accounts: AccountRegistry;
  readonly marks: MarkSource;
}

/**
 * Pays every position its funding, once: the position remembers up to when. Longs and shorts both settle with the house,
 * which is the counterparty of what is left over.
 */
export class Funding {
  readonly #parts: FundingParts;

  constructor(parts: FundingParts) {
    this.#parts = parts;
  }

  /** Pays what fell due until now; returns the accounts it changed. */
  settle(atMs: EpochMs): VenueAccount[] {
    return this.#parts.accounts.holders().filter((account) => {
      const due = [...account.contracts.values()].flatMap((contract) =>
        contract
          .open()
          .filter(([, position]) => position.fundedAtMs < latestFundingMs(atMs))
          .map(([, position]) => ({ contract, position })),
      );
      for (const { contract, position } of due) this.#pay(account, contract, position, atMs);
      return due.length > 0;
    });
  }

  #pay(account: VenueAccount, contract: Contract, position: Position, atMs: EpochMs): void {
    const { accounts, marks } = this.#parts;
    const { instrument, ppmUnit } = contract.terms;
    const house = accounts.house(account.venue);
    accounts.touchFutures(account);
    accounts.touchHouse(account.venue);
    for (const dueMs of fundingTimes(position.fundedAtMs, atMs)) {
      const price = BigInt(marks.markPrice(instrument.index, dueMs));
      const rate = BigInt(marks.fundingRatePpm(instrument.index, dueMs));
      const amount = -BigInt(position.net) * price * rate * ppmUnit;
      payFunding(account, house, { asset: instrument.quote, amount });
      if (contract.marginMode === 'ISOLATED') position.margin = notBelowZero(position.margin + amount);
      position.fundedAtMs = dueMs;
    }
    account.retie(contract);
    account.notePosition(contract, position);
  }
}

/** The latest funding time that is not after now: 00:00, 08:00 and 16:00 UTC. */
export function latestFundingMs(nowMs: EpochMs): EpochMs {
  return (Math.floor(nowMs / FUNDING_INTERVAL_MS) * FUNDING_INTERVAL_MS) as EpochMs;
}

/** The funding times after one instant and not after another, oldest first. */
function* fundingTimes(afterMs: EpochMs, untilMs: EpochMs): Generator<EpochMs> {
  const latestMs = latestFundingMs(untilMs);
  const firstMs = latestFundingMs(afterMs) + FUNDING_INTERVAL_MS;
  const oldestMs = latestMs - (FUNDINGS_LATE_COUNT_MAX - 1) * FUNDING_INTERVAL_MS;
  for (let dueMs = Math.max(firstMs, oldestMs); dueMs <= latestMs; dueMs += FUNDING_INTERVAL_MS) yield dueMs as EpochMs;
}

function notBelowZero(amount: bigint): bigint {
  return amount < 0n ? 0n : amount;
}
