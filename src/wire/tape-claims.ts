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

  /** True for one caller, when at least `sinceMs` (whole buckets) have gone by since the latest claim. */
  take(instrument: InstrumentIndex, nowMs: EpochMs, sinceMs: number): boolean {
    // Their numbers wrap around every 13 years: only the distance counts.
    const bucket = Math.floor(nowMs / TAPE_BUCKET_MS) | 0;
    const latest = Atomics.load(this.#buckets, instrument);
    if (latest !== 0 && ((bucket - latest) | 0) < sinceMs / TAPE_BUCKET_MS) return false;
    return Atomics.compareExchange(this.#buckets, instrument, latest, bucket) === latest;
  }
}
