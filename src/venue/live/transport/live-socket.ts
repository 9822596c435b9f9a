import { type ClientOptions, WebSocket } from 'ws';
import {
  SOCKET_AGAIN_MS_MAX,
  SOCKET_AGAIN_MS_MIN,
  SOCKET_FRAME_BYTES_MAX,
  SOCKET_OPEN_MS_MAX,
  SOCKET_PING_MS,
  SOCKET_SILENCE_MS_MAX,
  SOCKET_STABLE_MS,
} from '../../../domain/limits/live.js';
import type { EpochMs } from '../../../domain/time.js';
import { doubledMs } from '../waits.js';

export interface LiveSocketOptions {
  /** Address of the next connection. A rejection counts as a failed attempt. */
  readonly url: () => string | Promise<string>;
  readonly nowMs: () => EpochMs;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly onOpen: () => void;
  readonly onText: (text: string) => void;
  /** The connection that `onOpen` announced has ended. */
  readonly onCut: () => void;
  /** Milliseconds in which the exchange takes no request of this address: a dial waits for their end. Default: none. */
  readonly barredMs?: () => number;
  /** Dials in another way: through a proxy. */
  readonly agent?: ClientOptions['agent'];
}

/** Doublings of the wait from its minimum to its maximum. */
const FAILURES_MAX = Math.ceil(Math.log2(SOCKET_AGAIN_MS_MAX / SOCKET_AGAIN_MS_MIN));

/**
 * One WebSocket to an exchange that is opened again after each end, until `close`. The wait doubles with each end, and
 * each SOCKET_STABLE_MS of a connection take back one doubling. Pings prove that the connection is live: their answers
 * come after all earlier frames.
 */
export class LiveSocket {
  readonly #options: LiveSocketOptions;
  #socket: WebSocket | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #isOpen = false;
  #openedAtMs = 0;
  /** Doublings of the wait before the next attempt. */
  #failures = 0;
  #heardAtMs = 0 as EpochMs;

  constructor(options: LiveSocketOptions) {
    this.#options = options;
    void this.#dial();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** When the last frame or answer to a ping came. */
  get heardAtMs(): EpochMs {
    return this.#heardAtMs;
  }

  /** False when the socket is not open: nothing has left. */
  send(text: string): boolean {
    if (!this.#isOpen) return false;
    this.#socket?.send(text);
    return true;
  }

  /** Ends the connection, if any, and opens another one. */
  reopen(): void {
    this.#socket?.terminate();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#socket?.terminate();
  }

  async #dial(): Promise<void> {
    const { url, agent, barredMs = () => 0 } = this.#options;
    // A dial in a ban may make it longer.
    const banMs = Math.ceil(barredMs());
    if (banMs > 0) {
      this.#timer = setTimeout(() => void this.#dial(), banMs);
      return;
    }
    let socket: WebSocket;
    try {
      const address = await url();
      if (this.#isClosed) return;
      socket = new WebSocket(address, {
        maxPayload: SOCKET_FRAME_BYTES_MAX,
        handshakeTimeout: SOCKET_OPEN_MS_MAX,
        perMessageDeflate: false,
        ...(agent !== undefined && { agent }),
      });
    } catch {
      return this.#again();
    }
    this.#socket = socket;
    socket.on('open', () => this.#opened());
    socket.on('message', (data) => {
      this.#heardAtMs = this.#options.nowMs();
      this.#options.onText((data as Buffer).toString());
    });
    socket.on('pong', () => {
      this.#heardAtMs = this.#options.nowMs();
    });
    // A close follows each error.
    socket.on('error', () => undefined);
    socket.on('close', () => this.#ended());
  }

  #opened(): void {
    this.#isOpen = true;
    this.#openedAtMs = this.#heardAtMs = this.#options.nowMs();
    this.#timer = setTimeout(() => this.#ping(), SOCKET_PING_MS);
    this.#options.onOpen();
  }

  #ping(): void {
    if (this.#options.nowMs() - this.#heardAtMs > SOCKET_SILENCE_MS_MAX) return this.#socket?.terminate();
    this.#socket?.ping();
    this.#timer = setTimeout(() => this.#ping(), SOCKET_PING_MS);
  }

  #ended(): void {
    clearTimeout(this.#timer);
    this.#socket = null;
    if (this.#isOpen) {
      this.#isOpen = false;
      const takenBack = Math.floor((this.#options.nowMs() - this.#openedAtMs) / SOCKET_STABLE_MS);
      this.#failures = Math.max(0, this.#failures - takenBack);
      if (!this.#isClosed) this.#options.onCut();
    }
    this.#again();
  }

  #again(): void {
    if (this.#isClosed) return;
    const boundMs = doubledMs(SOCKET_AGAIN_MS_MIN, this.#failures, SOCKET_AGAIN_MS_MAX);
    this.#failures = Math.min(this.#failures + 1, FAILURES_MAX);
    this.#timer = setTimeout(() => void this.#dial(), boundMs * (0.5 + this.#options.random() / 2));
  }
}
