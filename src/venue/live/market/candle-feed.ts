import { CANDLE_CLOSE_LATE_MS, CLOSED_CANDLES_WAITING_MAX } from '../../../domain/limits/live.js';
import { CANDLE_HISTORY_MS, RUNNING_CANDLE_MS } from '../../../domain/limits/trading.js';
import {
  type Candle,
  CANDLE_INTERVAL_MS,
  type CandleInterval,
  type MarketUpdate,
  openOf,
} from '../../../domain/market-feed.js';
import type { InstrumentIndex } from '../../../domain/instrument.js';
import type { EpochMs } from '../../../domain/time.js';
import type { CandleRecord } from '../normal/records.js';
import type { UnitScale } from '../unit-scale.js';

/** A candle in ticks and lots: low and high stay the outermost prices. null: a figure is not readable. */
export function candleOf(scale: UnitScale, record: CandleRecord): Candle | null {
  const [open, high] = [scale.ticks(record.open), scale.ticksAbove(record.high)];
  const [low, close] = [scale.ticks(record.low), scale.ticks(record.close)];
  const volume = scale.lots(record.volume);
  if (open === null || high === null || low === null || close === null || volume === null) return null;
  return { openAtMs: record.openMs, open, high, low, close, volume };
}

export interface CandleFeedParts {
  readonly instrument: InstrumentIndex;
  readonly interval: CandleInterval;
  readonly scale: UnitScale;
  /** False when there is no room. */
  readonly offer: (update: MarketUpdate) => boolean;
  /** Start of the first candle whose close is not published yet. */
  readonly nextClosedMs: EpochMs;
}

/**
 * The candles of one instrument and interval for a follower: each close once, in order and without a gap. The stream
 * gives them. Those that it skips (a cut, a market without trades) are requested.
 */
export class CandleFeed {
  readonly #parts: CandleFeedParts;
  readonly #lengthMs: number;
  /** Start of the first candle whose close is neither published nor waiting. */
  #nextMs: number;
  /** Closed candles without room, oldest first. */
  #waiting: Candle[] = [];
  #running: Candle | null = null;
  #publishedAtMs = -Infinity;

  constructor(parts: CandleFeedParts) {
    this.#parts = parts;
    this.#lengthMs = CANDLE_INTERVAL_MS[parts.interval];
    this.#nextMs = parts.nextClosedMs;
  }

  get interval(): CandleInterval {
    return this.#parts.interval;
  }

  /**
   * Start of the first closed candle that must be requested; null: the stream has given all so far. `nowMs`: by the
   * clock of the exchange.
   */
  missingFromMs(nowMs: EpochMs): EpochMs | null {
    this.#nextMs = Math.max(this.#nextMs, openOf(nowMs - CANDLE_HISTORY_MS, this.#parts.interval));
    const isLate = this.#nextMs + this.#lengthMs + CANDLE_CLOSE_LATE_MS <= nowMs;
    const isSkipped = this.#running !== null && this.#running.openAtMs > this.#nextMs;
    return (isLate || isSkipped) && this.#waiting.length === 0 ? (this.#nextMs as EpochMs) : null;
  }

  /** Takes a candle of the stream. */
  seen(record: CandleRecord, nowMs: EpochMs): void {
    const candle = candleOf(this.#parts.scale, record);
    if (candle === null || candle.openAtMs < this.#nextMs) return;
    if (record.isClosed === true && candle.openAtMs === this.#nextMs) this.#close(candle);
    else this.#running = candle;
    this.publish(nowMs);
  }

  /**
   * Takes requested candles, oldest first. `sentMs`: when the request left, by the clock of the exchange. The last
   * candle may be the running one, also when its end has passed before the answer came.
   */
  requested(records: readonly CandleRecord[], sentMs: EpochMs, nowMs: EpochMs): void {
    const isOver = ({ openMs, isClosed }: CandleRecord): boolean =>
      isClosed ?? openMs + this.#lengthMs + CANDLE_CLOSE_LATE_MS <= sentMs;
    for (const [place, record] of records.entries()) {
      const candle = candleOf(this.#parts.scale, record);
      if (candle === null || candle.openAtMs < this.#nextMs) continue;
      // A candle that the exchange does not have has no market: the next one follows.
      if (place < records.length - 1 || isOver(record)) this.#close(candle);
      else this.#running ??= candle;
    }
    this.publish(nowMs);
  }

  /** Offers what waits. Call it often: the ring may have room again. */
  publish(nowMs: EpochMs): void {
    const refused = this.#waiting.findIndex((candle) => !this.#offer(candle, true));
    this.#waiting = refused === -1 ? [] : this.#waiting.slice(refused);
    if (this.#waiting.length > CLOSED_CANDLES_WAITING_MAX) {
      // They are requested again, from the first of them, when there is room.
      this.#nextMs = this.#waiting[0]!.openAtMs;
      this.#waiting = [];
    }
    const running = this.#running;
    if (running === null || this.#waiting.length > 0 || running.openAtMs !== this.#nextMs) return;
    if (nowMs - this.#publishedAtMs < RUNNING_CANDLE_MS || !this.#offer(running, false)) return;
    this.#publishedAtMs = nowMs;
    this.#running = null;
  }

  #close(candle: Candle): void {
    this.#waiting.push(candle);
    this.#nextMs = candle.openAtMs + this.#lengthMs;
    if (this.#running !== null && this.#running.openAtMs < this.#nextMs) this.#running = null;
  }

  #offer(candle: Candle, isClosed: boolean): boolean {
    const { instrument, interval, offer } = this.#parts;
    return offer({ kind: 'CandleChanged', instrument, interval, candle, isClosed });
  }
}
