import {
  type AssetCategory,
  type ExchangeCode,
  type ExchangeMode,
  FORMER_MODES,
  type FormerMode,
  type RealMode,
  type RealVenues,
  type Venue,
} from './exchange.js';
import { asciiUpper } from './letter-case.js';
import { ADDED_INSTRUMENTS_PER_MODE_MAX } from './limits/live.js';
import type { Grid, Lots, Ticks } from './quantity.js';
import { assert } from './rejection.js';

/**
 * How an exchange prevents a trade of an account with itself. The mode of the taker decides. EXPIRE_TAKER,
 * EXPIRE_MAKER, EXPIRE_BOTH: the named orders end with their whole leaves, and a taker that is still open continues
 * with the next maker. DECREMENT: both orders lose the quantity that they would have traded, and an order without
 * leaves ends.
 */
export type SelfTradePrevention = 'NONE' | 'EXPIRE_TAKER' | 'EXPIRE_MAKER' | 'EXPIRE_BOTH' | 'DECREMENT';

/**
 * The modes that an exchange offers besides NONE, which every exchange accepts. The first one is the default, and every
 * child is sent with it: two parents of one account must not trade with each other. That would be a wash trade, with
 * two fees and no purpose.
 */
export type SelfTradePreventions = readonly [OfferedPrevention, ...OfferedPrevention[]];
type OfferedPrevention = Exclude<SelfTradePrevention, 'NONE'>;

/** Row number of an instrument in the catalogue and in the last-value cache; dense from 0. */
export type InstrumentIndex = number & { readonly __instrumentIndex: never };

/** Bounds of a limit price against the venue's reference price, in parts per million of it; null: no bound. */
export interface PriceBand {
  readonly minPpm: number | null;
  readonly maxPpm: number | null;
}

/** Rules of a venue for one order besides the grid, the quantity bounds and the least notional. */
export interface OrderFilters {
  /** Lowest and highest limit price. */
  readonly priceMin: Ticks;
  readonly priceMax: Ticks;
  /** How far a limit price may lie from the reference price. */
  readonly buyBand: PriceBand;
  readonly sellBand: PriceBand;
  /** Largest quantity of a MARKET order; at most quantityMax. */
  readonly marketQuantityMax: Lots;
  /**
   * Largest quantity × limit price, in units of one lot at one tick: a safe integer, so that the money of a fill is
   * exact.
   */
  readonly notionalMax: number;
  /** True when an order that can only reduce a position may be below notionalMin. */
  readonly isReducingExempt: boolean;
  /** Largest number of orders of one account that may rest in the book at once. */
  readonly openOrdersMax: number;
  /** True when the exchange has post-only orders. The contract has its own rule for the parameter `post_only`. */
  readonly isPostOnlyOffered: boolean;
  readonly selfTradePreventions: SelfTradePreventions;
}

/**
 * The reference data that an exchange publishes for an instrument. One contract of a linear perpetual is one base unit.
 */
export interface ListedInstrument extends Grid {
  readonly venue: ExchangeCode;
  /** Canonical: `BTC/USDT` for spot, `BTC/USDT:USDT` for a linear perpetual. */
  readonly symbol: string;
  readonly assetCategory: AssetCategory;
  readonly base: string;
  readonly quote: string;
  /** Smallest and largest quantity of one child order. */
  readonly quantityMin: Lots;
  readonly quantityMax: Lots;
  /** Smallest quantity × price of one child, in units of one lot at one tick. */
  readonly notionalMin: number;
  readonly filters: OrderFilters;
  /** Fee rates in units of 10^-6 of the notional (100 = 1 bp), charged in the quote currency. */
  readonly makerFeePpm: number;
  readonly takerFeePpm: number;
}

/** An instrument that accepts orders here. It has a market. */
export interface Instrument extends ListedInstrument {
  readonly index: InstrumentIndex;
  readonly venue: Venue;
  /** False: the exchange takes no orders in it now, or has delisted it. Absent: true. */
  readonly isTrading?: boolean;
  /** True: another row has its name now, because its grid has changed or the exchange has another mode. */
  readonly isRetired?: boolean;
}

/** Row numbers of instruments that are built in are below this, those of instruments added at run time from it. */
export const FIRST_ADDED_INDEX = 4_096;

/** Modes in the order of their rows. Rows of former modes stay: stored orders contain them. */
const ADDED_MODES: readonly (RealMode | FormerMode)[] = ['live', 'testnet', ...FORMER_MODES];

/** First row number of the instruments that are listed in a mode. The mode has ADDED_INSTRUMENTS_PER_MODE_MAX rows. */
export function firstIndexOf(mode: RealMode): number {
  return FIRST_ADDED_INDEX + ADDED_MODES.indexOf(mode) * ADDED_INSTRUMENTS_PER_MODE_MAX;
}

/** Row numbers of the instruments of a mode: the first one, and the one after the last. */
export function indexRangeOf(mode: ExchangeMode): { readonly from: number; readonly to: number } {
  if (mode === 'simulated') return { from: 0, to: FIRST_ADDED_INDEX };
  const from = firstIndexOf(mode);
  return { from, to: from + ADDED_INSTRUMENTS_PER_MODE_MAX };
}

/**
 * The mode in which orders of the instrument trade. The row number alone decides it, so no stored order can lose it.
 */
export function modeOfInstrument(index: InstrumentIndex): ExchangeMode | FormerMode {
  if (index < FIRST_ADDED_INDEX) return 'simulated';
  return ADDED_MODES[Math.floor((index - FIRST_ADDED_INDEX) / ADDED_INSTRUMENTS_PER_MODE_MAX)] ?? 'simulated';
}

/** The mode in which orders of the instrument trade at the real exchange; null: their fills are simulated. */
export function realModeOf(index: InstrumentIndex): RealMode | null {
  const mode = modeOfInstrument(index);
  return mode === 'testnet' || mode === 'live' ? mode : null;
}

/**
 * The instruments of all venues. Each thread has its own: those that are built in, and those that real exchanges list
 * at run time (`put`).
 */
export class InstrumentCatalogue {
  readonly #builtIn: readonly Instrument[];
  readonly #instruments: Instrument[];
  readonly #byIndex = new Map<InstrumentIndex, Instrument>();
  /** Instruments of exchanges that accept no orders here. They have no market and no row in the last-value cache. */
  readonly listedOnly: readonly ListedInstrument[];
  readonly #bySymbol = new Map<string, Instrument>();
  /** By the symbol without its slash. One such name may mean several instruments. */
  readonly #bySlashless = new Map<string, Instrument[]>();

  /** Changes with every `put`. */
  #version = 0;
  readonly #realVenues: RealVenues;

  /** Built-in instruments of `realVenues` are found by their index only: their names belong to the real exchange. */
  constructor(
    instruments: readonly Instrument[],
    listedOnly: readonly ListedInstrument[] = [],
    realVenues: RealVenues = new Map(),
  ) {
    this.#builtIn = instruments;
    this.#realVenues = realVenues;
    this.#instruments = instruments.filter(({ venue }) => !realVenues.has(venue));
    this.listedOnly = listedOnly;
    for (const instrument of this.#instruments) this.#name(instrument);
  }

  /** Changes when an instrument is added or replaced. */
  get version(): number {
    return this.#version;
  }

  /** Number of the rows of built-in instruments. */
  get builtInCount(): number {
    return this.#builtIn.length;
  }

  get instruments(): readonly Instrument[] {
    return this.#instruments;
  }

  /** Adds an instrument, or replaces the one with its index: its rules have changed. */
  put(instrument: Instrument): void {
    const { index } = instrument;
    assert(index >= FIRST_ADDED_INDEX, `instrument ${index} is built in`);
    this.#version += 1;
    const known = this.#byIndex.get(index);
    if (known !== undefined) {
      assert(nameOf(known) === nameOf(instrument), `instrument ${index} keeps its name ${nameOf(known)}`);
      this.#forget(known);
    }
    this.#byIndex.set(index, instrument);
    // A row of another mode, or with an earlier grid, is for stored orders: names do not find it.
    if (!this.#isNamed(instrument)) return;
    const former = this.#bySymbol.get(nameOf(instrument));
    if (former !== undefined) this.#forget(former);
    this.#instruments.push(instrument);
    this.#name(instrument);
  }

  #isNamed({ venue, isRetired, index }: Instrument): boolean {
    return isRetired !== true && this.#realVenues.get(venue) === modeOfInstrument(index);
  }

  #forget(instrument: Instrument): void {
    const place = this.#instruments.indexOf(instrument);
    if (place >= 0) this.#instruments.splice(place, 1);
    if (this.#bySymbol.get(nameOf(instrument)) === instrument) this.#bySymbol.delete(nameOf(instrument));
    for (const name of slashlessNames(instrument)) {
      const names = this.#bySlashless.get(key(instrument.venue, instrument.assetCategory, name));
      if (names?.includes(instrument) === true) names.splice(names.indexOf(instrument), 1);
    }
  }

  #name(instrument: Instrument): void {
    const { venue, assetCategory } = instrument;
    this.#bySymbol.set(nameOf(instrument), instrument);
    for (const name of slashlessNames(instrument)) {
      const named = this.#bySlashless.get(key(venue, assetCategory, name));
      if (named === undefined) this.#bySlashless.set(key(venue, assetCategory, name), [instrument]);
      else named.push(instrument);
    }
  }

  /** All instruments that any of the 18 exchanges lists: reference data. */
  get listed(): readonly ListedInstrument[] {
    return [...this.#instruments, ...this.listedOnly];
  }

  /**
   * The instrument that a symbol names, in any letter case; null for none or several. With FUTURE, `BTC/USDT` names the
   * same contract as `BTC/USDT:USDT`. A symbol without a slash is accepted when it names exactly one instrument.
   */
  find(venue: Venue, assetCategory: AssetCategory, symbol: string): Instrument | null {
    // Most clients send the symbol as it is listed.
    const listed = this.#bySymbol.get(key(venue, assetCategory, symbol));
    if (listed !== undefined) return listed;
    const upper = asciiUpper(symbol);
    const exact = this.#bySymbol.get(key(venue, assetCategory, upper));
    if (exact !== undefined) return exact;
    if (!upper.includes('/')) {
      const named = this.namedWithoutSlash(venue, assetCategory, upper);
      return named.length === 1 ? (named[0] ?? null) : null;
    }
    if (assetCategory !== 'FUTURE' || upper.includes(':')) return null;
    const quote = upper.slice(upper.indexOf('/') + 1);
    return this.#bySymbol.get(key(venue, assetCategory, `${upper}:${quote}`)) ?? null;
  }

  /** The instruments that a symbol without a slash names, in any letter case. */
  namedWithoutSlash(venue: Venue, assetCategory: AssetCategory, symbol: string): readonly Instrument[] {
    return this.#bySlashless.get(key(venue, assetCategory, asciiUpper(symbol))) ?? [];
  }

  /**
   * True for a real exchange of which no instrument of the category is known: its market list was not read yet. Its
   * other categories may be known, because wallets have lists of their own.
   */
  isUnread(venue: Venue, assetCategory: AssetCategory): boolean {
    if (!this.#realVenues.has(venue)) return false;
    return !this.#instruments.some((one) => one.venue === venue && one.assetCategory === assetCategory);
  }

  /** False for a simulated exchange beside real ones: a fill there would look like a real one. */
  takesOrders(venue: Venue): boolean {
    return this.#realVenues.size === 0 || this.#realVenues.has(venue);
  }

  /** Finds by the symbol alone, as market data names it: a symbol with a colon is a future, any other is spot. */
  findCanonical(venue: Venue, symbol: string): Instrument | null {
    return this.find(venue, symbol.includes(':') ? 'FUTURE' : 'SPOT', symbol);
  }

  at(index: InstrumentIndex): Instrument {
    // Built in: the row is the place. Added: there may be gaps.
    const instrument = index < FIRST_ADDED_INDEX ? this.#builtIn[index] : this.#byIndex.get(index);
    if (instrument === undefined) throw new RangeError(`no instrument ${index}`);
    return instrument;
  }
}

function slashlessNames({ symbol, base, quote }: Instrument): ReadonlySet<string> {
  return new Set([symbol.replace('/', ''), `${base}${quote}`]);
}

function nameOf({ venue, assetCategory, symbol }: Instrument): string {
  return key(venue, assetCategory, symbol);
}

function key(venue: Venue, assetCategory: AssetCategory, symbol: string): string {
  return `${venue}|${assetCategory}|${symbol}`;
}

/** Quote currencies of listed instruments. A name comes before every name that is a suffix of it. */
const QUOTE_CURRENCIES = ['USDT', 'USDC', 'USD', 'BTC', 'ETH', 'EUR'];

/**
 * The symbol with its slash, in upper case: `btcusdt` becomes `BTC/USDT`. Returns an unknown symbol without a change.
 */
export function withSlash(symbol: string): string {
  const upper = asciiUpper(symbol);
  if (upper.includes('/')) return upper;
  const colon = upper.indexOf(':');
  const pair = colon === -1 ? upper : upper.slice(0, colon);
  const quote = QUOTE_CURRENCIES.find((currency) => pair.length > currency.length && pair.endsWith(currency));
  return quote === undefined ? upper : `${pair.slice(0, -quote.length)}/${upper.slice(pair.length - quote.length)}`;
}

/** Returns the currency of an instrument's prices, by its symbol: `BTC/USDT`, or `BTC/USDT:USDT`. */
export function quoteOf(symbol: string): string {
  const full = withSlash(symbol);
  return full.slice(full.indexOf('/') + 1).split(':', 1)[0]!;
}

/** True when a text in upper case is the canonical symbol, or the symbol without its slash. */
export function isSymbolNamed(symbol: string, upper: string): boolean {
  return symbol === upper || (!upper.includes('/') && symbol.replace('/', '') === upper);
}

/** Two instruments of one exchange that a text names; null when it names at most one instrument of each exchange. */
export function ambiguityIn<Listed extends Pick<ListedInstrument, 'venue' | 'symbol'>>(
  named: readonly Listed[],
): readonly [Listed, Listed] | null {
  for (const [index, one] of named.entries()) {
    const other = named.slice(0, index).find(({ venue, symbol }) => venue === one.venue && symbol !== one.symbol);
    if (other !== undefined) return [other, one];
  }
  return null;
}
