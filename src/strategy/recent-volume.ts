import { CANDLE_INTERVAL_MS, openOf, type Candle } from '../model/candle.js';
import type { VolumeProfile } from '../model/intent.js';
import { PROFILE_RECENT_MS } from '../model/limits.js';
import type { EpochMs } from '../model/time.js';
import { withRecent } from './volume-profile.js';
import type { CandlePage, Study } from './volume-study.js';

const BIN_MS = CANDLE_INTERVAL_MS.FIVE_MINUTE;

/** One instrument's volumes of the last hours, up to the last bin that is over, in one page. */
export class RecentVolume implements Study {
  readonly kind = 'RECENT';
  readonly untilMs: EpochMs;
  readonly #fromMs: EpochMs;
  readonly #volumes = new Float64Array(PROFILE_RECENT_MS / BIN_MS);
  #isTold = false;

  constructor(nowMs: EpochMs) {
    this.untilMs = openOf(nowMs, 'FIVE_MINUTE');
    this.#fromMs = (this.untilMs - PROFILE_RECENT_MS) as EpochMs;
  }

  get isComplete(): boolean {
    return this.#isTold;
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
    this.#isTold = true;
  }

  conclude(known: VolumeProfile | null): VolumeProfile | null {
    return known === null ? null : withRecent(known, this.#volumes, this.untilMs);
  }
}
