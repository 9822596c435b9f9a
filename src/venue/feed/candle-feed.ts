import { CANDLE_INTERVAL_MS, joined, openOf, type Candle, type CandleInterval } from '../../model/candle.js';
import type { Instrument } from '../../model/instrument.js';
import { CANDLE_HISTORY_MS, CANDLE_MINUTES_PER_TURN_MAX, CLOSED_CANDLES_PER_TURN_MAX } from '../../model/limits.js';
import type { MarketUpdate } from '../../model/market-feed.js';
import type { EpochMs } from '../../model/time.js';
import type { CandleHistory } from './candle-history.js';

const MINUTE_MS = CANDLE_INTERVAL_MS.ONE_MINUTE;

export interface CandleFeedParts {
  readonly instrument: Instrument;
  readonly interval: CandleInterval;
  readonly history: CandleHistory;
  /** False when there is no room. */
  readonly offer: (update: MarketUpdate) => boolean;
  /** Between two tellings of the running candle, in service time. */
  readonly gapMs: number;
  /** When the first candle began whose end is to be told. */
  readonly nextClosedMs: EpochMs;
}

/**
 * Tells the candles of one instrument and interval: each one once when it is over, in order, and the running one as it
 * changes. Nothing waits here for room: what could not be told is looked up again in the history, so that a closed candle
 * is late at worst, and a running one is left out.
 */
export class CandleFeed {
  readonly #parts: CandleFeedParts;
  readonly #lengthMs: number;
  #nextClosedMs: number;
  #toldAtMs = -Infinity;
  #told: Candle | null = null;
  /** Minutes of the running candle that are over: from its beginning to here, and what they come to. */
  #minutesUntilMs = NaN;
  #minutes: Candle | null = null;

  constructor(parts: CandleFeedParts) {
    this.#parts = parts;
    this.#lengthMs = CANDLE_INTERVAL_MS[parts.interval];
    this.#nextClosedMs = parts.nextClosedMs;
  }

  tell(nowMs: EpochMs): void {
    if (this.#tellClosed(nowMs)) this.#tellRunning(nowMs);
  }

  /** True when everything that is over has been told. */
  #tellClosed(nowMs: EpochMs): boolean {
    const { instrument, interval, history } = this.#parts;
    const oldestMs = openOf(nowMs - CANDLE_HISTORY_MS, interval);
    this.#nextClosedMs = Math.max(this.#nextClosedMs, oldestMs);
    for (let count = 0; count < CLOSED_CANDLES_PER_TURN_MAX; count += 1) {
      const openAtMs = this.#nextClosedMs as EpochMs;
      if (openAtMs + this.#lengthMs > nowMs) return true;
      if (!this.#offer(history.candle(instrument, interval, openAtMs, nowMs), true)) return false;
      this.#nextClosedMs += this.#lengthMs;
    }
    return false;
  }

  #tellRunning(nowMs: EpochMs): void {
    if (nowMs - this.#toldAtMs < this.#parts.gapMs) return;
    const candle = this.#running(nowMs);
    if (candle === null || (this.#told !== null && isSame(candle, this.#told))) return;
    if (!this.#offer(candle, false)) return;
    this.#told = candle;
    this.#toldAtMs = nowMs;
  }

  /** The running candle; null while its minutes, which may all have to be made up, are not gathered yet. */
  #running(nowMs: EpochMs): Candle | null {
    const { instrument, interval, history } = this.#parts;
    const openAtMs = openOf(nowMs, interval);
    if (!(this.#minutesUntilMs >= openAtMs)) {
      this.#minutesUntilMs = openAtMs;
      this.#minutes = null;
    }
    for (let count = 0; this.#minutesUntilMs + MINUTE_MS <= nowMs; count += 1) {
      if (count === CANDLE_MINUTES_PER_TURN_MAX) return null;
      const minute = history.minute(instrument, this.#minutesUntilMs as EpochMs, nowMs);
      this.#minutes = this.#minutes === null ? minute : joined(this.#minutes, minute);
      this.#minutesUntilMs += MINUTE_MS;
    }
    const minute = history.minute(instrument, this.#minutesUntilMs as EpochMs, nowMs);
    return this.#minutes === null ? minute : joined(this.#minutes, minute);
  }

  #offer(candle: Candle, isClosed: boolean): boolean {
    const { instrument, interval, offer } = this.#parts;
    return offer({ kind: 'CandleChanged', instrument: instrument.index, interval, candle, isClosed });
  }
}

/** A price that changes the candle changes its volume too. */
function isSame(one: Candle, other: Candle): boolean {
  return one.openAtMs === other.openAtMs && one.volume === other.volume;
}
