import { type AssetCategory, type ExchangeCode, type RealVenues, VENUES } from '../../domain/exchange.js';
import {
  type Instrument,
  InstrumentCatalogue,
  type InstrumentIndex,
  type ListedInstrument,
} from '../../domain/instrument.js';
import { VENUE_OPEN_ORDERS_MAX } from '../../domain/limits/trading.js';
import { assert } from '../../domain/rejection.js';
import type { ExchangeListing, ProductListing, TradingRule } from './exchange-listing.js';
import { LISTING_ONLY, VENUE_LISTINGS } from './exchanges.js';
import { PAIR_LISTINGS, type PairListing } from './pair-listing.js';

/**
 * Every instrument of every exchange. Indices never change, because stored orders contain them. Each symbol takes one
 * index a venue, in order of the venue ids. New pairs go to the end of the list. Built-in instruments of `realVenues`
 * have no names: the real exchange lists its own.
 */
export function buildCatalogue(realVenues: RealVenues = new Map()): InstrumentCatalogue {
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
  return new InstrumentCatalogue(instruments, listedOnly, realVenues);
}

function symbolsOf({ base, quote, hasPerpetual }: PairListing): string[] {
  const spot = `${base}/${quote}`;
  return hasPerpetual ? [spot, `${spot}:${quote}`] : [spot];
}

function bySymbol(instruments: readonly ListedInstrument[]): ReadonlyMap<string, ListedInstrument> {
  return new Map(instruments.map((instrument) => [instrument.symbol, instrument]));
}

/** Listing facts of one instrument kind: the product's own and the exchange's. */
type Product = ProductListing & Pick<ExchangeListing, 'selfTradePreventions'>;

/** Instruments of one exchange, spot before perpetuals. */
function instrumentsOf(exchange: ExchangeCode, listing: ExchangeListing): ListedInstrument[] {
  return [...productsOf(exchange, 'SPOT', listing), ...productsOf(exchange, 'FUTURE', listing)];
}

function productsOf(
  exchange: ExchangeCode,
  assetCategory: AssetCategory,
  { spot, perpetual, selfTradePreventions }: ExchangeListing,
): ListedInstrument[] {
  const product = assetCategory === 'SPOT' ? spot : perpetual;
  if (product === null) return [];
  return product.rules.map((rule) => instrumentOf(exchange, assetCategory, { ...product, selfTradePreventions }, rule));
}

function instrumentOf(
  exchange: ExchangeCode,
  assetCategory: AssetCategory,
  { fees, bands, ownBands, isPostOnlyOffered, selfTradePreventions }: Product,
  rule: TradingRule,
): ListedInstrument {
  const { symbol, pricePrecision, quantityPrecision, quantityMin, quantityMax, notionalMin } = rule;
  const { priceMin, priceMax, marketQuantityMax, notionalMax } = rule;
  const [pair = ''] = symbol.split(':');
  const [base = '', quote = ''] = pair.split('/');
  return {
    venue: exchange,
    symbol,
    assetCategory,
    base,
    quote,
    quantityPrecision,
    pricePrecision,
    quantityStep: 1,
    priceStep: 1,
    quantityMin,
    quantityMax,
    notionalMin,
    filters: {
      priceMin,
      priceMax,
      ...(ownBands?.[symbol] ?? bands),
      marketQuantityMax,
      notionalMax,
      isReducingExempt: assetCategory === 'FUTURE',
      openOrdersMax: VENUE_OPEN_ORDERS_MAX,
      isPostOnlyOffered,
      selfTradePreventions,
    },
    makerFeePpm: fees.makerPpm,
    takerFeePpm: fees.takerPpm,
  };
}
