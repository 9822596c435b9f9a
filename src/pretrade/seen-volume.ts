import type { InstrumentIndex } from '../domain/instrument.js';
import type { VolumeProfile } from '../domain/intent.js';
import { PROFILE_RECENT_MS, VOLUME_PROFILES_MAX } from '../domain/limits/trading.js';
import type { Market } from '../domain/market.js';
import type { Lots } from '../domain/quantity.js';
import { BINS_PER_DAY } from '../strategy/volume/profile.js';

/** Volume of a market that has been followed for some time. */
export interface SeenVolume {
  /** Traded lots; 0 or more. */
  readonly volume: number;
  readonly overMs: number;
}

const DAY_MS = 24 * 3600 * 1000;
/** A single trade is not a pace: volume counts after this time. */
const SEEN_MS_MIN = 60_000;
const FLAT: readonly number[] = Array.from({ length: BINS_PER_DAY }, () => 1 / BINS_PER_DAY);

/** Returns the profile of a flat day at the pace seen so far; null when nothing has traded yet. */
export function flatProfile({ volume, overMs }: SeenVolume): VolumeProfile | null {
  if (volume <= 0 || overMs <= 0) return null;
  return { shares: FLAT, dailyVolume: Math.max(1, Math.round((volume * DAY_MS) / overMs)) as Lots };
}

/** The count of a market's volume at an instant. */
type Mark = Pick<Market, 'volume' | 'atMs'>;

/**
 * Remembers the volume counts of markets, so that the pace since then is known. It counts the last 2 to 4 hours at
 * most, and keeps VOLUME_PROFILES_MAX markets.
 */
export class SeenVolumes {
  /** The mark to count from, and the one that will replace it. */
  readonly #marks = new Map<InstrumentIndex, { from: Mark; next: Mark }>();

  /** Notes the market. Returns the volume since its mark; null in the first minute. */
  see(instrument: InstrumentIndex, { volume, atMs }: Mark): SeenVolume | null {
    const now = { volume, atMs };
    const marks = this.#marks.get(instrument);
    // A count that has decreased began again.
    if (marks === undefined || volume < marks.next.volume) {
      this.#keep(instrument, now);
      return null;
    }
    const { from } = marks;
    if (atMs - marks.next.atMs >= PROFILE_RECENT_MS / 2) {
      marks.from = marks.next;
      marks.next = now;
    }
    const overMs = atMs - from.atMs;
    return overMs < SEEN_MS_MIN ? null : { volume: volume - from.volume, overMs };
  }

  #keep(instrument: InstrumentIndex, now: Mark): void {
    const [oldest] = this.#marks.keys();
    if (this.#marks.size >= VOLUME_PROFILES_MAX && oldest !== undefined) this.#marks.delete(oldest);
    this.#marks.set(instrument, { from: now, next: now });
  }
}
