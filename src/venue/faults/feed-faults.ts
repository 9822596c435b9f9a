import type { InstrumentCatalogue, InstrumentIndex } from '../../model/instrument.js';
import type { Market, TradePrint } from '../../model/market.js';
import { ZERO_LOTS, type Ticks } from '../../model/quantity.js';
import type { EpochMs } from '../../model/time.js';
import { anythingAt } from './armed-rule.js';
import type { Outage } from './fault-rule.js';
import type { Outages } from './outages.js';

export interface FeedFaultsParts {
  readonly catalogue: InstrumentCatalogue;
  readonly outages: Outages;
  readonly market: (instrument: InstrumentIndex, market: Market) => void;
  readonly trade: (print: TradePrint) => void;
}

/** While one of these is on, nothing of a market is heard. */
const SILENCING: readonly Outage[] = ['stale-book', 'sequence-gap', 'disconnect', 'maintenance', 'restart'];

/**
 * The way of prices. A gap in the feed's sequence is seen by whoever reads it: the book is known to be wrong, so it
 * is shown empty until there is a new snapshot. A stale or a crossed book is not seen: it is there and wrong.
 */
export class FeedFaults {
  readonly #parts: FeedFaultsParts;
  /** The market as the venue last told it. */
  readonly #latest = new Map<InstrumentIndex, Market>();
  /** Shown otherwise than it is. */
  readonly #suspended = new Set<InstrumentIndex>();
  readonly #emptied = new Set<InstrumentIndex>();

  constructor(parts: FeedFaultsParts) {
    this.#parts = parts;
  }

  market(instrument: InstrumentIndex, market: Market, nowMs: EpochMs): void {
    this.#latest.set(instrument, market);
    this.#show(instrument, market, nowMs);
  }

  /** A trade that was not heard stays unheard; the volume it made is in the next row of the market. */
  trade(print: TradePrint, nowMs: EpochMs): void {
    if (!this.#suffers(SILENCING, print.instrument, nowMs)) this.#parts.trade(print);
  }

  /** An outage has begun or ended. */
  review(nowMs: EpochMs): void {
    for (const [instrument, market] of this.#latest) {
      const hasGap = this.#suffers(['sequence-gap'], instrument, nowMs);
      if (hasGap && !this.#emptied.has(instrument)) this.#empty(instrument, market);
      if (!hasGap) this.#emptied.delete(instrument);
      if (this.#suspended.delete(instrument)) this.#show(instrument, market, nowMs);
    }
  }

  #show(instrument: InstrumentIndex, market: Market, nowMs: EpochMs): void {
    const isSilent = this.#suffers(SILENCING, instrument, nowMs);
    const isCrossed = this.#suffers(['crossed-book'], instrument, nowMs);
    if (isSilent || isCrossed) this.#suspended.add(instrument);
    if (!isSilent) this.#parts.market(instrument, isCrossed ? crossed(market) : market);
  }

  #empty(instrument: InstrumentIndex, market: Market): void {
    this.#emptied.add(instrument);
    this.#suspended.add(instrument);
    const [bid, ask] = [0 as Ticks, 0 as Ticks];
    this.#parts.market(instrument, { ...market, bid, ask, bidQuantity: ZERO_LOTS, askQuantity: ZERO_LOTS });
  }

  #suffers(outages: readonly Outage[], instrument: InstrumentIndex, nowMs: EpochMs): boolean {
    const { venue } = this.#parts.catalogue.at(instrument);
    const subject = { ...anythingAt(venue), instrument };
    return this.#parts.outages.isOn(outages, subject, nowMs);
  }
}

/** Both sides have changed places: somebody bids more than somebody else asks. */
function crossed(market: Market): Market {
  const { bid, ask, bidQuantity, askQuantity } = market;
  return { ...market, bid: ask, ask: bid, bidQuantity: askQuantity, askQuantity: bidQuantity };
}
