import type { HttpResponse } from 'uWebSockets.js';

/** An answer whose length is not known when it begins: sent part by part, each when the socket has taken the one before. */
export class AnswerStream {
  readonly #res: HttpResponse;
  readonly #top: string;
  readonly #onEnd: () => void;
  #hasBegun = false;
  #isClogged = false;
  #isOver = false;

  /** `top`: status and headers. `onDrained`: the socket has taken all that was written. */
  constructor(res: HttpResponse, top: string, onDrained: () => void, onEnd: () => void) {
    this.#res = res;
    this.#top = top;
    this.#onEnd = onEnd;
    res.onWritable(() => {
      if (this.#isOver || !this.#isClogged) return true;
      this.#isClogged = false;
      onDrained();
      return true;
    });
  }

  /** True while the socket has not taken what was written; nothing more should be written until `onDrained`. */
  get isClogged(): boolean {
    return this.#isClogged;
  }

  write(bytes: Uint8Array): void {
    if (this.#isOver || bytes.byteLength === 0) return;
    this.#res.cork(() => {
      if (!this.#hasBegun) this.#res.writeStatus(this.#top);
      this.#hasBegun = true;
      this.#isClogged = !this.#res.write(bytes);
    });
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#res.cork(() => void this.#res.end());
    this.#onEnd();
  }

  /** Closes the connection before the end, so that the client takes no part for the whole. */
  cut(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // The library's abort handler runs within.
    this.#res.close();
  }
}
