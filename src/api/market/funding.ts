import { Type } from '@sinclair/typebox';
import { READING, type SignedOperation } from '../document/operation.js';
import { instantText, quote } from '../field/json-text.js';
import { shown } from '../field/json-value.js';
import { exchangeValue, type Query, singleValue } from '../field/query.js';
import { decimal, described, instant } from '../field/schema.js';
import { ListingExchange, TradingExchange } from '../field/vocabulary.js';
import type { ExchangeCode } from '../../domain/exchange.js';
import { ambiguityIn, type Instrument, isSymbolNamed, type ListedInstrument } from '../../domain/instrument.js';
import { asciiUpper } from '../../domain/letter-case.js';
import { FUNDING_HISTORY_RATES_COUNT } from '../../domain/limits/trading.js';
import { type FundingRate, fundingIntervalOf } from '../../domain/market-feed.js';
import { formatSteps, formatTicks, type Ticks } from '../../domain/quantity.js';
import { isRejected, type OrRejection, reject } from '../../domain/rejection.js';
import type { EpochMs } from '../../domain/time.js';

const SILENCE = '503 EXCHANGE_NOT_AVAILABLE when the exchange does not answer in time.';

const FORM = '`BTC/USDT:USDT` `BTC/USDT` or `BTCUSDT` in any letter case; only futures pay funding';

const FundingRateEntry = Type.Object(
  {
    exchange: TradingExchange,
    symbol: Type.String({ description: 'Canonical: `BTC/USDT:USDT`.' }),
    time: instant('Time of the payment. Of a simulated exchange service time: 00:00, 08:00 or 16:00 UTC.'),
    nextTime: instant('Time of the next payment.'),
    rate: decimal('Rate that longs paid to shorts, as a part of their notional; below 0: shorts paid longs.'),
    nextRate: Type.Optional(
      decimal(
        'Rate at nextTime. History: the paid rate; absent while nextTime is in the future. Last rates: the current estimate for the running period.',
      ),
    ),
    markPrice: Type.Optional(
      decimal('Mark price. History: at `time`. Last rates: now. Absent where a real exchange does not state it.'),
    ),
  },
  {
    title: 'FundingRate',
    description: 'Funding rate of a future at a funding time.',
    examples: [
      {
        exchange: 'BINANCE',
        symbol: 'BTC/USDT:USDT',
        time: '2026-11-21T08:00:00.000Z',
        nextTime: '2026-11-21T16:00:00.000Z',
        rate: 0.0001,
        nextRate: -0.000042,
        markPrice: 60_000.5,
      },
    ],
  },
);

export const FundingRateList = Type.Array(FundingRateEntry);

export const FUNDING_RATE_HISTORY = {
  ...READING,
  group: 'Market data',
  id: 'listFundingRateHistory',
  path: '/api/v2/data/fundingRateHistory',
  summary: 'Funding rate history of a future',
  description: `The last ${FUNDING_HISTORY_RATES_COUNT} funding times, newest first, as published by the exchange. ${SILENCE} Empty for a future of an exchange that only lists instruments.`,
  query: Type.Object({
    exchange: described(ListingExchange, 'Required; any letter case.'),
    symbol: Type.String({
      description: `Required: ${FORM}. A symbol that is no future of the exchange is answered 400 INVALID_SYMBOL.`,
    }),
  }),
  success: { status: 200, description: 'The rates.', schema: FundingRateList },
} as const satisfies SignedOperation;

export const LAST_FUNDING_RATES = {
  ...READING,
  group: 'Market data',
  id: 'listLastFundingRates',
  path: '/api/v2/data/lastFundingRates',
  summary: 'Last and next funding rates of futures',
  description:
    'One entry for each future. Both filters are optional. Exchanges that do not answer in time are omitted. 503 EXCHANGE_NOT_AVAILABLE when no exchange answers.',
  query: Type.Object({
    exchange: Type.Optional(described(ListingExchange, 'Only of this exchange; any letter case.')),
    symbol: Type.Optional(
      Type.String({
        description: `Only of this symbol: ${FORM}. A symbol that is no future is answered 400 INVALID_SYMBOL.`,
      }),
    ),
  }),
  success: { status: 200, description: 'The rates.', schema: FundingRateList },
} as const satisfies SignedOperation;

type Futures = readonly ListedInstrument[];

/** The future that exchange and symbol name; both are required. */
export function parseFuture(query: Query, futures: Futures): OrRejection<ListedInstrument> {
  const exchange = exchangeValue(query);
  if (isRejected(exchange)) return exchange;
  if (exchange === null) return reject('INVALID_EXCHANGE', 'exchange is missing');
  const symbol = singleValue(query, 'symbol');
  if (isRejected(symbol)) return symbol;
  if (symbol === null) return reject('INVALID_SYMBOL', 'symbol is missing');
  const found = ofExchange(named(futures, symbol), exchange);
  const ambiguity = ambiguityIn(found);
  if (ambiguity !== null) return ambiguous(symbol, ambiguity);
  const [future] = found;
  return future ?? reject('INVALID_SYMBOL', `symbol ${shown(symbol)} is no future of ${exchange}`);
}

/** The futures that match exchange and symbol; either may be absent. A symbol must be a future of some exchange. */
export function parseFutures(query: Query, futures: Futures): OrRejection<Futures> {
  const exchange = exchangeValue(query);
  if (isRejected(exchange)) return exchange;
  const symbol = singleValue(query, 'symbol');
  if (isRejected(symbol)) return symbol;
  const left = symbol === null ? futures : named(futures, symbol);
  if (left.length > 0) {
    const found = exchange === null ? left : ofExchange(left, exchange);
    const ambiguity = symbol === null ? null : ambiguityIn(found);
    return symbol === null || ambiguity === null ? found : ambiguous(symbol, ambiguity);
  }
  return reject('INVALID_SYMBOL', `symbol ${shown(symbol)} is no future of any exchange`);
}

/** Refuses a symbol without a slash that names several instruments of one exchange. */
export function ambiguous(
  text: string,
  [one, other]: readonly [Pick<ListedInstrument, 'venue' | 'symbol'>, Pick<ListedInstrument, 'symbol'>],
): OrRejection<never> {
  const symbols = `${one.symbol}, ${other.symbol}`;
  return reject('INVALID_SYMBOL', `symbol ${shown(text)} names more than one instrument of ${one.venue}: ${symbols}`);
}

function ofExchange(futures: Futures, exchange: ExchangeCode): Futures {
  return futures.filter(({ venue }) => venue === exchange);
}

/** In any letter case. Only futures pay funding, so `BTC/USDT` and `BTCUSDT` name `BTC/USDT:USDT` here. */
function named(futures: Futures, text: string): Futures {
  const upper = asciiUpper(text);
  return futures.filter(
    ({ symbol, base, quote }) => isSymbolNamed(symbol, upper) || isSymbolNamed(`${base}/${quote}`, upper),
  );
}

/** Decimals of a rate in millionths. */
const RATE_PRECISION = 6;

/**
 * Paid funding rates of a future, newest first, in the contract's form. Each one except the newest has the next rate.
 */
export function paidTexts(future: Instrument, rates: readonly FundingRate[]): readonly string[] {
  return rates.map((rate, place) => {
    const next = rates[place - 1];
    const nextAtMs = next?.atMs ?? rate.atMs + fundingIntervalOf(rates);
    return rateText(future, { ...rate, nextAtMs, nextPpm: next?.ratePpm ?? null });
  });
}

/** Last paid and next estimated rate of a future, at its current mark price; null: it has never paid. */
export function currentText(future: Instrument, [next, last]: readonly FundingRate[]): string | null {
  if (next === undefined || last === undefined) return null;
  return rateText(future, { ...last, nextAtMs: next.atMs, markPrice: next.markPrice, nextPpm: next.ratePpm });
}

interface Shown {
  readonly atMs: EpochMs;
  readonly ratePpm: number;
  readonly nextAtMs: number;
  readonly markPrice: Ticks | null;
  /** null: not known yet. */
  readonly nextPpm: number | null;
}

function rateText(future: Instrument, { atMs, ratePpm, nextAtMs, markPrice, nextPpm }: Shown): string {
  return (
    `{"exchange":"${future.venue}","symbol":${quote(future.symbol)},"time":${instantText(atMs)},` +
    `"nextTime":${instantText(nextAtMs)},"rate":${formatSteps(ratePpm, RATE_PRECISION)}` +
    (nextPpm === null ? '' : `,"nextRate":${formatSteps(nextPpm, RATE_PRECISION)}`) +
    (markPrice === null ? '}' : `,"markPrice":${formatTicks(markPrice, future)}}`)
  );
}
