import { WebSocket } from 'ws';
import type { Frame } from './frames.js';
import { SluiceError } from './sluice-error.js';

export interface SocketEvents {
  frame(frame: Frame): void;
  /** The connection is over; called once, and only after it was open. */
  closed(): void;
}

/** The answer to a request: code 0 acknowledges, anything else refuses. */
interface Acknowledgement {
  readonly code: number;
  readonly message: string;
}

/** What concerns the connection itself. `server` tells that the service is about to close it. */
type Notice = { readonly topic: 'ping' } | { readonly topic: 'pong' } | { readonly topic: 'server' };

interface Waiter {
  resolve(): void;
  reject(error: SluiceError): void;
}

/** The service pings every 60 s: a connection that was silent for longer than this is dead. */
const SILENCE_MS = 150_000;
const SILENCE_CHECK_MS = 30_000;
const HANDSHAKE_MS = 10_000;

/** One WebSocket connection: handshake, requests and their acknowledgements, keep-alive. It never comes back. */
export class StreamSocket {
  readonly #socket: WebSocket;
  readonly #events: SocketEvents;
  /** Requests are answered in the order in which they were sent. */
  readonly #waiters: Waiter[] = [];
  readonly #silenceCheck: NodeJS.Timeout;
  #heardAtMs = Date.now();

  private constructor(socket: WebSocket, events: SocketEvents) {
    this.#socket = socket;
    this.#events = events;
    socket.on('message', (data) => this.#onMessage((data as Buffer).toString('utf8')));
    this.#silenceCheck = setInterval(() => this.#endIfSilent(), SILENCE_CHECK_MS).unref();
  }

  /** Rejects with SluiceError when the handshake is refused (status 401) or does not come about (status 0). */
  static open(url: string, listenKey: string, events: SocketEvents): Promise<StreamSocket> {
    return new Promise((resolve, fail) => {
      const headers = { Authorization: `Bearer ${listenKey}` };
      const socket = new WebSocket(url, { headers, handshakeTimeout: HANDSHAKE_MS, perMessageDeflate: false });
      const stream = new StreamSocket(socket, events);
      let isOpen = false;
      socket.once('open', () => {
        isOpen = true;
        resolve(stream);
      });
      socket.once('unexpected-response', (_request, response) => {
        socket.terminate();
        fail(failure(response.statusCode ?? 0, `the handshake was refused with HTTP ${response.statusCode}`));
      });
      socket.on('error', (error) => fail(failure(0, `the stream cannot be reached: ${error.message}`)));
      socket.once('close', () => {
        stream.#release();
        if (isOpen) events.closed();
      });
    });
  }

  /** Sends a request; resolves with its acknowledgement, rejects when it is refused or the connection ends. */
  request(message: string): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#socket.readyState !== WebSocket.OPEN) return reject(failure(0, 'the connection is not open'));
      this.#waiters.push({ resolve, reject });
      this.#socket.send(message);
    });
  }

  /** Ends the connection politely. */
  close(): void {
    this.#socket.close(1000);
  }

  /** Ends the connection at once. */
  terminate(): void {
    this.#socket.terminate();
  }

  #onMessage(text: string): void {
    this.#heardAtMs = Date.now();
    const message = JSON.parse(text) as Frame | Acknowledgement | Notice;
    if ('code' in message) return this.#onAcknowledgement(message);
    if (message.topic === 'ping') return this.#socket.send('{"topic":"pong"}');
    if (message.topic !== 'pong' && message.topic !== 'server') this.#events.frame(message);
  }

  #onAcknowledgement(answer: Acknowledgement): void {
    const waiter = this.#waiters.shift();
    if (answer.code === 0) return waiter?.resolve();
    // A refusal that nobody waits for says that a stream ended: a new connection subscribes to all of them again.
    if (waiter === undefined) return this.terminate();
    waiter.reject(new SluiceError({ status: 0, code: String(answer.code), message: answer.message, requestId: null }));
  }

  #endIfSilent(): void {
    if (Date.now() - this.#heardAtMs > SILENCE_MS) this.terminate();
  }

  #release(): void {
    clearInterval(this.#silenceCheck);
    for (const waiter of this.#waiters.splice(0)) waiter.reject(failure(0, 'the connection ended'));
  }
}

function failure(status: number, message: string): SluiceError {
  const code = status === 401 ? 'AUTHENTICATION_ERROR' : 'NETWORK_ERROR';
  return new SluiceError({ status, code, message, requestId: null });
}
