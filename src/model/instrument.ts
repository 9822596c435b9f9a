import type { AssetCategory, Venue } from './exchange.js';
import type { Grid, Lots } from './quantity.js';

/** Row number of an instrument in the catalogue and in the market slate; dense from 0. */
export type InstrumentIndex = number & { readonly __instrumentIndex: never };

export interface Instrument extends Grid {
  readonly index: InstrumentIndex;
  readonly venue: Venue;
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
  /** Fee rates in units of 10^-6 of the notional (100 = 1 bp), charged in the quote currency. */
  readonly makerFeePpm: number;
  readonly takerFeePpm: number;
}

/** The instruments of every venue: built once at the composition root and handed to every thread. */
export class InstrumentCatalogue {
  readonly instruments: readonly Instrument[];
  readonly #bySymbol = new Map<string, Instrument>();

  constructor(instruments: readonly Instrument[]) {
    this.instruments = instruments;
    for (const instrument of instruments) {
      this.#bySymbol.set(key(instrument.venue, instrument.assetCategory, instrument.symbol), instrument);
    }
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
