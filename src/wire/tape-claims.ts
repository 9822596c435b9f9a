import type { InstrumentIndex } from '../model/instrument.js';
import { TAPE_BUCKET_MS } from '../model/limits.js';
import type { EpochMs } from '../model/time.js';

/**
 * Who observes a market: shards that work orders of the same instrument would each journal the same thing. One word an
 * instrument, in shared memory, holds the bucket of time of its latest observation; who moves it on makes the next one.
 */
export class TapeClaims {
  readonly #buckets: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#buckets = new Int32Array(memory);
  }

  static create(instrumentCount: number): SharedArrayBuffer {
    return new SharedArrayBuffer(instrumentCount * Int32Array.BYTES_PER_ELEMENT);
  }

  /** True when at least `sinceMs` (whole buckets) have gone by since the latest claim: one may be taken. */
  isFree(instrument: InstrumentIndex, nowMs: EpochMs, sinceMs: number): boolean {
    const latest = Atomics.load(this.#buckets, instrument);
    // The numbers of buckets wrap around every 13 years: only the distance counts.
    return latest === 0 || ((bucketOf(nowMs) - latest) | 0) >= sinceMs / TAPE_BUCKET_MS;
  }

  /** Takes the claim, if it is free still; true for one caller. */
  take(instrument: InstrumentIndex, nowMs: EpochMs, sinceMs: number): boolean {
    const latest = Atomics.load(this.#buckets, instrument);
    if (!this.isFree(instrument, nowMs, sinceMs)) return false;
    return Atomics.compareExchange(this.#buckets, instrument, latest, bucketOf(nowMs)) === latest;
  }
}

function bucketOf(nowMs: EpochMs): number {
  return Math.floor(nowMs / TAPE_BUCKET_MS) | 0;
}
