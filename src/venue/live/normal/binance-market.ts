import type { JsonFields } from '../json/json-fields.js';
import { type ListRead, named, readList, readObject, type ReportFinding, takerSide } from './message.js';
import { type Source, unreadable } from './message.js';
import type {
  CandleRecord,
  Depth,
  FundingRecord,
  MarketRecord,
  MarkPrice,
  OpenInterest,
  PublicTrade,
  TopOfBook,
} from './records.js';

/** Best bid and ask of a stream; spot frames have neither type nor time. */
export function readBookTicker(fields: JsonFields): readonly MarketRecord[] {
  return [
    {
      kind: 'TopOfBook',
      symbol: fields.text('s'),
      bid: { price: fields.amount('b'), quantity: fields.amount('B') },
      ask: { price: fields.amount('a'), quantity: fields.amount('A') },
      updateId: fields.id('u'),
      atMs: fields.optionalTime('T') ?? fields.optionalTime('E'),
    },
  ];
}

/** Changed levels of a book. */
export function readDepthUpdate(fields: JsonFields): readonly MarketRecord[] {
  return [
    {
      kind: 'Depth',
      symbol: fields.text('s'),
      isSnapshot: false,
      bids: fields.levels('b'),
      asks: fields.levels('a'),
      firstUpdateId: fields.id('U'),
      lastUpdateId: fields.id('u'),
      // Only futures have it.
      previousUpdateId: fields.optionalId('pu'),
      atMs: fields.optionalTime('T') ?? fields.optionalTime('E'),
    },
  ];
}

export function readTrade(fields: JsonFields): readonly MarketRecord[] {
  return [streamTrade(fields, 't')];
}

/** Trades of one taker at one price count as one. */
export function readAggregateTrade(fields: JsonFields): readonly MarketRecord[] {
  return [streamTrade(fields, 'a')];
}

function streamTrade(fields: JsonFields, id: string): PublicTrade {
  return {
    kind: 'PublicTrade',
    symbol: fields.text('s'),
    tradeId: fields.id(id),
    price: fields.amount('p'),
    quantity: fields.amount('q'),
    takerSide: takerSide(fields.flag('m')),
    atMs: fields.time('T'),
  };
}

export function readKline(message: JsonFields): readonly MarketRecord[] {
  const fields = message.inside('k');
  return [
    {
      kind: 'Candle',
      symbol: fields.text('s'),
      interval: fields.text('i'),
      openMs: fields.time('t'),
      open: fields.amount('o'),
      high: fields.amount('h'),
      low: fields.amount('l'),
      close: fields.amount('c'),
      volume: fields.amount('v'),
      quoteVolume: fields.amount('q'),
      isClosed: fields.flag('x'),
    },
  ];
}

export function readMarkPriceUpdate(fields: JsonFields): readonly MarketRecord[] {
  return [
    {
      kind: 'MarkPrice',
      symbol: fields.text('s'),
      markPrice: fields.amount('p'),
      indexPrice: fields.optionalAmount('i'),
      fundingRate: fields.optionalSigned('r'),
      nextFundingMs: fields.optionalTime('T'),
      atMs: fields.time('E'),
    },
  ];
}

/** The answer of ticker/bookTicker about one symbol. */
export function readBinanceBookTicker(answer: unknown, report: ReportFinding): TopOfBook | null {
  return readObject(sourceOf('bookTicker', report), answer, (fields) => ({
    kind: 'TopOfBook',
    symbol: fields.text('symbol'),
    bid: { price: fields.amount('bidPrice'), quantity: fields.amount('bidQty') },
    ask: { price: fields.amount('askPrice'), quantity: fields.amount('askQty') },
    updateId: fields.optionalId('lastUpdateId'),
    atMs: fields.optionalTime('time'),
  }));
}

/** The answer of depth, or a frame of a partial depth stream of spot: neither names its symbol. */
export function readBinanceDepth(answer: unknown, symbol: string, report: ReportFinding): Depth | null {
  return readObject(sourceOf('depth', report), answer, (fields) => snapshotOf(fields, symbol));
}

export function snapshotOf(fields: JsonFields, symbol: string): Depth {
  return {
    kind: 'Depth',
    symbol,
    isSnapshot: true,
    bids: fields.levels('bids'),
    asks: fields.levels('asks'),
    firstUpdateId: null,
    lastUpdateId: fields.id('lastUpdateId'),
    previousUpdateId: null,
    atMs: fields.optionalTime('T'),
  };
}

const KLINE = ['openTime', 'open', 'high', 'low', 'close', 'volume', 'closeTime', 'quoteVolume'];

/**
 * The answer of klines. A candle is closed when its close time is before the time of the answer, which it does not
 * state.
 */
export function readBinanceKlines(
  answer: unknown,
  symbol: string,
  interval: string,
  report: ReportFinding,
): ListRead<CandleRecord> {
  const source = sourceOf('klines', report);
  if (!Array.isArray(answer)) {
    unreadable(source, 'the list is no array');
    return { records: [], isComplete: false };
  }
  const candles = (answer as readonly unknown[]).map((row) => named(row, KLINE));
  return readList(source, candles, (fields) => ({
    kind: 'Candle',
    symbol,
    interval,
    openMs: fields.time('openTime'),
    open: fields.amount('open'),
    high: fields.amount('high'),
    low: fields.amount('low'),
    close: fields.amount('close'),
    volume: fields.amount('volume'),
    quoteVolume: fields.amount('quoteVolume'),
    isClosed: null,
  }));
}

/** The answer of openInterest. */
export function readBinanceOpenInterest(answer: unknown, report: ReportFinding): OpenInterest | null {
  return readObject(sourceOf('openInterest', report), answer, (fields) => ({
    kind: 'OpenInterest',
    symbol: fields.text('symbol'),
    quantity: fields.amount('openInterest'),
    atMs: fields.time('time'),
  }));
}

/** The answer of fundingRate about one symbol. */
export function readBinanceFundingRates(answer: unknown, report: ReportFinding): ListRead<FundingRecord> {
  return readList(sourceOf('fundingRate', report), answer, (fields) => ({
    kind: 'FundingRate',
    symbol: fields.text('symbol'),
    atMs: fields.time('fundingTime'),
    rate: fields.signed('fundingRate'),
    // Old rates have none.
    markPrice: fields.optionalAmount('markPrice'),
  }));
}

/** The answer of premiumIndex about one symbol. */
export function readBinancePremiumIndex(answer: unknown, report: ReportFinding): MarkPrice | null {
  return readObject(sourceOf('premiumIndex', report), answer, (fields) => ({
    kind: 'MarkPrice',
    symbol: fields.text('symbol'),
    markPrice: fields.amount('markPrice'),
    indexPrice: fields.optionalAmount('indexPrice'),
    fundingRate: fields.optionalSigned('lastFundingRate'),
    nextFundingMs: fields.optionalTime('nextFundingTime'),
    atMs: fields.time('time'),
  }));
}

function sourceOf(type: string, report: ReportFinding): Source {
  return { venue: 'BINANCE', type, report };
}
