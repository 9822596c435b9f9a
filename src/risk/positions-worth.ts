import { type Amount, type Lots, ZERO_AMOUNT } from '../domain/quantity.js';
import { type Venue, VENUES } from '../domain/exchange.js';
import type { InstrumentCatalogue } from '../domain/instrument.js';
import { POSITION_WORTH_MS } from '../domain/limits/trading.js';
import { isRejected, type OrRejection, type Rejection } from '../domain/rejection.js';
import type { PositionsReport } from '../domain/venue-report.js';
import { worthOf, worthOfLots, type Mids } from './order-worth.js';

export interface PositionsWorthParts {
  /** Requests the account's open positions at a venue. */
  readonly ask: (venue: Venue, answer: (result: OrRejection<OpenPositions>) => void) => void;
  /** Worth of all futures fills of the account's open orders so far. */
  readonly futuresFilled: () => Amount;
  readonly catalogue: InstrumentCatalogue;
  readonly nowRealMs: () => number;
}

export type OpenPositions = Pick<PositionsReport, 'positions'>;

/** Worth that a venue reported, and the fills before the request: later fills may be missing in it. */
interface ReportedWorth {
  readonly worth: Amount;
  readonly filledBefore: Amount;
}

/** The venues with futures in a version of the catalogue. */
interface FuturesVenues {
  readonly version: number;
  readonly venues: ReadonlySet<Venue>;
  /** A real exchange whose futures are not listed yet; null: there is none. */
  readonly unread: Venue | null;
}

/** Futures are quoted in USD only, so they need no other price. */
const NO_MIDS: Mids = new Map();

/**
 * Worth of an account's futures positions in USD at their mark prices, long and short added up. Requests the positions
 * again when they are old. Fills since the request are added, as if each of them made a position larger.
 */
export class PositionsWorth {
  readonly #parts: PositionsWorthParts;
  #futures: FuturesVenues | null = null;
  readonly #reported = new Map<Venue, ReportedWorth>();
  readonly #waiting: ((rejection: Rejection | null) => void)[] = [];
  #knownAtMs = -Infinity;
  #missingCount = 0;

  constructor(parts: PositionsWorthParts) {
    this.#parts = parts;
  }

  /** True while the worth is recent enough for a check. */
  get isFresh(): boolean {
    return this.#missingCount === 0 && this.#parts.nowRealMs() - this.#knownAtMs < POSITION_WORTH_MS;
  }

  get worth(): Amount {
    let [sum, filledBefore] = [0n, this.#parts.futuresFilled() as bigint];
    for (const reported of this.#reported.values()) {
      sum += reported.worth;
      if (reported.filledBefore < filledBefore) filledBefore = reported.filledBefore;
    }
    return (sum + this.#parts.futuresFilled() - filledBefore) as Amount;
  }

  /**
   * Answers once every venue has answered or refused; null: the worth is known. It is not known before each real
   * exchange has listed its futures: the account may have positions there.
   */
  freshen(answer: (rejection: Rejection | null) => void): void {
    this.#waiting.push(answer);
    if (this.#missingCount > 0) return;
    const { venues, unread } = this.#futuresVenues();
    if (unread !== null) return this.#settle(unlisted(unread));
    this.#missingCount = venues.size;
    const filledBefore = this.#parts.futuresFilled();
    let lack: Rejection | null = null;
    for (const venue of venues) {
      this.#parts.ask(venue, (result) => {
        if (!isRejected(result)) this.#reported.set(venue, { worth: this.#worthOf(result), filledBefore });
        // The earlier positions of an unreachable venue stay valid: no order can trade there.
        else if (!this.#reported.has(venue)) lack = result.rejection;
        this.#missingCount -= 1;
        if (this.#missingCount === 0) this.#settle(lack);
      });
    }
  }

  /** Real exchanges list their futures at run time. */
  #futuresVenues(): FuturesVenues {
    const { catalogue } = this.#parts;
    if (this.#futures?.version !== catalogue.version) this.#futures = futuresVenuesOf(catalogue);
    return this.#futures;
  }

  #settle(lack: Rejection | null): void {
    if (lack === null) this.#knownAtMs = this.#parts.nowRealMs();
    const message = `max_gross_exposure needs the positions of all exchanges: ${lack?.message ?? ''}`;
    const rejection = lack === null ? null : { code: lack.code, message };
    for (const answer of this.#waiting.splice(0)) answer(rejection);
  }

  #worthOf({ positions }: OpenPositions): Amount {
    const { catalogue } = this.#parts;
    let sum = ZERO_AMOUNT as bigint;
    for (const { instrument, net, markPrice } of positions) {
      const lotWorth = worthOf(2 * markPrice, catalogue.at(instrument), NO_MIDS, catalogue);
      sum += worthOfLots(Math.abs(net) as Lots, lotWorth);
    }
    return sum as Amount;
  }
}

function futuresVenuesOf(catalogue: InstrumentCatalogue): FuturesVenues {
  const futures = catalogue.instruments.filter(({ assetCategory }) => assetCategory === 'FUTURE');
  const unread = VENUES.find((venue) => catalogue.isUnread(venue, 'FUTURE')) ?? null;
  return { version: catalogue.version, venues: new Set(futures.map(({ venue }) => venue)), unread };
}

function unlisted(venue: Venue): Rejection {
  return { code: 'EXCHANGE_NOT_AVAILABLE', message: `the futures of ${venue} are not listed yet` };
}
