import { assert } from '../../model/assert.js';
import { VENUES, type ExchangeCode } from '../../model/exchange.js';
import {
  InstrumentCatalogue,
  type Instrument,
  type InstrumentIndex,
  type ListedInstrument,
} from '../../model/instrument.js';
import { LISTING_ONLY, VENUE_LISTINGS } from './exchange-listings.js';
import { instrumentsOf } from './listed-instruments.js';
import { PAIR_LISTINGS, type PairListing } from './pair-listing.js';

/**
 * Every instrument of every exchange. Indices are for ever, because orders are recorded with them: each symbol takes the
 * next ones, one a venue in the order of the venues' ids, and a new pair goes to the end of the pairs.
 */
export function buildCatalogue(): InstrumentCatalogue {
  const symbols = PAIR_LISTINGS.flatMap(symbolsOf);
  const listed = VENUES.map((venue) => bySymbol(instrumentsOf(venue, VENUE_LISTINGS[venue])));
  const instruments = symbols.flatMap((symbol, rank) =>
    VENUES.map((venue, place): Instrument => {
      const instrument = listed[place]?.get(symbol);
      assert(instrument !== undefined, `${venue} lists ${symbol}`);
      return { ...instrument, venue, index: (rank * VENUES.length + place) as InstrumentIndex };
    }),
  );
  const listedOnly = Object.entries(LISTING_ONLY).flatMap(([exchange, listing]) =>
    instrumentsOf(exchange as ExchangeCode, listing),
  );
  return new InstrumentCatalogue(instruments, listedOnly);
}

function symbolsOf({ base, quote, hasPerpetual }: PairListing): string[] {
  const spot = `${base}/${quote}`;
  return hasPerpetual ? [spot, `${spot}:${quote}`] : [spot];
}

function bySymbol(instruments: readonly ListedInstrument[]): ReadonlyMap<string, ListedInstrument> {
  return new Map(instruments.map((instrument) => [instrument.symbol, instrument]));
}
