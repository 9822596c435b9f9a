import { OK } from '../api/field/error-code.js';
import {
  ambiguous,
  currentText,
  FUNDING_RATE_HISTORY,
  LAST_FUNDING_RATES,
  paidTexts,
  parseFuture,
  parseFutures,
} from '../api/market/funding.js';
import { exchangeText, instrumentText, LIST_EXCHANGES, LIST_INSTRUMENTS } from '../api/market/instruments.js';
import { shown } from '../api/field/json-value.js';
import { exchangeValue, flagValue, parseQuery, type Query, singleValue } from '../api/field/query.js';
import { arrayText } from '../api/field/json-text.js';
import { EXCHANGE_CODES, type ExchangeCode, type RealVenues, type Venue, VENUES } from '../domain/exchange.js';
import type { AccountId } from '../domain/ids.js';
import {
  type Instrument,
  type InstrumentCatalogue,
  type ListedInstrument,
  ambiguityIn,
  isSymbolNamed,
} from '../domain/instrument.js';
import { asciiUpper } from '../domain/letter-case.js';
import type { FundingRate } from '../domain/market-feed.js';
import { isRejected, type OrRejection, reject } from '../domain/rejection.js';
import type { EpochMs } from '../domain/time.js';
import type { FundingLookup } from '../intake/funding-lookup.js';
import type { Intake } from '../intake/intake.js';
import type { RequestCall } from './call.js';
import type { SignedEndpoint } from './endpoint.js';
import { listing } from './query-endpoints.js';

export interface MarketDataParts {
  readonly catalogue: InstrumentCatalogue;
  /** Time of the last change of the catalogue, service time. */
  readonly listedAtMs: EpochMs;
  readonly isVenueUp: (venue: Venue) => boolean;
  /** The exchanges that are not simulated. */
  readonly liveModes: RealVenues;
  /** Service time. */
  readonly nowMs: () => EpochMs;
}

/** Reference data. It needs a key, like everything under /api. */
export function marketDataEndpoints(parts: MarketDataParts): readonly SignedEndpoint[] {
  const rowsOf = listedRows(parts);
  return [
    listing(LIST_EXCHANGES, (query) => {
      const all = flagValue(query, 'all');
      return isRejected(all) ? all : arrayText(exchangeTexts(all ? EXCHANGE_CODES : VENUES, parts));
    }),
    listing(LIST_INSTRUMENTS, (query) => {
      const rows = rowsOf();
      const filter = parseFilter(query, rows);
      if (isRejected(filter)) return filter;
      const { exchange, symbol } = filter;
      const listed = rows
        .filter((row) => exchange === null || row.venue === exchange)
        .filter((row) => symbol === null || isSymbolNamed(row.symbol, symbol));
      return arrayText(listed.map((row) => row.text));
    }),
  ];
}

interface ListedRow {
  readonly venue: ExchangeCode;
  readonly symbol: string;
  readonly text: string;
}

/** The listed instruments as JSON, rendered again after a change of the catalogue. */
function listedRows({ catalogue, listedAtMs, nowMs }: MarketDataParts): () => readonly ListedRow[] {
  let [version, rows] = [Number.NaN, [] as readonly ListedRow[]];
  return () => {
    if (catalogue.version === version) return rows;
    const changedAtMs = Number.isNaN(version) ? listedAtMs : nowMs();
    version = catalogue.version;
    rows = catalogue.listed.map((instrument) => ({
      venue: instrument.venue,
      symbol: instrument.symbol,
      text: instrumentText(instrument, isEnabled(instrument), changedAtMs),
    }));
    return rows;
  };
}

function isEnabled(instrument: ListedInstrument & Partial<Pick<Instrument, 'isTrading'>>): boolean {
  return instrument.isTrading ?? true;
}

function exchangeTexts(
  exchanges: readonly ExchangeCode[],
  { catalogue, isVenueUp, liveModes }: MarketDataParts,
): string[] {
  return exchanges.map((exchange) => {
    const listed = catalogue.listed.filter(({ venue }) => venue === exchange);
    const assetClasses = [...new Set(listed.map(({ assetCategory }) => assetCategory))];
    const liveMode = liveModes.get(exchange as Venue) ?? null;
    const isVenue = (VENUES as readonly ExchangeCode[]).includes(exchange);
    return exchangeText({
      exchange,
      assetClasses,
      isTradable: isVenue && catalogue.takesOrders(exchange as Venue),
      isUp: !isVenue || isVenueUp(exchange as Venue),
      liveMode,
    });
  });
}

interface InstrumentFilter {
  readonly exchange: ExchangeCode | null;
  /** In upper case; the slash may be missing. */
  readonly symbol: string | null;
}

/** A symbol must be listed on some exchange. The answer is empty for an exchange that does not list it. */
function parseFilter(
  query: Query,
  rows: readonly Pick<ListedInstrument, 'venue' | 'symbol'>[],
): OrRejection<InstrumentFilter> {
  const exchange = exchangeValue(query);
  if (isRejected(exchange)) return exchange;
  const text = singleValue(query, 'symbol');
  if (isRejected(text)) return text;
  const symbol = text === null ? null : asciiUpper(text);
  if (text === null || symbol === null) return { exchange, symbol: null };
  const named = rows.filter((row) => isSymbolNamed(row.symbol, symbol));
  const ambiguity = ambiguityIn(exchange === null ? named : named.filter((row) => row.venue === exchange));
  if (ambiguity !== null) return ambiguous(text, ambiguity);
  if (named.length > 0) return { exchange, symbol };
  return reject('INVALID_SYMBOL', `symbol ${shown(text)} is not listed on any exchange`);
}

export interface FundingEndpointParts {
  readonly catalogue: InstrumentCatalogue;
  readonly intake: Pick<Intake, 'funding'>;
}

/** Funding rates published by the exchanges. Unknown for exchanges without a market here. */
export function fundingEndpoints({ catalogue, intake }: FundingEndpointParts): readonly SignedEndpoint[] {
  const listedOnly = new Set(catalogue.listedOnly);
  const isTraded = (future: ListedInstrument): future is Instrument => !listedOnly.has(future);
  // Read at each request: real exchanges list instruments at run time.
  const futuresOf = () => catalogue.listed.filter(({ assetCategory }) => assetCategory === 'FUTURE');
  return [
    {
      ...FUNDING_RATE_HISTORY,
      handle: ({ call, account }) => {
        const query = parseQuery(call.head.query);
        if (isRejected(query)) return call.refuse(query.rejection);
        const future = parseFuture(query, futuresOf());
        if (isRejected(future)) return call.refuse(future.rejection);
        if (isTraded(future)) answerPaid(intake.funding, call, account, future);
        else call.answer(OK, arrayText([]));
      },
    },
    {
      ...LAST_FUNDING_RATES,
      handle: ({ call, account }) => {
        const query = parseQuery(call.head.query);
        if (isRejected(query)) return call.refuse(query.rejection);
        const named = parseFutures(query, futuresOf());
        if (isRejected(named)) call.refuse(named.rejection);
        else answerCurrent(intake.funding, call, account, named.filter(isTraded));
      },
    },
  ];
}

type Result = OrRejection<readonly FundingRate[]>;

function answerPaid(funding: FundingLookup, call: RequestCall, account: AccountId, future: Instrument): void {
  const answer = call.guarded((result: Result) => {
    if (isRejected(result)) call.refuse(result.rejection);
    else call.answer(OK, arrayText(paidTexts(future, result)));
  });
  funding.paid(future, account, answer);
}

/** Omits a future whose exchange does not answer. */
function answerCurrent(
  funding: FundingLookup,
  call: RequestCall,
  account: AccountId,
  futures: readonly Instrument[],
): void {
  const answer = call.guarded((result: OrRejection<readonly (readonly FundingRate[] | null)[]>) => {
    if (isRejected(result)) return call.refuse(result.rejection);
    const texts = futures.map((future, index) => {
      const rates = result[index] ?? null;
      return rates === null ? null : currentText(future, rates);
    });
    call.answer(OK, arrayText(texts.filter((text) => text !== null)));
  });
  funding.currentOfAll(futures, account, answer);
}
