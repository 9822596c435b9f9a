import { assert } from '../model/assert.js';
import type { EpochMs } from '../model/time.js';

/** The mid of a market over time: it holds from one change to the next. In ticks, halves included. */
export class MidPath {
  readonly #holdMs: number;
  readonly #times: number[] = [];
  readonly #mids: number[] = [];

  /** A mid that is not told again is known for so long; for ever unless given. */
  constructor(holdMs = Infinity) {
    this.#holdMs = holdMs;
  }

  /** The mid from then on; instants never go back. */
  append(mid: number, atMs: EpochMs): void {
    const last = this.#times.length - 1;
    assert(last < 0 || atMs >= this.#times[last]!, 'a mid path is written forwards');
    // Of several changes at one instant only the latest is ever seen.
    const index = last >= 0 && this.#times[last] === atMs ? last : last + 1;
    this.#times[index] = atMs;
    this.#mids[index] = mid;
  }

  /** The mid that holds at the instant, the latest one beyond the end; null before the first, or when it was too long ago. */
  at(atMs: number): number | null {
    const index = this.#indexAt(atMs);
    return index >= 0 && atMs - this.#times[index]! <= this.#holdMs ? this.#mids[index]! : null;
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
    const first = Math.max(0, this.#indexAt(fromMs));
    // Summed as distances from one mid, which keeps the digits of a long path.
    const base = this.#mids[first] ?? 0;
    let sum = 0;
    let knownMs = 0;
    for (let index = first; index < this.#times.length && this.#times[index]! < toMs; index += 1) {
      const untilMs = Math.min(toMs, this.#times[index + 1] ?? toMs, this.#times[index]! + this.#holdMs);
      const heldMs = Math.max(0, untilMs - Math.max(fromMs, this.#times[index]!));
      sum += (this.#mids[index]! - base) * heldMs;
      knownMs += heldMs;
    }
    return knownMs > 0 ? base + sum / knownMs : this.at(toMs);
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
