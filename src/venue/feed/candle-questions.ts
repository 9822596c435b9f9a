import { CANDLE_INTERVAL_MS, joined, type Candle } from '../../model/candle.js';
import type { Instrument } from '../../model/instrument.js';
import {
  CANDLE_HISTORY_MS,
  CANDLE_MINUTES_PER_TURN_MAX,
  CANDLE_QUERIES_WAITING_MAX,
  CANDLES_PER_QUERY_MAX,
} from '../../model/limits.js';
import type { EpochMs } from '../../model/time.js';
import type { CandlesReport, MarketQuery } from '../../model/venue-message.js';
import type { CandleHistory } from './candle-history.js';

export type CandleQuery = Extract<MarketQuery, { kind: 'QueryCandles' }>;

const MINUTE_MS = CANDLE_INTERVAL_MS.ONE_MINUTE;

/** A question and what of its answer is gathered. */
interface Question {
  readonly query: CandleQuery;
  readonly instrument: Instrument;
  readonly origin: number;
  readonly candles: Candle[];
  /** The next minute to gather. */
  minuteMs: number;
  /** The minutes so far of the candle that holds it. */
  part: Candle | null;
}

/**
 * Questions for candles, answered in the order in which they came. An answer may take thousands of minutes that have to
 * be made up, so a turn gathers only some of them: orders do not wait for charts.
 */
export class CandleQuestions {
  readonly #history: CandleHistory;
  #waiting: Question[] = [];

  constructor(history: CandleHistory) {
    this.#history = history;
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** False when too many wait already. */
  ask(query: CandleQuery, instrument: Instrument, origin: number, nowMs: EpochMs): boolean {
    if (this.#waiting.length >= CANDLE_QUERIES_WAITING_MAX) return false;
    const lengthMs = CANDLE_INTERVAL_MS[query.interval];
    const earliestMs = Math.max(query.fromMs, nowMs - CANDLE_HISTORY_MS);
    const minuteMs = Math.ceil(earliestMs / lengthMs) * lengthMs;
    this.#waiting.push({ query, instrument, origin, candles: [], minuteMs, part: null });
    return true;
  }

  /** Works on the questions for one turn and hands over the answers that are complete. */
  work(nowMs: EpochMs, answer: (report: CandlesReport, origin: number) => void): void {
    let minutesLeft = CANDLE_MINUTES_PER_TURN_MAX;
    let answered = 0;
    for (const question of this.#waiting) {
      while (!isComplete(question, nowMs)) {
        if (minutesLeft === 0) break;
        this.#gatherMinute(question, nowMs);
        minutesLeft -= 1;
      }
      if (!isComplete(question, nowMs)) break;
      answer(reportOf(question, nowMs), question.origin);
      answered += 1;
    }
    if (answered > 0) this.#waiting = this.#waiting.slice(answered);
  }

  #gatherMinute(question: Question, nowMs: EpochMs): void {
    const { query, instrument, candles, part } = question;
    const minute = this.#history.minute(instrument, question.minuteMs as EpochMs, nowMs);
    question.minuteMs += MINUTE_MS;
    const candle = part === null ? minute : joined(part, minute);
    const isWhole = question.minuteMs % CANDLE_INTERVAL_MS[query.interval] === 0 || question.minuteMs > nowMs;
    if (isWhole) candles.push(candle);
    question.part = isWhole ? null : candle;
  }
}

/** Whole candles only: the next minute to gather would begin a candle that is not asked for. */
function isComplete({ query, candles, minuteMs, part }: Question, nowMs: EpochMs): boolean {
  if (part !== null) return false;
  return candles.length >= Math.min(query.limit, CANDLES_PER_QUERY_MAX) || minuteMs > Math.min(query.toMs, nowMs);
}

function reportOf({ query, candles }: Question, atMs: EpochMs): CandlesReport {
  const { correlationId, account, venue, instrument, interval } = query;
  return { kind: 'Candles', correlationId, account, venue, atMs, instrument, interval, candles };
}
