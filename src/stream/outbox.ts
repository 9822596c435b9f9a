import { WS_FLUSH_BYTES, WS_PRIVATE_BACKLOG_BYTES_MAX } from '../domain/limits/clients.js';

/** The part of a socket that an outbox uses. */
interface Pipe {
  /** 1: sent. 0: accepted, with a backlog. 2: refused, the backlog is too large. */
  send(frame: Uint8Array): number;
  /** Runs at once; the frames sent within it leave in one piece. */
  cork(run: () => void): void;
  getBufferedAmount(): number;
}

/** Runs `flush` once, soon. It is the same function at each call of one outbox. */
export type FlushSoon = (flush: () => void) => void;

const SENT = 1;
const REFUSED = 2;

/**
 * The outbound queue of one socket for frames that must not be lost.
 *
 *   push ──▶ queue ──▶ socket's own buffer ──▶ kernel
 *             │ clogged: waits for drain
 *             └ more than `backlogBytesMax`: overflow, once, and no further frame is accepted
 *
 * Frames pushed in one turn of the event loop are sent together, by default in a microtask: one system call instead of
 * one per frame. The queue holds references: a frame shared by many sockets exists once.
 */
export class Outbox {
  readonly #pipe: Pipe;
  readonly #onOverflow: () => void;
  readonly #backlogBytesMax: number;
  readonly #flushSoon: FlushSoon;
  readonly #flushLater = (): void => this.flush();
  #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #isClogged = false;
  #isClosed = false;

  constructor(
    pipe: Pipe,
    onOverflow: () => void,
    backlogBytesMax = WS_PRIVATE_BACKLOG_BYTES_MAX,
    flushSoon: FlushSoon = queueMicrotask,
  ) {
    this.#pipe = pipe;
    this.#onOverflow = onOverflow;
    this.#backlogBytesMax = backlogBytesMax;
    this.#flushSoon = flushSoon;
  }

  /** True while the socket has a backlog. */
  get isClogged(): boolean {
    return this.#isClogged;
  }

  push(frame: Uint8Array): void {
    if (this.#isClosed) return;
    if (this.#queue.length === 0 && !this.#isClogged) this.#flushSoon(this.#flushLater);
    this.#queue.push(frame);
    this.#queuedBytes += frame.byteLength;
    if (this.#queuedBytes < WS_FLUSH_BYTES) return;
    if (!this.#isClogged) this.flush();
    if (this.#queuedBytes > this.#backlogBytesMax) this.overflow();
  }

  /** The client is too slow: ends the queue, once. */
  overflow(): void {
    if (this.#isClosed) return;
    this.close();
    this.#onOverflow();
  }

  /** Sends the frames that the socket takes now. */
  flush(): void {
    while (this.#queue.length > 0 && !this.#isClogged) {
      this.#pipe.cork(() => this.#sendQueued());
      this.#isClogged = this.#pipe.getBufferedAmount() > 0;
    }
  }

  /** The socket has sent part of its backlog. */
  onDrain(): void {
    this.#isClogged = this.#pipe.getBufferedAmount() > 0;
    this.flush();
  }

  /** Drops the queue and sends nothing more. */
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

/** The part of a WebSocket that the streams use. uWebSockets.js implements it, and tests fake it. */
export interface Socket extends Pipe {
  /** Subscribes to a topic of App.publish. */
  subscribe(topic: string): boolean;
  unsubscribe(topic: string): boolean;
  /** Sends a close frame. The close handler runs before this returns, and the socket must not be used afterwards. */
  end(code: number, reason: string): void;
  /** Terminates the connection without a close frame; otherwise as `end`. */
  close(): void;
}

/** WebSocket close codes of the streams. */
export const GOING_AWAY = 1001;
export const POLICY_VIOLATION = 1008;
export const MESSAGE_TOO_BIG = 1009;
export const INTERNAL_ERROR = 1011;
export const TRY_AGAIN_LATER = 1013;
