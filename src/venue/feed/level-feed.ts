import type { EpochMs } from '../../model/time.js';

/** Tells a level now and then: at once at first, and when there was no room, as soon as there is. */
export class LevelFeed {
  readonly #gapMs: number;
  readonly #offer: (atMs: EpochMs) => boolean;
  #toldAtMs = -Infinity;

  /** `gapMs` between two tellings, in service time; `offer` is false when there is no room. */
  constructor(gapMs: number, offer: (atMs: EpochMs) => boolean) {
    this.#gapMs = gapMs;
    this.#offer = offer;
  }

  tell(nowMs: EpochMs): void {
    if (nowMs - this.#toldAtMs >= this.#gapMs && this.#offer(nowMs)) this.#toldAtMs = nowMs;
  }
}
