import { CANDLE_INTERVAL_MS } from '../../../domain/market-feed.js';
import { isRejected, type OrRejection, reject } from '../../../domain/rejection.js';
import type { EpochMs } from '../../../domain/time.js';
import { BINANCE_INTERVALS, type BinanceMarketDialect } from '../dialect/binance-streams.js';
import type { CandleRange, FundingRange } from '../live-exchange.js';
import type { MarketHistory } from '../market/market-data.js';
import { readBinanceFundingRates, readBinanceKlines, readBinancePremiumIndex } from '../normal/binance-market.js';
import type { ReportFinding } from '../normal/message.js';
import type { CandleRecord, FundingRecord } from '../normal/records.js';
import type { BinanceRequests } from './binance-requests.js';

/* Past market data of one section of Binance. */

interface HistoryParts {
  readonly dialect: BinanceMarketDialect;
  readonly requests: Pick<BinanceRequests, 'read'>;
  readonly nowMs: () => EpochMs;
  readonly onFinding: ReportFinding;
}

/** Candles and funding rates in one answer. */
const ROWS_PER_ANSWER_MAX = 1_000;
/** Funding times are at least an hour apart, and mostly eight. */
const FUNDING_HOURS = 8;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

export function binanceHistory(parts: HistoryParts): MarketHistory {
  return {
    candles: (range) => readCandles(parts, range),
    fundingRates: (range) => readFundingRates(parts, range),
  };
}

/** Requests page after page. A failure of one is that of the whole query. */
async function readCandles(
  { dialect, requests, nowMs, onFinding }: HistoryParts,
  { symbol, interval, fromMs, toMs, limit }: CandleRange,
): Promise<OrRejection<readonly CandleRecord[]>> {
  const candles: CandleRecord[] = [];
  const lengthMs = CANDLE_INTERVAL_MS[interval];
  let nextMs = Math.ceil(fromMs / lengthMs) * lengthMs;
  while (candles.length < limit && nextMs <= Math.min(toMs, nowMs())) {
    const count = Math.min(ROWS_PER_ANSWER_MAX, limit - candles.length);
    const askedAtMs = nowMs();
    const answer = await requests.read(dialect.calls.klines(count), {
      symbol,
      interval: BINANCE_INTERVALS[interval],
      startTime: String(nextMs),
      endTime: String(toMs),
      limit: String(count),
    });
    if (isRejected(answer)) return answer;
    const { records, isComplete } = readBinanceKlines(answer, symbol, interval, onFinding);
    if (!isComplete) return reject('EXCHANGE_ERROR', `BINANCE has sent candles of ${symbol} that are not readable`);
    // The answer does not say that a candle is closed, and the clocks may differ.
    const isOpen = ({ openMs }: CandleRecord): boolean => openMs + lengthMs > askedAtMs;
    candles.push(...records.map((record) => ({ ...record, isClosed: isOpen(record) ? false : null })));
    const last = records.at(-1);
    if (last === undefined || records.length < count) break;
    nextMs = last.openMs + lengthMs;
  }
  return candles;
}

/** The newest first. The estimate of the next funding time is that of the present premium. */
async function readFundingRates(
  { dialect: { calls }, requests, nowMs, onFinding }: HistoryParts,
  { symbol, fromMs, toMs, limit }: FundingRange,
): Promise<OrRejection<readonly FundingRecord[]>> {
  if (calls.fundingRates === null || calls.premiumIndex === null) {
    return reject('INVALID_SYMBOL', `symbol ${symbol} is no future: it pays no funding`);
  }
  const askedAtMs = nowMs();
  const untilMs = Math.min(toMs, askedAtMs);
  // An answer begins at its start time, so the start must be near the end.
  const sinceMs = Math.max(fromMs, untilMs - (limit + 1) * FUNDING_HOURS * HOUR_MS);
  const answer = await requests.read(calls.fundingRates, {
    symbol,
    startTime: String(sinceMs),
    endTime: String(untilMs),
    limit: String(ROWS_PER_ANSWER_MAX),
  });
  if (isRejected(answer)) return answer;
  const { records, isComplete } = readBinanceFundingRates(answer, onFinding);
  if (!isComplete) return reject('EXCHANGE_ERROR', `BINANCE has sent funding rates of ${symbol} that are not readable`);
  const rates = records.map((record) => ({ ...record, atMs: atMinute(record.atMs) })).toReversed();
  if (toMs > askedAtMs) {
    const now = await requests.read(calls.premiumIndex, { symbol });
    if (isRejected(now)) return now;
    const mark = readBinancePremiumIndex(now, onFinding);
    const atMs = mark?.nextFundingMs ?? null;
    if (mark !== null && mark.fundingRate !== null && atMs !== null && atMs > askedAtMs && atMs <= toMs) {
      rates.unshift({ kind: 'FundingRate', symbol, atMs, rate: mark.fundingRate, markPrice: mark.markPrice });
    }
  }
  return rates.slice(0, limit);
}

/** The exchange writes the funding time with some milliseconds on top. */
function atMinute(atMs: EpochMs): EpochMs {
  return (Math.floor(atMs / MINUTE_MS) * MINUTE_MS) as EpochMs;
}
