import { CANDLE_INTERVAL_MS, openOf, type Candle } from '../model/candle.js';
import type { VolumeProfile } from '../model/intent.js';
import { CANDLES_PER_QUERY_MAX, PROFILE_DAYS_MAX } from '../model/limits.js';
import type { EpochMs } from '../model/time.js';
import type { MarketQuery } from '../model/venue-message.js';
import { volumeProfileOf } from './volume-profile.js';
import { BINS_PER_DAY } from './volume-shape.js';

const BIN_MS = CANDLE_INTERVAL_MS.FIVE_MINUTE;
const DAY_MS = CANDLE_INTERVAL_MS.ONE_DAY;

type CandleQuery = Extract<MarketQuery, { readonly kind: 'QueryCandles' }>;
export type CandlePage = Pick<CandleQuery, 'interval' | 'fromMs' | 'toMs' | 'limit'>;

/** Candles that are asked for page by page, and what they say of an instrument's volume. */
export interface Study {
  readonly kind: 'DAYS' | 'RECENT';
  /** Up to when it looks. */
  readonly untilMs: EpochMs;
  readonly isComplete: boolean;
  /** What is to be asked next; only while it is not complete. */
  readonly page: CandlePage;
  /** Takes the next page in, oldest candle first. A venue may leave out candles without trades. */
  add(candles: readonly Candle[]): void;
  /** What is known then, with it; null while there is too little history. */
  conclude(known: VolumeProfile | null): VolumeProfile | null;
}

/**
 * One instrument's volumes of the days that are over, gathered page by page, the oldest first. It ends at midnight and not
 * now, so that it comes to the same all day long, in every shard and after a restart.
 */
export class VolumeStudy implements Study {
  readonly kind = 'DAYS';
  /** Midnight after the last day. */
  readonly untilMs: EpochMs;
  readonly #fromMs: number;
  readonly #volumes = new Float64Array(PROFILE_DAYS_MAX * BINS_PER_DAY);
  #nextMs: EpochMs;
  /** When the history begins, as far as it is told. */
  #earliestMs = Infinity;

  constructor(nowMs: EpochMs) {
    this.untilMs = openOf(nowMs, 'ONE_DAY');
    this.#fromMs = this.untilMs - PROFILE_DAYS_MAX * DAY_MS;
    this.#nextMs = this.#fromMs as EpochMs;
  }

  get isComplete(): boolean {
    return this.#nextMs >= this.untilMs;
  }

  get page(): CandlePage {
    return {
      interval: 'FIVE_MINUTE',
      fromMs: this.#nextMs,
      toMs: (this.untilMs - 1) as EpochMs,
      limit: CANDLES_PER_QUERY_MAX,
    };
  }

  /** A venue has no more candles when it tells none. */
  add(candles: readonly Candle[]): void {
    for (const { openAtMs, volume } of candles) {
      const bin = (openAtMs - this.#fromMs) / BIN_MS;
      if (bin >= 0 && bin < this.#volumes.length) this.#volumes[bin] = volume;
    }
    this.#earliestMs = Math.min(this.#earliestMs, candles[0]?.openAtMs ?? Infinity);
    const last = candles.at(-1);
    this.#nextMs = last === undefined ? this.untilMs : ((last.openAtMs + BIN_MS) as EpochMs);
  }

  /** What the full days come to; null when there is none. */
  conclude(): VolumeProfile | null {
    if (this.#earliestMs >= this.untilMs) return null;
    const firstDay = Math.ceil((this.#earliestMs - this.#fromMs) / DAY_MS);
    return volumeProfileOf(this.#volumes.subarray(firstDay * BINS_PER_DAY));
  }
}
