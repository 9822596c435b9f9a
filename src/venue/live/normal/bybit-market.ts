import type { Side } from '../../../domain/order.js';
import { asObject, type JsonFields, memberOf } from '../json/json-fields.js';
import { readBybitAccountFrame } from './bybit-account.js';
import { BYBIT_SIDES, resultOf, sourceOf, topicOf } from './bybit-answer.js';
import { type ListRead, named, readList, readObject, type ReportFinding } from './message.js';
import type { CandleRecord, FundingRecord, MarketRecord, PublicTrade, VenueRecord } from './records.js';

/* Frames of the public streams of Bybit, and its answers about the market. */

/** Reads one frame of a v5 stream. Answers to operations (`op`) give no record. */
export function readBybitFrame(frame: unknown, report: ReportFinding): readonly VenueRecord[] {
  const message = asObject(frame);
  const topic = topicOf(message, report);
  if (topic === null) return [];
  // `kline.5.BTCUSDT`, `orderbook.50.BTCUSDT`, `execution.fast`, `order.linear`
  const [channel = '', middle = '', last = ''] = topic.split('.');
  const source = sourceOf(channel, report);
  const data = memberOf(message, 'data');
  switch (channel) {
    case 'kline':
      return readList(source, data, (fields) => candleOf(fields, last, middle)).records;
    case 'publicTrade':
      return readList(source, data, streamTrade).records;
    case 'orderbook':
      return readObject(source, message, depthOf) ?? [];
    case 'tickers':
      return readObject(source, message, tickerOf) ?? [];
    default:
      return readBybitAccountFrame(frame, report).map(({ record }) => record);
  }
}

const KLINE = ['start', 'open', 'high', 'low', 'close', 'volume', 'turnover'];

/** The answer of market/kline, as the exchange sorts it: the newest first. */
export function readBybitKlines(answer: unknown, interval: string, report: ReportFinding): ListRead<CandleRecord> {
  const source = sourceOf('klines', report);
  const result = resultOf(source, answer);
  const symbol = memberOf(result, 'symbol');
  const list = memberOf(result, 'list');
  const rows = Array.isArray(list) ? (list as readonly unknown[]).map((row) => named(row, KLINE)) : list;
  return readList(source, rows, (fields) => candleOf(fields, typeof symbol === 'string' ? symbol : '', interval));
}

/** The answer of market/funding/history: the newest first. */
export function readBybitFundingRates(answer: unknown, report: ReportFinding): ListRead<FundingRecord> {
  return readList(sourceOf('funding rates', report), listIn(answer), (fields) => ({
    kind: 'FundingRate',
    symbol: fields.text('symbol'),
    atMs: fields.time('fundingRateTimestamp'),
    rate: fields.signed('fundingRate'),
    markPrice: null,
  }));
}

/** The answer of market/tickers of perpetuals: the estimate for the next funding time of each. */
export function readBybitNextFunding(answer: unknown, report: ReportFinding): ListRead<FundingRecord> {
  return readList(sourceOf('tickers', report), listIn(answer), (fields) => ({
    kind: 'FundingRate',
    symbol: fields.text('symbol'),
    atMs: fields.time('nextFundingTime'),
    rate: fields.signed('fundingRate'),
    markPrice: fields.optionalAmount('markPrice'),
  }));
}

/** The answer of market/time in milliseconds; null: it states none. */
export function readBybitTime(answer: unknown): number | null {
  const nanos = memberOf(asObject(memberOf(asObject(answer), 'result')), 'timeNano');
  const timeMs = typeof nanos === 'string' && /^\d{16,20}$/.test(nanos) ? Number(BigInt(nanos) / 1_000n) / 1_000 : NaN;
  return Number.isFinite(timeMs) ? timeMs : null;
}

function listIn(answer: unknown): unknown {
  const object = asObject(answer);
  return memberOf(object, 'retCode') === 0 ? memberOf(asObject(memberOf(object, 'result')), 'list') : undefined;
}

function candleOf(fields: JsonFields, symbol: string, interval: string): CandleRecord {
  if (symbol === '') fields.fail('the symbol of the candle is missing');
  return {
    kind: 'Candle',
    symbol,
    interval,
    openMs: fields.time('start'),
    open: fields.amount('open'),
    high: fields.amount('high'),
    low: fields.amount('low'),
    close: fields.amount('close'),
    volume: fields.amount('volume'),
    quoteVolume: fields.amount('turnover'),
    isClosed: fields.optionalFlag('confirm'),
  };
}

function streamTrade(fields: JsonFields): PublicTrade {
  return {
    kind: 'PublicTrade',
    symbol: fields.text('s'),
    tradeId: fields.id('i'),
    price: fields.amount('p'),
    quantity: fields.amount('v'),
    takerSide: fields.keyed<Side>('S', BYBIT_SIDES, 'BUY'),
    atMs: fields.time('T'),
  };
}

function depthOf(message: JsonFields): readonly MarketRecord[] {
  const data = message.inside('data');
  return [
    {
      kind: 'Depth',
      symbol: data.text('s'),
      isSnapshot: message.text('type') === 'snapshot',
      bids: data.levels('b'),
      asks: data.levels('a'),
      firstUpdateId: null,
      lastUpdateId: data.id('u'),
      previousUpdateId: null,
      // cts: the time of the matching engine.
      atMs: message.optionalTime('cts') ?? message.time('ts'),
    },
  ];
}

/** A change names only the members that have changed. */
function tickerOf(message: JsonFields): readonly MarketRecord[] {
  const data = message.inside('data');
  const symbol = data.text('symbol');
  const atMs = message.time('ts');
  const [markPrice, indexPrice] = [data.optionalAmount('markPrice'), data.optionalAmount('indexPrice')];
  const [fundingRate, nextFundingMs] = [data.optionalSigned('fundingRate'), data.optionalTime('nextFundingTime')];
  const quantity = data.optionalAmount('openInterest');
  const records: MarketRecord[] = [];
  if ([markPrice, indexPrice, fundingRate, nextFundingMs].some((value) => value !== null)) {
    records.push({ kind: 'MarkPrice', symbol, markPrice, indexPrice, fundingRate, nextFundingMs, atMs });
  }
  if (quantity !== null) records.push({ kind: 'OpenInterest', symbol, quantity, atMs });
  return records;
}
