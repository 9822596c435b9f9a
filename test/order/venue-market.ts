import type { InstrumentIndex } from '../../src/domain/instrument.js';
import type { Depth, Market } from '../../src/domain/market.js';
import type { EpochMs } from '../../src/domain/time.js';
import { FakeMarket } from '../shard/fake-market.js';
import type { TinyVenue } from './tiny-venue.js';

/** The market of a venue, with rows and books of the present time. */
export class VenueMarket extends FakeMarket {
  shownBook: Depth | undefined;
  nowMs = 0 as EpochMs;
  readonly #venue: TinyVenue;
  #taken: Market | null = null;

  constructor(venue: TinyVenue) {
    super();
    this.#venue = venue;
  }

  override read(): Market {
    const { market } = this.#venue;
    return { ...market, atMs: Math.max(market.atMs, this.nowMs) as EpochMs };
  }

  override depth(): Depth | null {
    if (this.shownBook === undefined) return null;
    this.book.set(this.shownBook);
    this.book.atMs = this.nowMs;
    return this.book;
  }

  override takeChanged(handle: (instrument: InstrumentIndex) => void): void {
    if (this.#taken === this.#venue.market) return;
    this.#taken = this.#venue.market;
    this.watched.forEach(handle);
  }
}
