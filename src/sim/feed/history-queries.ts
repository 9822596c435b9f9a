import type { Instrument } from '../../domain/instrument.js';
import {
  CANDLE_HISTORY_MS,
  CANDLES_PER_QUERY_MAX,
  FUNDING_INTERVAL_MS,
  FUNDING_RATES_PER_QUERY_MAX,
  MARKET_QUERIES_WAITING_MAX,
  QUERY_STEPS_PER_TURN_MAX,
} from '../../domain/limits/trading.js';
import { type Candle, CANDLE_INTERVAL_MS, type FundingRate, joined } from '../../domain/market-feed.js';
import type { EpochMs } from '../../domain/time.js';
import type { FundingQuery, MarketQuery } from '../../domain/venue-message.js';
import type { CandlesReport, FundingRatesReport, MarketReport } from '../../domain/venue-report.js';
import type { CandleHistory } from './candle-history.js';
import { fundingTimeOf, type MarkPrices } from './mark-prices.js';

/** The work for one answer, in steps of about ten microseconds. */
export interface HistoryQuery {
  /** Destination of the answer. */
  readonly origin: number;
  /** True for a query of few steps; it goes before longer ones. */
  readonly isBrief: boolean;
  /** Works about that many steps, none when `steps` is 0 or less; returns the number of steps taken. */
  work(steps: number, nowMs: EpochMs): number;
  /** null until the answer is complete. */
  answer(nowMs: EpochMs): MarketReport | null;
}

/**
 * Queue of queries about past market data: brief queries first, then in order of arrival. An answer may take thousands
 * of steps, so a turn does only some of them. So orders do not wait for charts, and funding rates do not wait for
 * candles.
 */
export class HistoryQueries {
  #waiting: HistoryQuery[] = [];

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** False when the queue is full. */
  add(query: HistoryQuery): boolean {
    if (this.#waiting.length >= MARKET_QUERIES_WAITING_MAX) return false;
    const firstLong = query.isBrief ? this.#waiting.findIndex(({ isBrief }) => !isBrief) : -1;
    this.#waiting.splice(firstLong === -1 ? this.#waiting.length : firstLong, 0, query);
    return true;
  }

  /** Works on the queries for one turn and sends the complete answers. */
  work(nowMs: EpochMs, send: (report: MarketReport, origin: number) => void): void {
    let stepsLeft = QUERY_STEPS_PER_TURN_MAX;
    let answered = 0;
    for (const query of this.#waiting) {
      stepsLeft -= query.work(stepsLeft, nowMs);
      const report = query.answer(nowMs);
      if (report === null) break;
      send(report, query.origin);
      answered += 1;
    }
    if (answered > 0) this.#waiting = this.#waiting.slice(answered);
  }
}

export type CandleQuery = Extract<MarketQuery, { kind: 'QueryCandles' }>;

const MINUTE_MS = CANDLE_INTERVAL_MS.ONE_MINUTE;

interface CandleHistoryQueryParts {
  readonly query: CandleQuery;
  readonly origin: number;
  readonly instrument: Instrument;
  readonly history: CandleHistory;
  readonly askedAtMs: EpochMs;
}

/** Collects candles minute by minute; each minute is a step. */
export class CandleHistoryQuery implements HistoryQuery {
  readonly origin: number;
  readonly isBrief = false;
  readonly #parts: CandleHistoryQueryParts;
  readonly #candles: Candle[] = [];
  /** The next minute to collect, and the incomplete candle that contains it. */
  #minuteMs: number;
  #part: Candle | null = null;

  constructor(parts: CandleHistoryQueryParts) {
    const { query, askedAtMs } = parts;
    const lengthMs = CANDLE_INTERVAL_MS[query.interval];
    const earliestMs = Math.max(query.fromMs, askedAtMs - CANDLE_HISTORY_MS);
    this.#parts = parts;
    this.origin = parts.origin;
    this.#minuteMs = Math.ceil(earliestMs / lengthMs) * lengthMs;
  }

  work(steps: number, nowMs: EpochMs): number {
    let taken = 0;
    for (; taken < steps && !this.#isComplete(nowMs); taken += 1) this.#gatherMinute(nowMs);
    return taken;
  }

  answer(nowMs: EpochMs): CandlesReport | null {
    if (!this.#isComplete(nowMs)) return null;
    const { correlationId, account, venue, instrument, interval } = this.#parts.query;
    const head = { correlationId, account, venue, atMs: nowMs };
    return { kind: 'Candles', ...head, instrument, interval, candles: this.#candles };
  }

  /** True when the next minute would start a candle outside the query. */
  #isComplete(nowMs: EpochMs): boolean {
    if (this.#part !== null) return false;
    const { limit, toMs } = this.#parts.query;
    return this.#candles.length >= Math.min(limit, CANDLES_PER_QUERY_MAX) || this.#minuteMs > Math.min(toMs, nowMs);
  }

  #gatherMinute(nowMs: EpochMs): void {
    const { query, instrument, history } = this.#parts;
    const minute = history.minute(instrument, this.#minuteMs as EpochMs, nowMs);
    const candle = this.#part === null ? minute : joined(this.#part, minute);
    this.#minuteMs += MINUTE_MS;
    const isWhole = this.#minuteMs % CANDLE_INTERVAL_MS[query.interval] === 0 || this.#minuteMs > nowMs;
    if (isWhole) this.#candles.push(candle);
    this.#part = isWhole ? null : candle;
  }
}

/** Steps of one rate: it is computed from about two hundred prices. */
const RATE_STEPS = 40;

interface FundingHistoryQueryParts {
  readonly query: FundingQuery;
  readonly origin: number;
  readonly marks: MarkPrices;
  readonly askedAtMs: EpochMs;
}

/** Computes the rates, newest first. The next funding time has the current estimate; past times have the paid rates. */
export class FundingHistoryQuery implements HistoryQuery {
  readonly origin: number;
  readonly isBrief = true;
  readonly #parts: FundingHistoryQueryParts;
  readonly #rates: FundingRate[] = [];
  #nextMs: number;

  constructor(parts: FundingHistoryQueryParts) {
    const latestMs = Math.min(parts.query.toMs, fundingTimeOf(parts.askedAtMs + 1));
    this.#parts = parts;
    this.origin = parts.origin;
    this.#nextMs = Math.floor(latestMs / FUNDING_INTERVAL_MS) * FUNDING_INTERVAL_MS;
  }

  work(steps: number): number {
    const { query, marks, askedAtMs } = this.#parts;
    let taken = 0;
    for (; taken < steps && !this.#isComplete; taken += RATE_STEPS) {
      this.#rates.push(marks.rateOf(query.instrument, this.#nextMs as EpochMs, askedAtMs));
      this.#nextMs -= FUNDING_INTERVAL_MS;
    }
    return taken;
  }

  answer(nowMs: EpochMs): FundingRatesReport | null {
    if (!this.#isComplete) return null;
    const { correlationId, account, venue, instrument } = this.#parts.query;
    return { kind: 'FundingRates', correlationId, account, venue, atMs: nowMs, instrument, rates: this.#rates };
  }

  get #isComplete(): boolean {
    const { limit, fromMs } = this.#parts.query;
    const isFull = this.#rates.length >= Math.min(limit, FUNDING_RATES_PER_QUERY_MAX);
    return isFull || this.#nextMs < Math.max(fromMs, FUNDING_INTERVAL_MS);
  }
}
