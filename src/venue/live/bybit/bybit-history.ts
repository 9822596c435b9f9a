import { CANDLE_INTERVAL_MS } from '../../../domain/market-feed.js';
import { isRejected, type OrRejection, reject } from '../../../domain/rejection.js';
import type { EpochMs } from '../../../domain/time.js';
import { BYBIT_INTERVALS, marketOfName } from '../dialect/bybit-streams.js';
import type { CandleRange, FundingRange } from '../live-exchange.js';
import type { MarketHistory } from '../market/market-data.js';
import { readBybitFundingRates, readBybitKlines, readBybitNextFunding } from '../normal/bybit-market.js';
import type { ReportFinding } from '../normal/message.js';
import type { CandleRecord, FundingRecord } from '../normal/records.js';
import type { BybitRequests } from './bybit-requests.js';
import type { BybitCall } from './bybit-rest.js';

/* Past market data of Bybit. */

interface HistoryParts {
  readonly requests: Pick<BybitRequests, 'read'>;
  readonly nowMs: () => EpochMs;
  readonly onFinding: ReportFinding;
}

const CALLS = {
  klines: { rest: 'GET /v5/market/kline', group: 'public' },
  fundingRates: { rest: 'GET /v5/market/funding/history', group: 'public' },
  tickers: { rest: 'GET /v5/market/tickers', group: 'public' },
} as const satisfies Readonly<Record<string, BybitCall>>;

const CANDLES_PER_ANSWER_MAX = 1_000;
const RATES_PER_ANSWER_MAX = 200;

export function bybitHistory(parts: HistoryParts): MarketHistory {
  return {
    candles: (range) => readCandles(parts, range),
    fundingRates: (range) => readFundingRates(parts, range),
  };
}

/** Requests part after part of the period. A failure of one is that of the whole query. */
async function readCandles(
  { requests, nowMs, onFinding }: HistoryParts,
  { symbol: name, interval, fromMs, toMs, limit }: CandleRange,
): Promise<OrRejection<readonly CandleRecord[]>> {
  const { category, symbol } = marketOfName(name);
  const lengthMs = CANDLE_INTERVAL_MS[interval];
  const candles: CandleRecord[] = [];
  let nextMs = Math.ceil(fromMs / lengthMs) * lengthMs;
  while (candles.length < limit && nextMs <= Math.min(toMs, nowMs())) {
    // An answer has the newest candles of its period: a period is not longer than an answer.
    const endMs = Math.min(toMs, nextMs + CANDLES_PER_ANSWER_MAX * lengthMs - 1);
    const askedAtMs = nowMs();
    const answer = await requests.read(CALLS.klines, {
      category,
      symbol,
      interval: BYBIT_INTERVALS[interval],
      start: String(nextMs),
      end: String(endMs),
      limit: String(CANDLES_PER_ANSWER_MAX),
    });
    if (isRejected(answer)) return answer;
    const { records, isComplete } = readBybitKlines(answer, interval, onFinding);
    if (!isComplete) return reject('EXCHANGE_ERROR', `BYBIT has sent candles of ${name} that are not readable`);
    const inPeriod = records.toReversed().filter(({ openMs }) => openMs >= nextMs && openMs <= endMs);
    for (const record of inPeriod) {
      // The answer does not say that a candle is closed, and the clocks may differ.
      candles.push({ ...record, symbol: name, isClosed: record.openMs + lengthMs > askedAtMs ? false : null });
    }
    nextMs += CANDLES_PER_ANSWER_MAX * lengthMs;
  }
  return candles.slice(0, limit);
}

/** The newest first. The estimate of the next funding time is in the ticker. */
async function readFundingRates(
  { requests, nowMs, onFinding }: HistoryParts,
  { symbol: name, fromMs, toMs, limit }: FundingRange,
): Promise<OrRejection<readonly FundingRecord[]>> {
  const { category, symbol } = marketOfName(name);
  if (category === 'spot') return reject('INVALID_SYMBOL', `symbol ${name} is no future: it pays no funding`);
  const askedAtMs = nowMs();
  const rates: FundingRecord[] = [];
  if (toMs > askedAtMs) {
    const answer = await requests.read(CALLS.tickers, { category, symbol });
    if (isRejected(answer)) return answer;
    const next = readBybitNextFunding(answer, onFinding).records.find((record) => record.symbol === symbol);
    if (next !== undefined && next.atMs > askedAtMs && next.atMs <= toMs) rates.push(next);
  }
  let untilMs: number = Math.min(toMs, askedAtMs);
  while (rates.length < limit && untilMs >= fromMs) {
    const count = Math.min(RATES_PER_ANSWER_MAX, limit - rates.length);
    const answer = await requests.read(CALLS.fundingRates, {
      category,
      symbol,
      startTime: String(fromMs),
      endTime: String(untilMs),
      limit: String(count),
    });
    if (isRejected(answer)) return answer;
    const { records, isComplete } = readBybitFundingRates(answer, onFinding);
    if (!isComplete) return reject('EXCHANGE_ERROR', `BYBIT has sent funding rates of ${name} that are not readable`);
    const older = records.filter(({ atMs }) => atMs <= untilMs);
    rates.push(...older);
    const oldest = older.at(-1);
    if (oldest === undefined || older.length < count) break;
    untilMs = oldest.atMs - 1;
  }
  return rates.slice(0, limit).map((rate) => ({ ...rate, symbol: name }));
}
