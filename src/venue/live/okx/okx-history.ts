import { CANDLE_INTERVAL_MS } from '../../../domain/market-feed.js';
import { isRejected, type OrRejection, reject } from '../../../domain/rejection.js';
import type { EpochMs } from '../../../domain/time.js';
import { OKX_INTERVALS } from '../dialect/okx-streams.js';
import type { CandleRange, FundingRange } from '../live-exchange.js';
import type { MarketHistory } from '../market/market-data.js';
import type { ReportFinding } from '../normal/message.js';
import { readOkxCandles, readOkxFundingRates } from '../normal/okx.js';
import type { CandleRecord, FundingRecord } from '../normal/records.js';
import type { OkxRequests } from './okx-requests.js';
import type { OkxCall } from './okx-rest.js';

/* Past market data of OKX. */

interface HistoryParts {
  readonly requests: Pick<OkxRequests, 'read'>;
  readonly nowMs: () => EpochMs;
  readonly onFinding: ReportFinding;
}

const CALLS = {
  recentCandles: { rest: 'GET /api/v5/market/candles', max: 40 },
  oldCandles: { rest: 'GET /api/v5/market/history-candles', max: 20 },
  fundingRates: { rest: 'GET /api/v5/public/funding-rate-history', max: 10, isPerInstrument: true },
  fundingRate: { rest: 'GET /api/v5/public/funding-rate', max: 10, isPerInstrument: true },
} as const satisfies Readonly<Record<string, OkxCall>>;

const CANDLES_PER_PAGE = 100;
const RATES_PER_PAGE = 100;
/** Candles that the list of recent ones still has; the exchange keeps 1,440. */
const RECENT_CANDLES = 1_400;

export function okxHistory(parts: HistoryParts): MarketHistory {
  return {
    candles: (range) => readCandles(parts, range),
    fundingRates: (range) => readFundingRates(parts, range),
  };
}

/**
 * The first candles of the range. The exchange lists the newest first, so the pages go back from the last one wanted.
 */
async function readCandles(
  { requests, nowMs, onFinding }: HistoryParts,
  { symbol, interval, fromMs, toMs, limit }: CandleRange,
): Promise<OrRejection<readonly CandleRecord[]>> {
  const lengthMs = CANDLE_INTERVAL_MS[interval];
  const firstMs = Math.ceil(fromMs / lengthMs) * lengthMs;
  const lastMs = Math.min(toMs, nowMs(), firstMs + (limit - 1) * lengthMs);
  const newestFirst: CandleRecord[] = [];
  let beforeMs = lastMs + 1;
  while (beforeMs > firstMs) {
    const isRecent = nowMs() - beforeMs < RECENT_CANDLES * lengthMs;
    const fields = {
      instId: symbol,
      bar: OKX_INTERVALS[interval],
      after: String(beforeMs),
      ...beginsAt(firstMs),
      limit: String(CANDLES_PER_PAGE),
    };
    const answer = await requests.read(isRecent ? CALLS.recentCandles : CALLS.oldCandles, fields);
    if (isRejected(answer)) return answer;
    const { records, isComplete } = readOkxCandles(answer, symbol, interval, onFinding);
    if (!isComplete) return reject('EXCHANGE_ERROR', `OKX has sent candles of ${symbol} that are not readable`);
    newestFirst.push(...records);
    const oldest = records.at(-1);
    // A page that does not go back would be read for ever.
    if (oldest === undefined || oldest.openMs >= beforeMs) break;
    beforeMs = oldest.openMs;
  }
  return newestFirst.toReversed();
}

/**
 * Its field names the time before the first record. It takes no time before 1970: without the field a list has no
 * begin.
 */
function beginsAt(fromMs: number): { readonly before?: string } {
  return fromMs > 0 ? { before: String(fromMs - 1) } : {};
}

/** The newest first, with the estimate of the next funding time. */
async function readFundingRates(
  { requests, nowMs, onFinding }: HistoryParts,
  { symbol, fromMs, toMs, limit }: FundingRange,
): Promise<OrRejection<readonly FundingRecord[]>> {
  if (!symbol.endsWith('-SWAP')) return reject('INVALID_SYMBOL', `symbol ${symbol} is no future: it pays no funding`);
  const askedAtMs = nowMs();
  const rates: FundingRecord[] = [];
  if (toMs > askedAtMs) {
    const answer = await requests.read(CALLS.fundingRate, { instId: symbol });
    if (isRejected(answer)) return answer;
    const next = readOkxFundingRates(answer, onFinding).records[0];
    if (next !== undefined && next.atMs > askedAtMs && next.atMs <= toMs && next.atMs >= fromMs) rates.push(next);
  }
  let beforeMs = Math.min(toMs, askedAtMs) + 1;
  while (rates.length < limit && beforeMs > fromMs) {
    const fields = {
      instId: symbol,
      after: String(beforeMs),
      ...beginsAt(fromMs),
      limit: String(RATES_PER_PAGE),
    };
    const answer = await requests.read(CALLS.fundingRates, fields);
    if (isRejected(answer)) return answer;
    const { records, isComplete } = readOkxFundingRates(answer, onFinding);
    if (!isComplete) return reject('EXCHANGE_ERROR', `OKX has sent funding rates of ${symbol} that are not readable`);
    rates.push(...records);
    const oldest = records.at(-1);
    if (oldest === undefined || oldest.atMs >= beforeMs) break;
    beforeMs = oldest.atMs;
  }
  return rates.slice(0, limit);
}
