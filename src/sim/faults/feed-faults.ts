import { type Venue, VENUES } from '../../domain/exchange.js';
import type { InstrumentCatalogue, InstrumentIndex } from '../../domain/instrument.js';
import { FAULT_WITHHELD_MAX } from '../../domain/limits/trading.js';
import type { Market, TradePrint } from '../../domain/market.js';
import { type Ticks, ZERO_LOTS } from '../../domain/quantity.js';
import type { EpochMs } from '../../domain/time.js';
import type { VenueReport } from '../../domain/venue-report.js';
import type { Outage } from './fault-rule.js';
import { anythingAt, type Outages } from './active-faults.js';

interface FeedFaultsParts {
  readonly catalogue: InstrumentCatalogue;
  readonly outages: Outages;
  readonly market: (instrument: InstrumentIndex, market: Market) => void;
  readonly trade: (print: TradePrint) => void;
}

/** Outages during which no market data arrives. */
const SILENCING: readonly Outage[] = ['stale-book', 'sequence-gap', 'disconnect', 'maintenance', 'restart'];

/**
 * Applies outages to market data. A reader detects a sequence gap, so the book is empty until the next snapshot. A
 * stale or crossed book is not detected: it is shown and wrong.
 */
export class FeedFaults {
  readonly #parts: FeedFaultsParts;
  /** Latest market that the venue published. */
  readonly #latest = new Map<InstrumentIndex, Market>();
  /** Instruments whose shown market differs from the latest one. */
  readonly #suspended = new Set<InstrumentIndex>();
  readonly #emptied = new Set<InstrumentIndex>();

  constructor(parts: FeedFaultsParts) {
    this.#parts = parts;
  }

  market(instrument: InstrumentIndex, market: Market, nowMs: EpochMs): void {
    this.#latest.set(instrument, market);
    this.#show(instrument, market, nowMs);
  }

  /** Drops trades during an outage. The next market row includes their volume. */
  trade(print: TradePrint, nowMs: EpochMs): void {
    if (!this.#isAffected(SILENCING, print.instrument, nowMs)) this.#parts.trade(print);
  }

  /** Called when an outage starts or ends. */
  review(nowMs: EpochMs): void {
    for (const [instrument, market] of this.#latest) {
      const hasGap = this.#isAffected(['sequence-gap'], instrument, nowMs);
      if (hasGap && !this.#emptied.has(instrument)) this.#empty(instrument, market);
      if (!hasGap) this.#emptied.delete(instrument);
      if (this.#suspended.delete(instrument)) this.#show(instrument, market, nowMs);
    }
  }

  #show(instrument: InstrumentIndex, market: Market, nowMs: EpochMs): void {
    const isSilent = this.#isAffected(SILENCING, instrument, nowMs);
    const isCrossed = this.#isAffected(['crossed-book'], instrument, nowMs);
    if (isSilent || isCrossed) this.#suspended.add(instrument);
    if (!isSilent) this.#parts.market(instrument, isCrossed ? crossed(market) : market);
  }

  #empty(instrument: InstrumentIndex, market: Market): void {
    this.#emptied.add(instrument);
    this.#suspended.add(instrument);
    const [bid, ask] = [0 as Ticks, 0 as Ticks];
    this.#parts.market(instrument, { ...market, bid, ask, bidQuantity: ZERO_LOTS, askQuantity: ZERO_LOTS });
  }

  #isAffected(outages: readonly Outage[], instrument: InstrumentIndex, nowMs: EpochMs): boolean {
    const { venue } = this.#parts.catalogue.at(instrument);
    const subject = { ...anythingAt(venue), instrument };
    return this.#parts.outages.isOn(outages, subject, nowMs);
  }
}

/** Swaps both sides, so the bid is above the ask. */
function crossed(market: Market): Market {
  const { bid, ask, bidQuantity, askQuantity } = market;
  return { ...market, bid: ask, ask: bid, bidQuantity: askQuantity, askQuantity: bidQuantity };
}

const CUT_OFF: readonly Outage[] = ['disconnect', 'restart'];

interface VenueOutagesParts {
  readonly outages: Outages;
  /** Destinations of Link reports. */
  readonly listeners: readonly number[];
  readonly send: (report: VenueReport, destination: number) => void;
}

/** Tracks the reachable venues and keeps reports for unreachable ones. */
export class VenueOutages {
  readonly #parts: VenueOutagesParts;
  /** null before the first Link report: the last report of an earlier process may be outdated. */
  #down: ReadonlySet<Venue> | null = null;
  #withheld: { readonly report: VenueReport; readonly destination: number }[] = [];

  constructor(parts: VenueOutagesParts) {
    this.#parts = parts;
  }

  isCutOff(venue: Venue, nowMs: EpochMs): boolean {
    return this.#parts.outages.isOn(CUT_OFF, anythingAt(venue), nowMs);
  }

  isClosed(venue: Venue, nowMs: EpochMs): boolean {
    return this.#parts.outages.isOn(['maintenance'], anythingAt(venue), nowMs);
  }

  /** Called when an outage starts or ends. Reports changed links and releases withheld reports. */
  review(nowMs: EpochMs): void {
    const before = this.#down;
    const down = new Set(VENUES.filter((venue) => this.isCutOff(venue, nowMs)));
    this.#down = down;
    for (const venue of VENUES) {
      if (before?.has(venue) === down.has(venue)) continue;
      for (const listener of this.#parts.listeners) this.#send(venue, listener, nowMs);
    }
    this.#release(nowMs);
  }

  /** Repeats a Link report to a shard that asks during an outage: it may have just started. */
  remind(venue: Venue, requester: number, nowMs: EpochMs): void {
    if (this.#down?.has(venue) === true && this.#parts.listeners.includes(requester))
      this.#send(venue, requester, nowMs);
  }

  /** Keeps a report until its venue is reachable. */
  withhold(report: VenueReport, destination: number): void {
    this.#withheld.push({ report, destination });
    if (this.#withheld.length > FAULT_WITHHELD_MAX) this.#withheld.shift();
  }

  #release(nowMs: EpochMs): void {
    const withheld = this.#withheld;
    this.#withheld = [];
    for (const { report, destination } of withheld) {
      const isSilent = this.isCutOff(report.venue, nowMs) || this.isClosed(report.venue, nowMs);
      if (isSilent) this.withhold(report, destination);
      else this.#parts.send(report, destination);
    }
  }

  #send(venue: Venue, destination: number, atMs: EpochMs): void {
    this.#parts.send({ kind: 'Link', venue, account: null, isUp: this.#down?.has(venue) !== true, atMs }, destination);
  }
}
