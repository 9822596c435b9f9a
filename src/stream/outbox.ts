import { WS_FLUSH_BYTES, WS_PRIVATE_BACKLOG_BYTES_MAX } from '../model/limits.js';

/** What an outbox needs of a socket. */
export interface Pipe {
  /** 1: sent. 0: taken, but it builds up. 2: refused, too much has built up already. */
  send(frame: Uint8Array): number;
  /** Runs at once; what is sent meanwhile leaves in one piece. */
  cork(run: () => void): void;
  getBufferedAmount(): number;
}

const SENT = 1;
const REFUSED = 2;

/**
 * Frames that must not be lost on their way to one socket.
 *
 *   push ──▶ queue ──▶ socket's own buffer ──▶ kernel
 *             │ clogged: waits for drain
 *             └ more than WS_PRIVATE_BACKLOG_BYTES_MAX: overflow, once, and nothing more is taken
 *
 * Frames pushed in one turn of the loop leave together, in a microtask: one system call instead of one a frame.
 * The queue holds references: a frame shared by many sockets exists once.
 */
export class Outbox {
  readonly #pipe: Pipe;
  readonly #onOverflow: () => void;
  readonly #flushLater = (): void => this.flush();
  #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #isClogged = false;
  #isClosed = false;

  constructor(pipe: Pipe, onOverflow: () => void) {
    this.#pipe = pipe;
    this.#onOverflow = onOverflow;
  }

  /** True while the socket takes less than it is given. */
  get isClogged(): boolean {
    return this.#isClogged;
  }

  push(frame: Uint8Array): void {
    if (this.#isClosed) return;
    if (this.#queue.length === 0 && !this.#isClogged) queueMicrotask(this.#flushLater);
    this.#queue.push(frame);
    this.#queuedBytes += frame.byteLength;
    if (this.#queuedBytes < WS_FLUSH_BYTES) return;
    if (!this.#isClogged) this.flush();
    if (this.#queuedBytes > WS_PRIVATE_BACKLOG_BYTES_MAX) {
      this.close();
      this.#onOverflow();
    }
  }

  /** Hands over what the socket takes now. */
  flush(): void {
    while (this.#queue.length > 0 && !this.#isClogged) {
      this.#pipe.cork(() => this.#sendQueued());
      this.#isClogged = this.#pipe.getBufferedAmount() > 0;
    }
  }

  /** The socket has sent some of what had built up. */
  onDrain(): void {
    this.#isClogged = this.#pipe.getBufferedAmount() > 0;
    this.flush();
  }

  /** Forgets what waits; nothing is sent from here on. */
  close(): void {
    this.#isClosed = true;
    this.#queue = [];
    this.#queuedBytes = 0;
  }

  #sendQueued(): void {
    let taken = 0;
    for (const frame of this.#queue) {
      const result = this.#pipe.send(frame);
      if (result === REFUSED) break;
      taken += 1;
      this.#queuedBytes -= frame.byteLength;
      if (result !== SENT) break;
    }
    this.#queue = taken === this.#queue.length ? [] : this.#queue.slice(taken);
  }
}
