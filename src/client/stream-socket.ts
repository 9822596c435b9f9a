import type { Acknowledgement, EndedFeed } from './feed.js';
import type { Frame } from './wire.js';
import { SluiceError } from './sluice-error.js';

/** A WebSocket of Node or of a browser. */
export interface Socket {
  readonly isOpen: boolean;
  send(text: string): void;
  /** Closes the connection with a closing handshake. */
  close(): void;
  /** Closes the connection without a handshake. */
  terminate(): void;
}

export interface SocketListener {
  opened(): void;
  received(text: string): void;
  /** Called once, also when the handshake fails: with a close code of WebSocket, and the cause where it is known. */
  closed(code: number, cause: SluiceError | null): void;
}

/** Begins a connection to the streams. */
export type OpenSocket = (listenKey: string, listener: SocketListener) => Socket;

export interface SocketEvents {
  frame(frame: Frame): void;
  /** The service has ended an acknowledged feed; the connection stays open. */
  ended(feed: EndedFeed, why: SluiceError): void;
  /** Called once, when an open connection closes with a close code of WebSocket. */
  closed(code: number, cause: unknown): void;
}

/** Message about the connection itself. `server` announces that the service closes it soon. */
type Notice = { readonly topic: 'ping' } | { readonly topic: 'pong' } | { readonly topic: 'server' };

interface Waiter {
  resolve(): void;
  reject(error: SluiceError): void;
}

/** Close code of a client that has sent too much, or whose key is not valid any more. */
export const POLICY_VIOLATION = 1008;
/** Close code of a connection that ended without a closing handshake. */
export const NO_HANDSHAKE = 1006;
const PING_MS = 5_000;
/** Pings in a row without any message after them: then the connection counts as lost. */
const UNANSWERED_MAX = 2;

/** One WebSocket connection: requests with acknowledgements, keep-alive. It does not reconnect. */
export class StreamSocket {
  readonly #socket: Socket;
  readonly #events: SocketEvents;
  /** The service answers requests in the order of arrival. */
  readonly #waiters: Waiter[] = [];
  readonly #pulse: ReturnType<typeof setInterval>;
  /** Counted instead of timed: a program that was busy for long has its messages still before it. */
  #unanswered = 0;
  #heardAtMs = Date.now();
  /** Why this side ends the connection; null: it does not. */
  #cause: unknown = null;

  private constructor(
    open: (listener: SocketListener) => Socket,
    events: SocketEvents & Pick<SocketListener, 'opened'>,
  ) {
    this.#events = events;
    this.#socket = open({
      opened: () => events.opened(),
      received: (text) => this.#onMessage(text),
      closed: (code, cause) => {
        this.#release();
        events.closed(code, this.#cause ?? cause ?? streamFailure(0, 'the connection to the service is lost'));
      },
    });
    this.#pulse = setInterval(() => this.#beat(), PING_MS);
  }

  /** Rejects with SluiceError when the handshake is refused (status 401) or fails (status 0). */
  static open(open: OpenSocket, listenKey: string, events: SocketEvents): Promise<StreamSocket> {
    return new Promise((resolve, fail) => {
      let isOpen = false;
      const stream = new StreamSocket((listener) => open(listenKey, listener), {
        ...events,
        opened: () => {
          isOpen = true;
          resolve(stream);
        },
        closed: (code, cause) => (isOpen ? events.closed(code, cause) : fail(cause)),
      });
    });
  }

  get isOpen(): boolean {
    return this.#socket.isOpen;
  }

  /** Time of the latest message, or of the beginning of the connection; epoch milliseconds. */
  get heardAtMs(): number {
    return this.#heardAtMs;
  }

  /** Sends a request. Resolves on its acknowledgement; rejects on a refusal or when the connection ends. */
  request(message: string): Promise<void> {
    return new Promise((resolve, reject) => {
      if (!this.#socket.isOpen) return reject(streamFailure(0, 'the connection is not open'));
      this.#waiters.push({ resolve, reject });
      this.#socket.send(message);
    });
  }

  /** Closes the connection with a closing handshake. */
  close(): void {
    this.#socket.close();
  }

  /** Closes the connection without a handshake. */
  terminate(cause: unknown): void {
    this.#cause ??= cause;
    this.#socket.terminate();
  }

  #onMessage(text: string): void {
    this.#heardAtMs = Date.now();
    this.#unanswered = 0;
    const message = JSON.parse(text) as Frame | Acknowledgement | Notice;
    if ('code' in message) return this.#onAcknowledgement(message);
    if (message.topic === 'ping') return this.#socket.send('{"topic":"pong"}');
    if (message.topic !== 'pong' && message.topic !== 'server') this.#events.frame(message);
  }

  #onAcknowledgement({ code, message, ended }: Acknowledgement): void {
    const refusal = new SluiceError({ status: 0, code: String(code), message, requestId: null });
    if (ended !== undefined) return this.#events.ended(ended, refusal);
    const waiter = this.#waiters.shift();
    if (code === 0) return waiter?.resolve();
    // A refusal without a pending request is unexpected. A new connection subscribes to all streams again.
    if (waiter === undefined) return this.terminate(refusal);
    waiter.reject(refusal);
  }

  #beat(): void {
    if (this.#unanswered === UNANSWERED_MAX) return this.terminate(streamFailure(0, 'the service has gone silent'));
    this.#unanswered += 1;
    if (this.#socket.isOpen) this.#socket.send('{"topic":"ping"}');
  }

  #release(): void {
    clearInterval(this.#pulse);
    for (const waiter of this.#waiters.splice(0)) waiter.reject(streamFailure(0, 'the connection ended'));
  }
}

/** `status`: HTTP status of a refused handshake; 0 without one. */
export function streamFailure(status: number, message: string): SluiceError {
  const code = status === 401 ? 'AUTHENTICATION_ERROR' : 'NETWORK_ERROR';
  return new SluiceError({ status, code, message, requestId: null });
}
