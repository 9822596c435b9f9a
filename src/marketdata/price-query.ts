import type { Venue } from '../domain/exchange.js';
import type { Instrument, InstrumentIndex } from '../domain/instrument.js';
import { PRICE_WAITERS_MAX, PRICE_CHECK_MS, PRICE_WAIT_MS } from '../domain/limits/process.js';
import { MARKET_STALE_MS } from '../domain/limits/trading.js';
import { isCrossed, isTwoSided, type Market } from '../domain/market.js';
import { isRejected, type OrRejection, type Rejection, Rejected } from '../domain/rejection.js';
import type { Clock, EpochMs } from '../domain/time.js';

export interface MarketLookupParts {
  /** Asks the venue to keep the instrument's market active, or allows it to sleep. */
  readonly keepAwake: (instrument: InstrumentIndex, isAwake: boolean) => void;
  readonly isVenueUp: (venue: Venue) => boolean;
  /** Service time. */
  readonly clock: Clock;
  readonly nowRealMs: () => number;
  /** Calls `run` once, after at least `delayMs` of real time. */
  readonly after: (delayMs: number, run: () => void) => void;
}

/** Reads an instrument. Null when the cached market is missing or too old for a caller that asked at `askedAtMs`. */
type ReadFresh<Seen> = (instrument: Instrument, askedAtMs: EpochMs) => Seen | null;
type Answer<Seen> = (seen: OrRejection<Seen>) => void;

/** A sleeping market and the callers that wait for it. */
interface PendingLookup<Seen> {
  readonly instrument: Instrument;
  readonly askedAtMs: EpochMs;
  readonly deadlineMs: number;
  readonly waiting: Answer<Seen>[];
}

/**
 * Looks up current markets. Wakes a sleeping market and polls it until it publishes. The number of waiting callers is
 * bounded.
 */
export class MarketLookup<Seen> {
  readonly #parts: MarketLookupParts;
  readonly #read: ReadFresh<Seen>;
  readonly #pending = new Map<InstrumentIndex, PendingLookup<Seen>>();
  #waitingCount = 0;

  constructor(parts: MarketLookupParts, read: ReadFresh<Seen>) {
    this.#parts = parts;
    this.#read = read;
  }

  /** Answers EXCHANGE_NOT_AVAILABLE when the market publishes nothing within PRICE_WAIT_MS. */
  lookUp(instrument: Instrument, answer: Answer<Seen>): void {
    const { clock, isVenueUp } = this.#parts;
    const known = this.#read(instrument, clock.nowMs());
    if (known !== null) return answer(known);
    if (!isVenueUp(instrument.venue)) return answer(new Rejected(noPrice(instrument)));
    if (this.#waitingCount >= PRICE_WAITERS_MAX) return answer(new Rejected(BUSY));
    this.#waitingCount += 1;
    const pending = this.#pending.get(instrument.index) ?? this.#open(instrument);
    pending.waiting.push(answer);
  }

  #open(instrument: Instrument): PendingLookup<Seen> {
    const { clock, nowRealMs, keepAwake } = this.#parts;
    const pending: PendingLookup<Seen> = {
      instrument,
      askedAtMs: clock.nowMs(),
      deadlineMs: nowRealMs() + PRICE_WAIT_MS,
      waiting: [],
    };
    if (this.#pending.size === 0) this.#schedulePoll();
    this.#pending.set(instrument.index, pending);
    keepAwake(instrument.index, true);
    return pending;
  }

  #schedulePoll(): void {
    this.#parts.after(PRICE_CHECK_MS, () => {
      for (const pending of this.#pending.values()) this.#serve(pending);
      if (this.#pending.size > 0) this.#schedulePoll();
    });
  }

  #serve(pending: PendingLookup<Seen>): void {
    const { instrument, askedAtMs, deadlineMs, waiting } = pending;
    const seen = this.#read(instrument, askedAtMs);
    if (seen === null && this.#parts.nowRealMs() < deadlineMs) return;
    this.#pending.delete(instrument.index);
    this.#parts.keepAwake(instrument.index, false);
    this.#waitingCount -= waiting.length;
    for (const answer of waiting) answer(seen ?? new Rejected(noPrice(instrument)));
  }
}

function noPrice({ venue, symbol }: Instrument): Rejection {
  return { code: 'EXCHANGE_NOT_AVAILABLE', message: `exchange ${venue} has no price of ${symbol}` };
}

const BUSY: Rejection = { code: 'SYSTEM_BUSY', message: 'too many requests wait for a price' };

interface PriceQueryParts extends MarketLookupParts {
  readonly read: (instrument: InstrumentIndex) => Market;
}

/** Current bid, ask and mid of instruments. */
export class PriceQuery {
  readonly #lookup: MarketLookup<Market>;

  constructor({ read, ...parts }: PriceQueryParts) {
    this.#lookup = new MarketLookup(parts, ({ index }, askedAtMs) => {
      const market = read(index);
      const isFresh = market.atMs >= askedAtMs - MARKET_STALE_MS && isTwoSided(market) && !isCrossed(market);
      return isFresh ? market : null;
    });
  }

  /** Answers with a two-sided market, or EXCHANGE_NOT_AVAILABLE when none appears within PRICE_WAIT_MS. */
  market(instrument: Instrument, answer: (market: OrRejection<Market>) => void): void {
    this.#lookup.lookUp(instrument, answer);
  }

  /** As `market`, but answers with twice the mid, in ticks. */
  twiceMid(instrument: Instrument, answer: (twiceMid: OrRejection<number>) => void): void {
    this.#lookup.lookUp(instrument, (market) => answer(isRejected(market) ? market : market.bid + market.ask));
  }
}
