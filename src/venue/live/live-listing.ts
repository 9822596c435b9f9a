import type { AssetCategory, RealMode, Venue } from '../../domain/exchange.js';
import { type Instrument, type InstrumentIndex, modeOfInstrument } from '../../domain/instrument.js';
import type { ListedName, MarketRegistry, StoredMarket } from '../../keys/port.js';
import type { ListedMarket } from './listing/listed-market.js';
import type { LiveInstrument, LiveInstruments } from './live-exchange.js';

export interface LiveListingParts {
  readonly venue: Venue;
  readonly mode: RealMode;
  readonly registry: MarketRegistry;
  /** Makes the instrument known to all threads. */
  readonly publish: (instrument: Instrument) => void;
  /** Called with the instruments that have no row because none is left. */
  readonly onFull: (count: number) => void;
}

/** The instruments of one wallet. */
export interface ListedInstruments extends LiveInstruments {
  /**
   * As `bySymbol`; null also for a market with retired rows: its symbol alone does not say in which lots an order
   * counts.
   */
  soleBySymbol(exchangeSymbol: string): InstrumentIndex | null;
  /** True for an instrument of the wallet, also a retired one. */
  has(index: InstrumentIndex): boolean;
}

/** What a market list has changed. */
export interface ListingChange {
  readonly added: number;
  /** Rules, or whether it trades. */
  readonly changed: number;
  /** Symbols that are listed and do not trade any more. */
  readonly halted: readonly string[];
  /** Symbols that trade again. */
  readonly reopened: readonly string[];
  /** Symbols that the exchange does not list any more, or with another grid. */
  readonly ended: readonly string[];
}

/**
 * The instruments of one real exchange in one mode. Each market list replaces the one before:
 *
 *   same name and grid   the row gets the new rules
 *   other grid           a new row gets the name; the old one is retired: its orders place nothing more
 *   missing from a list  the row does not trade
 */
export class LiveListing {
  readonly #parts: LiveListingParts;
  readonly #markets = new Map<InstrumentIndex, StoredMarket>();
  readonly #live = new Map<InstrumentIndex, LiveInstrument>();
  /** By category and the exchange's own symbol. */
  readonly #bySymbol = new Map<string, InstrumentIndex>();
  /** Retired rows by the same name. */
  readonly #retired = new Map<string, readonly InstrumentIndex[]>();
  /** Symbols that have named several rows. */
  readonly #ambiguous = new Set<string>();

  /** Begins with the markets of earlier starts. */
  constructor(parts: LiveListingParts) {
    this.#parts = parts;
    for (const market of parts.registry.load()) {
      const { venue, index } = market.instrument;
      if (venue === parts.venue && modeOfInstrument(index) === parts.mode) this.#put(market);
    }
  }

  /** null: the exchange never listed it in this mode. */
  find(index: InstrumentIndex): Instrument | null {
    return this.#markets.get(index)?.instrument ?? null;
  }

  at(index: InstrumentIndex): LiveInstrument {
    const live = this.#live.get(index);
    if (live === undefined) throw new RangeError(`no instrument ${index} at ${this.#parts.venue}`);
    return live;
  }

  indexOf(category: AssetCategory, exchangeSymbol: string): InstrumentIndex | null {
    return this.#bySymbol.get(`${category}|${exchangeSymbol}`) ?? null;
  }

  /** The instruments of some categories. */
  of(categories: readonly AssetCategory[]): ListedInstruments {
    const find = (symbol: string, isSole: boolean): InstrumentIndex | null => {
      for (const category of categories) {
        const index = this.indexOf(category, symbol);
        if (index !== null) return isSole && this.#ambiguous.has(`${category}|${symbol}`) ? null : index;
      }
      return null;
    };
    return {
      at: (index) => this.at(index),
      bySymbol: (symbol) => find(symbol, false),
      soleBySymbol: (symbol) => find(symbol, true),
      has: (index) => categories.some((category) => this.find(index)?.assetCategory === category),
    };
  }

  /** All rows, also retired ones: their open orders need prices until they end. */
  indices(): IterableIterator<InstrumentIndex> {
    return this.#markets.keys();
  }

  /** The rows that a symbol has named before its lots or ticks changed. */
  retiredOf(category: AssetCategory, exchangeSymbol: string): readonly InstrumentIndex[] {
    return this.#retired.get(`${category}|${exchangeSymbol}`) ?? NO_ROWS;
  }

  replace(categories: readonly AssetCategory[], all: readonly ListedMarket[]): ListingChange {
    const { venue, mode, registry, onFull } = this.#parts;
    // Exchanges list markets that ended years ago. Such a market gets no row.
    const known = new Set([...this.#markets.values()].map(({ instrument }) => nameOf(instrument)));
    const markets = all.filter(({ isTrading, instrument }) => isTrading || known.has(nameOf(instrument)));
    const names = markets.map(({ instrument }): ListedName => ({ ...instrument, venue, mode }));
    const indices = registry.indicesOf(names);
    const listed = new Map<InstrumentIndex, StoredMarket>();
    for (const [place, market] of markets.entries()) {
      const index = indices[place] ?? null;
      if (index !== null) listed.set(index, this.#stored(market, index));
    }
    if (listed.size < markets.length) onFull(markets.length - listed.size);
    const symbols = new Set([...listed.values()].map(({ instrument }) => nameOf(instrument)));
    const ended: string[] = [];
    const changes: StoredMarket[] = [];
    for (const [index, market] of this.#markets) {
      const { instrument } = market;
      if (listed.has(index) || !categories.includes(instrument.assetCategory)) continue;
      const isRetired = symbols.has(nameOf(instrument));
      if (instrument.isTrading === false && (instrument.isRetired ?? false) === isRetired) continue;
      ended.push(instrument.symbol);
      const { isRetired: _former, ...rest } = instrument;
      changes.push({ ...market, instrument: { ...rest, isTrading: false, ...(isRetired && { isRetired }) } });
    }
    let added = 0;
    const [halted, reopened]: [string[], string[]] = [[], []];
    for (const [index, market] of listed) {
      const former = this.#markets.get(index);
      if (former !== undefined && JSON.stringify(former) === JSON.stringify(market)) continue;
      if (former === undefined) added += 1;
      else if (doesTrade(former) !== doesTrade(market)) {
        (doesTrade(market) ? reopened : halted).push(market.instrument.symbol);
      }
      changes.push(market);
    }
    registry.store(changes);
    for (const market of changes) {
      this.#put(market);
      this.#parts.publish(market.instrument);
    }
    return { added, changed: changes.length - added - ended.length, halted, reopened, ended };
  }

  #stored({ instrument, rawSymbol, contractSize, isTrading }: ListedMarket, index: InstrumentIndex): StoredMarket {
    const { venue } = this.#parts;
    const own: Instrument = { ...instrument, index, venue, ...(!isTrading && { isTrading }) };
    return { instrument: own, exchangeSymbol: rawSymbol, contractSize };
  }

  #put(market: StoredMarket): void {
    const { instrument, exchangeSymbol, contractSize } = market;
    const { index, assetCategory, quantityPrecision, quantityStep, pricePrecision, priceStep } = instrument;
    const grid = { quantityPrecision, quantityStep, pricePrecision, priceStep };
    const name = `${assetCategory}|${exchangeSymbol}`;
    const isAnother = this.#bySymbol.has(name) && this.#bySymbol.get(name) !== index;
    if (isAnother || instrument.isRetired === true) this.#ambiguous.add(name);
    this.#markets.set(index, market);
    this.#live.set(index, {
      ...grid,
      index,
      exchangeSymbol,
      contractSize,
      isFuture: assetCategory === 'FUTURE',
    });
    const retired = this.retiredOf(assetCategory, exchangeSymbol).filter((one) => one !== index);
    this.#retired.set(name, instrument.isRetired === true ? [...retired, index] : retired);
    if (instrument.isRetired !== true) this.#bySymbol.set(name, index);
  }
}

const NO_ROWS: readonly InstrumentIndex[] = [];

function doesTrade({ instrument }: StoredMarket): boolean {
  return instrument.isTrading !== false;
}

function nameOf({ assetCategory, symbol }: Pick<Instrument, 'assetCategory' | 'symbol'>): string {
  return `${assetCategory}|${symbol}`;
}
