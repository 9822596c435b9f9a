import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import type { Acknowledgement, EndedFeed } from './feed.js';
import type { Frame } from './wire.js';
import { SluiceError } from './sluice-error.js';
import { collect, refusalIn } from './transport.js';

export interface SocketEvents {
  frame(frame: Frame): void;
  /** The service has ended an acknowledged feed; the connection stays open. */
  ended(feed: EndedFeed): void;
  /** Called once, when an open connection closes with a close code of WebSocket. */
  closed(code: number): void;
}

/** Message about the connection itself. `server` announces that the service closes it soon. */
type Notice = { readonly topic: 'ping' } | { readonly topic: 'pong' } | { readonly topic: 'server' };

interface Waiter {
  resolve(): void;
  reject(error: SluiceError): void;
}

/** Close code of a client that has sent too much, or whose key is not valid any more. */
export const POLICY_VIOLATION = 1008;
/** Silence after which a connection counts as lost. The service pings every 60 s. */
const SILENCE_MS = 150_000;
const SILENCE_CHECK_MS = 30_000;
const HANDSHAKE_MS = 10_000;

/** One WebSocket connection: handshake, requests with acknowledgements, keep-alive. It does not reconnect. */
export class StreamSocket {
  readonly #socket: WebSocket;
  readonly #events: SocketEvents;
  /** The service answers requests in the order of arrival. */
  readonly #waiters: Waiter[] = [];
  readonly #silenceCheck: NodeJS.Timeout;
  #heardAtMs = Date.now();

  private constructor(socket: WebSocket, events: SocketEvents) {
    this.#socket = socket;
    this.#events = events;
    socket.on('message', (data) => this.#onMessage((data as Buffer).toString('utf8')));
    this.#silenceCheck = setInterval(() => this.#endIfSilent(), SILENCE_CHECK_MS).unref();
  }

  /** Rejects with SluiceError when the handshake is refused (status 401) or fails (status 0). */
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
      const refuse = (error: SluiceError): void => {
        socket.terminate();
        fail(error);
      };
      socket.once('unexpected-response', (_request, response) => void refusalOf(response).then(refuse));
      socket.on('error', (error) => fail(streamFailure(0, `the stream cannot be reached: ${error.message}`)));
      socket.once('close', (code: number) => {
        stream.#release();
        if (isOpen) events.closed(code);
      });
    });
  }

  /** Sends a request. Resolves on its acknowledgement; rejects on a refusal or when the connection ends. */
  request(message: string): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#socket.readyState !== WebSocket.OPEN) return reject(streamFailure(0, 'the connection is not open'));
      this.#waiters.push({ resolve, reject });
      this.#socket.send(message);
    });
  }

  /** Closes the connection with a closing handshake. */
  close(): void {
    this.#socket.close(1000);
  }

  /** Closes the connection without a handshake. */
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
    if (answer.ended !== undefined) return this.#events.ended(answer.ended);
    const waiter = this.#waiters.shift();
    if (answer.code === 0) return waiter?.resolve();
    // A refusal without a pending request is unexpected. A new connection subscribes to all streams again.
    if (waiter === undefined) return this.terminate();
    waiter.reject(new SluiceError({ status: 0, code: String(answer.code), message: answer.message, requestId: null }));
  }

  #endIfSilent(): void {
    if (Date.now() - this.#heardAtMs > SILENCE_MS) this.terminate();
  }

  #release(): void {
    clearInterval(this.#silenceCheck);
    for (const waiter of this.#waiters.splice(0)) waiter.reject(streamFailure(0, 'the connection ended'));
  }
}

/** The error of a refused handshake, with code and reason of the service. */
async function refusalOf(response: IncomingMessage): Promise<SluiceError> {
  const status = response.statusCode ?? 0;
  const general = streamFailure(status, `the handshake was refused with HTTP ${status}`);
  return collect(response).then(
    (answer) => refusalIn(answer) ?? general,
    () => general,
  );
}

/** `status`: HTTP status of a refused handshake; 0 without one. */
export function streamFailure(status: number, message: string): SluiceError {
  const code = status === 401 ? 'AUTHENTICATION_ERROR' : 'NETWORK_ERROR';
  return new SluiceError({ status, code, message, requestId: null });
}
