import { Depth, type Market, type MarketObservation, NO_MARKET } from '../../src/domain/market.js';
import type { InstrumentIndex } from '../../src/domain/instrument.js';
import type { Lots, Notional, Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { QuoteSource } from '../../src/shard/quote-history.js';
import type { MarketView } from '../../src/shard/port.js';

/** `depth`: lots on each best price. */
export type Quote = Partial<Record<'bid' | 'ask' | 'last' | 'volume' | 'depth', number>>;

/** A market with rows that the test writes. Counts its reads. */
export class FakeMarket implements MarketView, QuoteSource {
  readonly watched = new Set<InstrumentIndex>();
  readonly awake = new Set<InstrumentIndex>();
  readonly wantedBooks = new Set<InstrumentIndex>();
  /** Calls of wantDepth as `want` or `leave` with the instrument, in order. */
  readonly bookCalls: string[] = [];
  readonly book = new Depth();
  readCount = 0;
  readonly #rows = new Map<InstrumentIndex, Market>();
  readonly #changed = new Set<InstrumentIndex>();

  /** Writes a row like the venue. Only watched rows count as changed. */
  write(instrument: InstrumentIndex, quote: Quote, atMs: EpochMs): void {
    this.put(instrument, marketOf(quote, atMs));
  }

  /** Writes a complete row. */
  put(instrument: InstrumentIndex, market: Market): void {
    this.#rows.set(instrument, market);
    if (this.watched.has(instrument)) this.#changed.add(instrument);
  }

  read(instrument: InstrumentIndex): Market {
    this.readCount += 1;
    return this.#rows.get(instrument) ?? NO_MARKET;
  }

  /** True while a caller keeps it awake or watches it. */
  isWanted(instrument: InstrumentIndex): boolean {
    return this.awake.has(instrument) || this.watched.has(instrument);
  }

  observe(instrument: InstrumentIndex): MarketObservation {
    const { bid, ask, last, volume, atMs } = this.read(instrument);
    return { bid, ask, volume, turnover: (BigInt(volume) * BigInt(last)) as Notional, atMs };
  }

  /** One book for all instruments, which the test writes. */
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
