import { type Candle, CANDLE_INTERVAL_MS, openOf } from '../../domain/market-feed.js';
import type { VolumeProfile } from '../../domain/intent.js';
import {
  CANDLES_PER_QUERY_MAX,
  PROFILE_DAYS_MAX,
  PROFILE_RECENT_MS,
  PROFILE_STEP_COURSES_MAX,
} from '../../domain/limits/trading.js';
import type { EpochMs } from '../../domain/time.js';
import type { MarketQuery } from '../../domain/venue-message.js';
import { BINS_PER_DAY, ProfileLearning, withRecent } from './profile.js';

const BIN_MS = CANDLE_INTERVAL_MS.FIVE_MINUTE;
const DAY_MS = CANDLE_INTERVAL_MS.ONE_DAY;

type CandleQuery = Extract<MarketQuery, { readonly kind: 'QueryCandles' }>;
export type CandlePage = Pick<CandleQuery, 'interval' | 'fromMs' | 'toMs' | 'limit'>;

/** Requests candles page by page and derives an instrument's volume figures from them. */
export interface Study {
  readonly kind: 'DAYS' | 'RECENT';
  /** End of the studied period. */
  readonly untilMs: EpochMs;
  readonly isComplete: boolean;
  /** The next page to request. Valid only while the study is incomplete. */
  readonly page: CandlePage;
  /** Adds a page, oldest candle first. A venue may omit candles without trades. */
  add(candles: readonly Candle[]): void;
  /**
   * Computes the next part of the result in less than 1 ms. Requires all pages. Returns true when the result is ready.
   */
  step(): boolean;
  /** Returns the profile with the study's result; null when the history is too short. */
  conclude(known: VolumeProfile | null): VolumeProfile | null;
}

/**
 * Studies an instrument's volumes over past full days, oldest first. It ends at the last midnight, so that the result
 * is the same all day, in every shard and after a restart.
 */
export class VolumeStudy implements Study {
  readonly kind = 'DAYS';
  /** Midnight after the last day. */
  readonly untilMs: EpochMs;
  readonly #fromMs: number;
  readonly #volumes = new Float64Array(PROFILE_DAYS_MAX * BINS_PER_DAY);
  #nextMs: EpochMs;
  /** Open time of the oldest candle received. */
  #earliestMs = Infinity;
  #learning: ProfileLearning | null = null;

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

  /** An empty page means that the venue has no more candles. */
  add(candles: readonly Candle[]): void {
    for (const { openAtMs, volume } of candles) {
      const bin = (openAtMs - this.#fromMs) / BIN_MS;
      if (bin >= 0 && bin < this.#volumes.length) this.#volumes[bin] = volume;
    }
    this.#earliestMs = Math.min(this.#earliestMs, candles[0]?.openAtMs ?? Infinity);
    const last = candles.at(-1);
    this.#nextMs = last === undefined ? this.untilMs : ((last.openAtMs + BIN_MS) as EpochMs);
  }

  step(): boolean {
    if (this.#earliestMs >= this.untilMs) return true;
    this.#learning ??= new ProfileLearning(this.#fullDays());
    this.#learning.step(PROFILE_STEP_COURSES_MAX);
    return this.#learning.isDone;
  }

  /** null without a full day of history. */
  conclude(): VolumeProfile | null {
    while (!this.step());
    return this.#learning?.profile ?? null;
  }

  #fullDays(): Float64Array {
    const firstDay = Math.ceil((this.#earliestMs - this.#fromMs) / DAY_MS);
    return this.#volumes.subarray(firstDay * BINS_PER_DAY);
  }
}

/** Studies an instrument's volumes over the last hours, up to the last complete bin, in one page. */
export class RecentVolume implements Study {
  readonly kind = 'RECENT';
  readonly untilMs: EpochMs;
  readonly #fromMs: EpochMs;
  readonly #volumes = new Float64Array(PROFILE_RECENT_MS / BIN_MS);
  #isReceived = false;

  constructor(nowMs: EpochMs) {
    this.untilMs = openOf(nowMs, 'FIVE_MINUTE');
    this.#fromMs = (this.untilMs - PROFILE_RECENT_MS) as EpochMs;
  }

  get isComplete(): boolean {
    return this.#isReceived;
  }

  get page(): CandlePage {
    return {
      interval: 'FIVE_MINUTE',
      fromMs: this.#fromMs,
      toMs: (this.untilMs - 1) as EpochMs,
      limit: this.#volumes.length,
    };
  }

  add(candles: readonly Candle[]): void {
    for (const { openAtMs, volume } of candles) {
      const bin = (openAtMs - this.#fromMs) / BIN_MS;
      if (bin >= 0 && bin < this.#volumes.length) this.#volumes[bin] = volume;
    }
    this.#isReceived = true;
  }

  /** Has no preparation: `conclude` adds up 48 numbers. */
  step(): boolean {
    return true;
  }

  conclude(known: VolumeProfile | null): VolumeProfile | null {
    return known === null ? null : withRecent(known, this.#volumes, this.untilMs);
  }
}
