import { CANDLE_INTERVAL_MS, joined, type Candle } from '../../model/candle.js';
import type { Instrument } from '../../model/instrument.js';
import { CANDLE_HISTORY_MS, CANDLES_PER_QUERY_MAX } from '../../model/limits.js';
import type { EpochMs } from '../../model/time.js';
import type { CandlesReport, MarketQuery } from '../../model/venue-message.js';
import type { CandleHistory } from './candle-history.js';
import type { Question } from './questions.js';

export type CandleQuery = Extract<MarketQuery, { kind: 'QueryCandles' }>;

const MINUTE_MS = CANDLE_INTERVAL_MS.ONE_MINUTE;

export interface CandleQuestionParts {
  readonly query: CandleQuery;
  readonly origin: number;
  readonly instrument: Instrument;
  readonly history: CandleHistory;
  readonly askedAtMs: EpochMs;
}

/** Gathers candles minute by minute: a minute that has to be made up is a step. */
export class CandleQuestion implements Question {
  readonly origin: number;
  readonly isBrief = false;
  readonly #parts: CandleQuestionParts;
  readonly #candles: Candle[] = [];
  /** The next minute to gather, and what is gathered of the candle that holds it. */
  #minuteMs: number;
  #part: Candle | null = null;

  constructor(parts: CandleQuestionParts) {
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

  /** Whole candles only: the next minute to gather would begin one that is not asked for. */
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
