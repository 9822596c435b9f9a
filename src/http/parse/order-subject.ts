import { parseVenue, type AssetCategory, type Venue } from '../../model/exchange.js';
import type { Instrument, InstrumentCatalogue } from '../../model/instrument.js';
import { isRejected, reject, type OrRejection } from '../../model/rejection.js';
import { isAbsent, shown, type JsonObject } from './json-field.js';
import { parseSubaccount } from './order-text.js';
import { parseRequired } from './required-choice.js';

/** Where an order trades, and what: the part of a request that every later rule depends on. */
export interface OrderSubject {
  readonly venue: Venue;
  readonly subaccount: string | null;
  /** As it was sent. */
  readonly symbol: string;
  readonly assetCategory: AssetCategory;
  readonly instrument: Instrument;
}

const ASSET_CATEGORIES: readonly AssetCategory[] = ['SPOT', 'FUTURE'];

/** Reads exchange, subaccount, symbol and asset_category, in that order. */
export function parseSubject(body: JsonObject, catalogue: InstrumentCatalogue): OrRejection<OrderSubject> {
  const venue = parseTradingVenue(body['exchange']);
  if (isRejected(venue)) return venue;
  const subaccount = parseSubaccount(body['subaccount']);
  return isRejected(subaccount) ? subaccount : parseInstrument(body, venue, subaccount, catalogue);
}

/**
 * Reads symbol and asset_category, which name the instrument together: a symbol that is none of the exchange in any
 * category is wrong before its category is.
 */
export function parseInstrument(
  body: JsonObject,
  venue: Venue,
  subaccount: string | null,
  catalogue: InstrumentCatalogue,
): OrRejection<OrderSubject> {
  const symbol = body['symbol'];
  if (isAbsent(symbol)) return reject('INVALID_SYMBOL', 'symbol is missing');
  if (typeof symbol !== 'string') return reject('INVALID_SYMBOL', `symbol ${shown(symbol)} is not text`);
  const assetCategory = parseRequired(body, 'asset_category', ASSET_CATEGORIES);
  if (isRejected(assetCategory)) {
    const isListed = ASSET_CATEGORIES.some((category) => catalogue.find(venue, category, symbol) !== null);
    return isListed ? assetCategory : unknownSymbol(symbol, `instrument of ${venue}`);
  }
  const instrument = catalogue.find(venue, assetCategory, symbol);
  if (instrument !== null) return { venue, subaccount, symbol, assetCategory, instrument };
  return unknownSymbol(symbol, `${assetCategory} instrument of ${venue}`);
}

function unknownSymbol(symbol: string, what: string): OrRejection<never> {
  return reject('INVALID_SYMBOL', `symbol ${shown(symbol)} is no ${what}`);
}

/** One of the exchanges that take orders. */
export function parseTradingVenue(value: unknown): OrRejection<Venue> {
  if (isAbsent(value)) return reject('INVALID_EXCHANGE', 'exchange is missing');
  const venue = typeof value === 'string' ? parseVenue(value) : null;
  return venue ?? reject('INVALID_EXCHANGE', `exchange ${shown(value)} is not one that takes orders`);
}
