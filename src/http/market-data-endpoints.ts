import { LIST_EXCHANGES, LIST_INSTRUMENTS } from '../contract/market-operations.js';
import { EXCHANGE_CODES, VENUES, type ExchangeCode, type Venue } from '../model/exchange.js';
import type { InstrumentCatalogue } from '../model/instrument.js';
import { isRejected, reject, type OrRejection } from '../model/rejection.js';
import type { EpochMs } from '../model/time.js';
import type { SignedEndpoint } from './endpoint.js';
import { listing } from './listing.js';
import { shown } from './parse/json-field.js';
import { singleValue, type Query } from './parse/query-string.js';
import { exchangeValue, flagValue } from './parse/query-value.js';
import { exchangeText } from './present/exchange-entry.js';
import { instrumentText } from './present/instrument-entry.js';
import { arrayText } from './present/json-text.js';

export interface MarketDataParts {
  readonly catalogue: InstrumentCatalogue;
  /** Since when the catalogue is as it is, service time. */
  readonly listedAtMs: EpochMs;
  readonly isVenueUp: (venue: Venue) => boolean;
}

/** Reference data. It needs a key, like everything under /api. */
export function marketDataEndpoints(parts: MarketDataParts): readonly SignedEndpoint[] {
  const rows = parts.catalogue.listed.map((instrument) => ({
    exchange: instrument.venue,
    symbol: instrument.symbol,
    text: instrumentText(instrument, parts.listedAtMs),
  }));
  return [
    listing(LIST_EXCHANGES, (query) => {
      const all = flagValue(query, 'all');
      return isRejected(all) ? all : arrayText(exchangeTexts(all ? EXCHANGE_CODES : VENUES, parts));
    }),
    listing(LIST_INSTRUMENTS, (query) => {
      const filter = parseFilter(query, rows);
      if (isRejected(filter)) return filter;
      const { exchange, symbol } = filter;
      const listed = rows
        .filter((row) => exchange === null || row.exchange === exchange)
        .filter((row) => symbol === null || row.symbol === symbol);
      return arrayText(listed.map((row) => row.text));
    }),
  ];
}

function exchangeTexts(exchanges: readonly ExchangeCode[], { catalogue, isVenueUp }: MarketDataParts): string[] {
  return exchanges.map((exchange) => {
    const listed = catalogue.listed.filter(({ venue }) => venue === exchange);
    const assetClasses = [...new Set(listed.map(({ assetCategory }) => assetCategory))];
    const isTradable = (VENUES as readonly ExchangeCode[]).includes(exchange);
    return exchangeText({ exchange, assetClasses, isTradable, isUp: !isTradable || isVenueUp(exchange as Venue) });
  });
}

interface InstrumentFilter {
  readonly exchange: ExchangeCode | null;
  /** Canonical. */
  readonly symbol: string | null;
}

/** A symbol must be listed somewhere; where it is not, an exchange answers an empty list. */
function parseFilter(query: Query, rows: readonly { readonly symbol: string }[]): OrRejection<InstrumentFilter> {
  const exchange = exchangeValue(query);
  if (isRejected(exchange)) return exchange;
  const text = singleValue(query, 'symbol');
  if (isRejected(text)) return text;
  const symbol = text === null ? null : text.toUpperCase();
  if (symbol === null || rows.some((row) => row.symbol === symbol)) return { exchange, symbol };
  return reject('INVALID_SYMBOL', `symbol ${shown(text)} is no instrument of any exchange`);
}
