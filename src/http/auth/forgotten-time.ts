import { FORGOTTEN_SPANS_MAX, RECV_WINDOW_MS_MAX } from '../../model/limits.js';

/** Seconds between two drops that still belong to one span: what is dropped comes at most so far apart in order. */
const JOINED_SECONDS = (2 * RECV_WINDOW_MS_MAX) / 1000;

interface Span {
  from: number;
  to: number;
}

/** Seconds of real time whose signatures were dropped. While the clock is not set it is one span. */
export class ForgottenTime {
  readonly #spans: Span[] = [];

  add(second: number): void {
    const near = this.#spans.find(({ from, to }) => second >= from - JOINED_SECONDS && second <= to + JOINED_SECONDS);
    if (near === undefined) {
      this.#spans.push({ from: second, to: second });
      if (this.#spans.length > FORGOTTEN_SPANS_MAX) this.#spans.shift();
      return;
    }
    near.from = Math.min(near.from, second);
    near.to = Math.max(near.to, second);
  }

  includes(second: number): boolean {
    return this.#spans.some(({ from, to }) => second >= from && second <= to);
  }
}
