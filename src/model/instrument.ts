import type { AssetCategory, ExchangeCode, Venue } from './exchange.js';
import type { Grid, Lots, Ticks } from './quantity.js';
import type { SelfTradePreventions } from './self-trade-prevention.js';

/** Row number of an instrument in the catalogue and in the market slate; dense from 0. */
export type InstrumentIndex = number & { readonly __instrumentIndex: never };

/** Bounds of a limit price against the venue's reference price, in parts per million of it; null: no bound. */
export interface PriceBand {
  readonly minPpm: number | null;
  readonly maxPpm: number | null;
}

/** What a venue asks of one order besides the grid, the least and largest quantity and the least notional. */
export interface OrderFilters {
  /** Lowest and highest limit price. */
  readonly priceMin: Ticks;
  readonly priceMax: Ticks;
  /** How far a limit price may lie from the reference price. */
  readonly buyBand: PriceBand;
  readonly sellBand: PriceBand;
  /** Largest quantity of a MARKET order; at most quantityMax. */
  readonly marketQuantityMax: Lots;
  /** Largest quantity × limit price, in units of one lot at one tick: a safe integer, so that the money of a fill is exact. */
  readonly notionalMax: number;
  /** An order that can only reduce a position may lie below notionalMin. */
  readonly isReducingExempt: boolean;
  /** Orders of one account that may rest in the book at once. */
  readonly openOrdersMax: number;
  readonly isPostOnlyOffered: boolean;
  readonly selfTradePreventions: SelfTradePreventions;
}

/** What an exchange publishes of an instrument. Quantities of a linear perpetual are base units: its contract size is 1. */
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

/** An instrument that takes orders here: it has a market. */
export interface Instrument extends ListedInstrument {
  readonly index: InstrumentIndex;
  readonly venue: Venue;
}

/** The instruments of every venue: built once at the composition root and handed to every thread. */
export class InstrumentCatalogue {
  readonly instruments: readonly Instrument[];
  /** Of the exchanges that take no orders here: no market, no row in the slate. */
  readonly listedOnly: readonly ListedInstrument[];
  readonly #bySymbol = new Map<string, Instrument>();

  constructor(instruments: readonly Instrument[], listedOnly: readonly ListedInstrument[] = []) {
    this.instruments = instruments;
    this.listedOnly = listedOnly;
    for (const instrument of instruments) {
      this.#bySymbol.set(key(instrument.venue, instrument.assetCategory, instrument.symbol), instrument);
    }
  }

  /** Everything any of the 18 exchanges lists: reference data. */
  get listed(): readonly ListedInstrument[] {
    return [...this.instruments, ...this.listedOnly];
  }

  /** With FUTURE, `BTC/USDT` names the same contract as `BTC/USDT:USDT`. The symbol is matched in upper case. */
  find(venue: Venue, assetCategory: AssetCategory, symbol: string): Instrument | null {
    const upper = symbol.toUpperCase();
    const exact = this.#bySymbol.get(key(venue, assetCategory, upper));
    if (exact !== undefined) return exact;
    if (assetCategory !== 'FUTURE' || upper.includes(':')) return null;
    const quote = upper.slice(upper.indexOf('/') + 1);
    return this.#bySymbol.get(key(venue, assetCategory, `${upper}:${quote}`)) ?? null;
  }

  /** By canonical symbol alone, as market data names it. */
  findCanonical(venue: Venue, symbol: string): Instrument | null {
    return this.find(venue, symbol.includes(':') ? 'FUTURE' : 'SPOT', symbol);
  }

  at(index: InstrumentIndex): Instrument {
    const instrument = this.instruments[index];
    if (instrument === undefined) throw new RangeError(`no instrument ${index}`);
    return instrument;
  }
}

function key(venue: Venue, assetCategory: AssetCategory, symbol: string): string {
  return `${venue}|${assetCategory}|${symbol}`;
}
