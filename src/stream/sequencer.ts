import type { FeedFrame } from '../journal/port.js';
import type { EventEnvelope } from '../model/event.js';
import { FEED_REORDER_FRAMES_MAX } from '../model/limits.js';

/**
 * What became of an offered frame. `held`: an earlier one is awaited. `full`: not even held; the journal must be read.
 */
export type Offered = 'delivered' | 'known' | 'held' | 'full';

/**
 * Puts the frames of one feed in order. Events of several shards reach the main thread in any order, some of them
 * twice or not at all; each frame leaves once, in the order of its number.
 *
 *   offered:   7  9  8  8  11 ·       10 was dropped on its way
 *   delivered: 7     8 9      · 10 11  once the journal has been read
 */
export class FeedSequencer {
  readonly #deliver: (n: number, envelope: EventEnvelope) => void;
  readonly #early = new Map<number, EventEnvelope>();
  #last: number;
  #highest: number;

  /** `last` is the number of the frame before the first that is wanted. */
  constructor(last: number, deliver: (n: number, envelope: EventEnvelope) => void) {
    this.#last = last;
    this.#highest = last;
    this.#deliver = deliver;
  }

  /** Number of the latest frame delivered. */
  get last(): number {
    return this.#last;
  }

  /** True while a frame is known of that lies beyond one not yet delivered. */
  get hasGap(): boolean {
    return this.#highest > this.#last;
  }

  offer(n: number, envelope: EventEnvelope): Offered {
    if (n <= this.#last) return 'known';
    if (n > this.#highest) this.#highest = n;
    if (n === this.#last + 1) {
      this.#advance(n, envelope);
      this.#releaseEarly();
      return 'delivered';
    }
    if (this.#early.size >= FEED_REORDER_FRAMES_MAX && !this.#early.has(n)) return 'full';
    this.#early.set(n, envelope);
    return 'held';
  }

  /** Takes frames read from the journal, ascending. False when the next one is no longer kept there. */
  fill(frames: readonly FeedFrame[]): boolean {
    for (const { n, envelope } of frames) {
      if (n <= this.#last) continue;
      if (n !== this.#last + 1) return false;
      this.#advance(n, envelope);
    }
    this.#releaseEarly();
    return true;
  }

  /** Goes on after frame n: what lies before is lost for this feed. */
  skipTo(n: number): void {
    this.#last = Math.max(this.#last, n);
    this.#highest = Math.max(this.#highest, n);
    this.#releaseEarly();
  }

  #advance(n: number, envelope: EventEnvelope): void {
    this.#last = n;
    this.#deliver(n, envelope);
  }

  #releaseEarly(): void {
    if (this.#early.size === 0) return;
    for (let next = this.#early.get(this.#last + 1); next !== undefined; next = this.#early.get(this.#last + 1)) {
      this.#advance(this.#last + 1, next);
    }
    for (const n of this.#early.keys()) if (n <= this.#last) this.#early.delete(n);
  }
}
