import { ZERO_AMOUNT, type Amount } from '../../model/amount.js';
import type { Venue } from '../../model/exchange.js';
import type { InstrumentCatalogue } from '../../model/instrument.js';
import { POSITION_WORTH_MS } from '../../model/limits.js';
import type { Lots } from '../../model/quantity.js';
import { isRejected, type OrRejection, type Rejection } from '../../model/rejection.js';
import type { PositionsReport } from '../../model/venue-message.js';
import { worthOf, worthOfLots, type Mids } from './order-worth.js';

export interface PositionsWorthParts {
  /** Asks a venue for the account's open positions. */
  readonly ask: (venue: Venue, answer: (result: OrRejection<PositionsReport>) => void) => void;
  /** What the account's open orders have ever filled in futures. */
  readonly futuresFilled: () => Amount;
  readonly catalogue: InstrumentCatalogue;
  readonly nowRealMs: () => number;
}

/** What a venue has told, and how much had been filled when it was asked: fills since then may not be in it. */
interface Told {
  readonly worth: Amount;
  readonly filledBefore: Amount;
}

/** Futures are quoted in USD alone, so no other price values them. */
const NO_MIDS: Mids = new Map();

/**
 * What an account's futures positions are worth in USD at their mark prices, long and short added up. Venues are asked
 * anew when that is old; what was filled since then is added as if all of it made positions larger.
 */
export class PositionsWorth {
  readonly #parts: PositionsWorthParts;
  readonly #venues: ReadonlySet<Venue>;
  readonly #told = new Map<Venue, Told>();
  readonly #waiting: ((rejection: Rejection | null) => void)[] = [];
  #knownAtMs = -Infinity;
  #missingCount = 0;

  constructor(parts: PositionsWorthParts) {
    this.#parts = parts;
    const futures = parts.catalogue.instruments.filter(({ assetCategory }) => assetCategory === 'FUTURE');
    this.#venues = new Set(futures.map(({ venue }) => venue));
  }

  /** True while what is known may be judged by. */
  get isFresh(): boolean {
    return this.#missingCount === 0 && this.#parts.nowRealMs() - this.#knownAtMs < POSITION_WORTH_MS;
  }

  get worth(): Amount {
    let [sum, filledBefore] = [0n, this.#parts.futuresFilled() as bigint];
    for (const told of this.#told.values()) {
      sum += told.worth;
      if (told.filledBefore < filledBefore) filledBefore = told.filledBefore;
    }
    return (sum + this.#parts.futuresFilled() - filledBefore) as Amount;
  }

  /** Answers once every venue has told, or told why not; null: the worth is known. */
  freshen(answer: (rejection: Rejection | null) => void): void {
    this.#waiting.push(answer);
    if (this.#missingCount > 0) return;
    this.#missingCount = this.#venues.size;
    const filledBefore = this.#parts.futuresFilled();
    let lack: Rejection | null = null;
    for (const venue of this.#venues) {
      this.#parts.ask(venue, (result) => {
        if (!isRejected(result)) this.#told.set(venue, { worth: this.#worthOf(result), filledBefore });
        // What it told before holds: it cannot trade while it cannot be reached.
        else if (!this.#told.has(venue)) lack = result.rejection;
        this.#missingCount -= 1;
        if (this.#missingCount === 0) this.#settle(lack);
      });
    }
  }

  #settle(lack: Rejection | null): void {
    if (lack === null) this.#knownAtMs = this.#parts.nowRealMs();
    const message = `max_gross_exposure needs the positions of all exchanges: ${lack?.message ?? ''}`;
    const rejection = lack === null ? null : { code: lack.code, message };
    for (const answer of this.#waiting.splice(0)) answer(rejection);
  }

  #worthOf({ positions }: PositionsReport): Amount {
    const { catalogue } = this.#parts;
    let sum = ZERO_AMOUNT as bigint;
    for (const { instrument, net, markPrice } of positions) {
      const lotWorth = worthOf(2 * markPrice, catalogue.at(instrument), NO_MIDS, catalogue);
      sum += worthOfLots(Math.abs(net) as Lots, lotWorth);
    }
    return sum as Amount;
  }
}
