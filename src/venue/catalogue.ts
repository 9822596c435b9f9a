import type { AssetCategory, Venue } from '../model/exchange.js';
import { VENUES } from '../model/exchange.js';
import { InstrumentCatalogue, type Instrument, type InstrumentIndex } from '../model/instrument.js';
import type { Lots } from '../model/quantity.js';
import { PAIR_LISTINGS, VENUE_TRAITS, type PairListing, type Precisions } from './listing.js';

/** Every instrument of every simulated venue. Indices are for ever, so a new pair goes to the end of the listings. */
export function buildCatalogue(): InstrumentCatalogue {
  const instruments: Instrument[] = [];
  const list = (pair: PairListing, assetCategory: AssetCategory, grid: Precisions): void => {
    for (const venue of VENUES) instruments.push(instrumentOf(instruments.length, venue, pair, assetCategory, grid));
  };
  for (const pair of PAIR_LISTINGS) {
    list(pair, 'SPOT', pair.spot);
    if (pair.perpetual !== null) list(pair, 'FUTURE', pair.perpetual);
  }
  return new InstrumentCatalogue(instruments);
}

function instrumentOf(
  index: number,
  venue: Venue,
  pair: PairListing,
  assetCategory: AssetCategory,
  grid: Precisions,
): Instrument {
  const { base, quote } = pair;
  const fees = assetCategory === 'SPOT' ? VENUE_TRAITS[venue].spot : VENUE_TRAITS[venue].perpetual;
  return {
    index: index as InstrumentIndex,
    venue,
    symbol: assetCategory === 'SPOT' ? `${base}/${quote}` : `${base}/${quote}:${quote}`,
    assetCategory,
    base,
    quote,
    quantityPrecision: grid.quantity,
    pricePrecision: grid.price,
    quantityMin: 1 as Lots,
    quantityMax: (pair.quantityMax * 10 ** grid.quantity) as Lots,
    notionalMin: Math.ceil((pair.notionalMinTenThousandths * 10 ** (grid.quantity + grid.price)) / 10_000),
    makerFeePpm: fees.makerPpm,
    takerFeePpm: fees.takerPpm,
  };
}
