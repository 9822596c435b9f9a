import { SILENCE_LOOK_MS_MAX } from '../model/limits.js';

/**
 * Measures for how long a thread's beat has not changed. Between two looks at most SILENCE_LOOK_MS_MAX counts: a watcher
 * that was held up itself, or a process that was stopped, proves nothing about the thread.
 */
export class SilenceMeter {
  #beat: number | null = null;
  #lookedAtMs = 0;
  #silenceMs = 0;

  get silenceMs(): number {
    return this.#silenceMs;
  }

  /** Silence in milliseconds; to be called about once a second. */
  look(beat: number, nowMs: number): number {
    const isSame = beat === this.#beat;
    this.#silenceMs = isSame ? this.#silenceMs + Math.min(nowMs - this.#lookedAtMs, SILENCE_LOOK_MS_MAX) : 0;
    this.#beat = beat;
    this.#lookedAtMs = nowMs;
    return this.#silenceMs;
  }

  /** The thread starts anew. */
  reset(): void {
    this.#beat = null;
    this.#silenceMs = 0;
  }
}
