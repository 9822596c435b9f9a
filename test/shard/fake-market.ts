import { Depth } from '../../src/model/depth.js';
import type { InstrumentIndex } from '../../src/model/instrument.js';
import { NO_MARKET, type Market, type MarketObservation } from '../../src/model/market.js';
import type { Lots, Notional, Ticks } from '../../src/model/quantity.js';
import type { EpochMs } from '../../src/model/time.js';
import type { TapeSource } from '../../src/shard/market-tape.js';
import type { MarketView } from '../../src/shard/port.js';

/** `depth`: lots at either touch. */
export type Quote = Partial<Record<'bid' | 'ask' | 'last' | 'volume' | 'depth', number>>;

/** A market whose rows the test writes. Counts how often it is read. */
export class FakeMarket implements MarketView, TapeSource {
  readonly watched = new Set<InstrumentIndex>();
  readonly awake = new Set<InstrumentIndex>();
  readonly wantedBooks = new Set<InstrumentIndex>();
  /** `want` and `leave` by row, as they came. */
  readonly bookCalls: string[] = [];
  readonly book = new Depth();
  readCount = 0;
  readonly #rows = new Map<InstrumentIndex, Market>();
  readonly #changed = new Set<InstrumentIndex>();

  /** Writes a row, as the venue does; only watched rows are announced. */
  write(instrument: InstrumentIndex, quote: Quote, atMs: EpochMs): void {
    this.put(instrument, marketOf(quote, atMs));
  }

  /** The same with a whole row. */
  put(instrument: InstrumentIndex, market: Market): void {
    this.#rows.set(instrument, market);
    if (this.watched.has(instrument)) this.#changed.add(instrument);
  }

  read(instrument: InstrumentIndex): Market {
    this.readCount += 1;
    return this.#rows.get(instrument) ?? NO_MARKET;
  }

  /** True while anybody wants it to live. */
  isWanted(instrument: InstrumentIndex): boolean {
    return this.awake.has(instrument) || this.watched.has(instrument);
  }

  observe(instrument: InstrumentIndex): MarketObservation {
    const { bid, ask, last, volume, atMs } = this.read(instrument);
    return { bid, ask, volume, turnover: (BigInt(volume) * BigInt(last)) as Notional, atMs };
  }

  /** One book for all, which the test writes. */
  depth(): Depth | null {
    return this.book.atMs === 0 ? null : this.book;
  }

  wantDepth(instrument: InstrumentIndex, isWanted: boolean): void {
    this.bookCalls.push(`${isWanted ? 'want' : 'leave'} ${instrument}`);
    if (isWanted) this.wantedBooks.add(instrument);
    else this.wantedBooks.delete(instrument);
  }

  keepAwake(instrument: InstrumentIndex, isAwake: boolean): void {
    if (isAwake) this.awake.add(instrument);
    else this.awake.delete(instrument);
  }

  watch(instrument: InstrumentIndex, isWatched: boolean): void {
    if (isWatched) this.watched.add(instrument);
    else this.watched.delete(instrument);
  }

  takeChanged(handle: (instrument: InstrumentIndex) => void): void {
    const changed = [...this.#changed];
    this.#changed.clear();
    changed.forEach(handle);
  }
}

export function marketOf(
  { bid = 6_400_000, ask = 6_400_010, last = 6_400_005, volume = 0, depth }: Quote,
  atMs: EpochMs,
): Market {
  return {
    bid: bid as Ticks,
    ask: ask as Ticks,
    bidQuantity: (depth ?? 1_000) as Lots,
    askQuantity: (depth ?? 3_000) as Lots,
    last: last as Ticks,
    volume: volume as Lots,
    volatility: 0,
    atMs,
  };
}
