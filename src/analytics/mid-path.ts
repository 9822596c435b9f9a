import { assert } from '../model/assert.js';
import type { EpochMs } from '../model/time.js';

/** The mid of a market over time: it holds from one change to the next. In ticks, halves included. */
export class MidPath {
  readonly #times: number[] = [];
  readonly #mids: number[] = [];

  /** The mid from then on; instants never go back. */
  append(mid: number, atMs: EpochMs): void {
    const last = this.#times.length - 1;
    assert(last < 0 || atMs >= this.#times[last]!, 'a mid path is written forwards');
    // Of several changes at one instant only the latest is ever seen.
    const index = last >= 0 && this.#times[last] === atMs ? last : last + 1;
    this.#times[index] = atMs;
    this.#mids[index] = mid;
  }

  /** The mid that holds at the instant, the latest one beyond the end; null before the first. */
  at(atMs: number): number | null {
    return this.#mids[this.#indexAt(atMs)] ?? null;
  }

  /** Times of the first and the latest change; NaN when there is none. */
  get firstAtMs(): number {
    return this.#times[0] ?? Number.NaN;
  }

  get lastAtMs(): number {
    return this.#times.at(-1) ?? Number.NaN;
  }

  /** Time-weighted mean over the span, as far as it is known; the mid itself for a span of no length; null without any. */
  mean(fromMs: number, toMs: number): number | null {
    const first = this.#indexAt(fromMs);
    let sum = 0;
    let knownMs = 0;
    for (let index = Math.max(0, first); index < this.#times.length && this.#times[index]! < toMs; index += 1) {
      const heldMs = Math.min(toMs, this.#times[index + 1] ?? toMs) - Math.max(fromMs, this.#times[index]!);
      sum += this.#mids[index]! * heldMs;
      knownMs += heldMs;
    }
    return knownMs > 0 ? sum / knownMs : this.at(toMs);
  }

  /** Index of the change that holds at the instant; -1 before the first. */
  #indexAt(atMs: number): number {
    let low = 0;
    let high = this.#times.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#times[middle]! <= atMs) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
