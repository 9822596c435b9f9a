import {
  type Candle,
  CANDLE_INTERVAL_MS,
  type CandleInterval,
  joined,
  type MarketUpdate,
  openOf,
} from '../../domain/market-feed.js';
import type { Instrument } from '../../domain/instrument.js';
import {
  CANDLE_HISTORY_MS,
  CANDLE_MINUTES_PER_TURN_MAX,
  CLOSED_CANDLES_PER_TURN_MAX,
} from '../../domain/limits/trading.js';
import type { EpochMs } from '../../domain/time.js';
import type { CandleHistory } from './candle-history.js';

const MINUTE_MS = CANDLE_INTERVAL_MS.ONE_MINUTE;

export interface CandleFeedParts {
  readonly instrument: Instrument;
  readonly interval: CandleInterval;
  readonly history: CandleHistory;
  /** False when the ring is full. */
  readonly offer: (update: MarketUpdate) => boolean;
  /** Minimum service time between updates of the running candle. */
  readonly gapMs: number;
  /** Start of the first candle whose close is not published yet. */
  readonly nextClosedMs: EpochMs;
}

/**
 * Publishes the candles of one instrument and interval: each closed candle once and in order, and changes of the
 * running one. Nothing is queued: an update that does not fit is read again from the history. So a closed candle may be
 * late, and a running one may be skipped.
 */
export class CandleFeed {
  readonly #parts: CandleFeedParts;
  readonly #lengthMs: number;
  #nextClosedMs: number;
  #publishedAtMs = -Infinity;
  #published: Candle | null = null;
  /** Start of the first minute not yet merged, and the merged minutes of the running candle before it. */
  #minutesUntilMs = NaN;
  #minutes: Candle | null = null;

  constructor(parts: CandleFeedParts) {
    this.#parts = parts;
    this.#lengthMs = CANDLE_INTERVAL_MS[parts.interval];
    this.#nextClosedMs = parts.nextClosedMs;
  }

  publish(nowMs: EpochMs): void {
    if (this.#publishClosed(nowMs)) this.#publishRunning(nowMs);
  }

  /** True when every closed candle has been published. */
  #publishClosed(nowMs: EpochMs): boolean {
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

  #publishRunning(nowMs: EpochMs): void {
    if (nowMs - this.#publishedAtMs < this.#parts.gapMs) return;
    const candle = this.#running(nowMs);
    if (candle === null || (this.#published !== null && isSame(candle, this.#published))) return;
    if (!this.#offer(candle, false)) return;
    this.#published = candle;
    this.#publishedAtMs = nowMs;
  }

  /** The running candle; null while its minutes, which may all be synthetic, are still being merged. */
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

/** Comparing volumes suffices: a price change implies a trade. */
function isSame(one: Candle, other: Candle): boolean {
  return one.openAtMs === other.openAtMs && one.volume === other.volume;
}
