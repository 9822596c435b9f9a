import { WebSocket } from 'ws';
import type { SluiceError } from './sluice-error.js';
import { POLICY_VIOLATION, streamFailure } from './stream-socket.js';
import type { HttpAnswer } from './transport.js';

export const SESSION_PATH = '/api/v2/ws/trade';

/** The operations that place orders. */
export const CREATE_OPS: ReadonlySet<string> = new Set([
  'order.create',
  'order.createMany',
  'order.createMultiLegs',
  'order.createManyMultiLegs',
]);

/**
 * The operations that a client sends in a session, by their path. Reads stay with REST, which has no bound on an
 * answer.
 */
export const SESSION_OPS: ReadonlyMap<string, string> = new Map([
  ['/api/v2/trading/order/create', 'order.create'],
  ['/api/v2/trading/order/createMany', 'order.createMany'],
  ['/api/v2/trading/order/create_multiLegs', 'order.createMultiLegs'],
  ['/api/v2/trading/order/createMany/multilegs', 'order.createManyMultiLegs'],
  ['/api/v2/trading/order/cancel', 'order.cancel'],
  ['/api/v2/trading/order/cancelMany', 'order.cancelMany'],
  ['/api/v2/trading/order/cancelAll', 'order.cancelAll'],
  ['/api/v2/trading/order/pause', 'order.pause'],
  ['/api/v2/trading/order/resume', 'order.resume'],
  ['/api/v2/trading/order/amend', 'order.amend'],
  ['/api/v2/trading/order/preview', 'order.preview'],
  ['/api/v2/trading/order/cancelAllAfter', 'order.cancelAllAfter'],
  ['/api/v2/trading/killSwitch', 'killSwitch'],
]);

interface SessionAnswer {
  readonly id: string | null;
  readonly status: number;
  readonly data?: unknown;
  readonly error?: { readonly request_id?: string };
}

interface Waiter {
  resolve(answer: HttpAnswer): void;
  reject(error: SluiceError): void;
}

/** The args of an authentication. */
export type SessionCredentials = Readonly<Record<string, string | boolean | undefined>>;

interface OrderSessionParts {
  /** Base address of the service. */
  readonly url: string;
  readonly timeoutMs: number;
  /** Signed now. */
  readonly credentials: () => Promise<SessionCredentials>;
  /** True: the service cancels the orders of the session at its end. A lost connection is resumed at once. */
  readonly cancelOnDisconnect: boolean;
}

const HANDSHAKE_MS = 10_000;
/** Wait after a failed start, and after a close for too many frames. Requests use REST until then. */
const START_AGAIN_MS = 5_000;
/** The same for a session that must be resumed within seconds. */
const RESUME_AGAIN_MS = 250;
const OK = 200;
/** Bytes of the largest frame that the service takes, and of the largest one with a batch. */
export const FRAME_BYTES_MAX = 16 * 1024;
export const BATCH_FRAME_BYTES_MAX = 1024 * 1024;
const BATCHES: ReadonlySet<string> = new Set(['order.createMany', 'order.createManyMultiLegs', 'order.cancelMany']);

/** Order entry over one WebSocket. It connects at the first request, and again after a lost connection. */
export class OrderSession {
  readonly #parts: OrderSessionParts;
  readonly #waiters = new Map<string, Waiter>();
  #opening: Promise<WebSocket | null> | null = null;
  #startAgainAtMs = 0;
  #lastId = 0;
  #isClosed = false;
  /** The id of the session with cancelOnDisconnect, over its connections; null: none yet. */
  #sessionId: string | null = null;
  #resumeTimer: NodeJS.Timeout | undefined;

  constructor(parts: OrderSessionParts) {
    this.#parts = parts;
  }

  /**
   * Resolves with the answer; null: the request must go over REST, because there is no session or it is too large for
   * one. Rejects with SluiceError (status 0) on a timeout or a lost connection.
   */
  async ask(op: string, args: unknown): Promise<HttpAnswer | null> {
    const socket = await this.#connected();
    if (socket === null) return null;
    const bytesMax = BATCHES.has(op) ? BATCH_FRAME_BYTES_MAX : FRAME_BYTES_MAX;
    return this.#request(socket, op, args, bytesMax);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#resumeTimer);
    void this.#opening?.then((socket) => socket?.close());
  }

  #connected(): Promise<WebSocket | null> {
    if (this.#isClosed || performance.now() < this.#startAgainAtMs) return Promise.resolve(null);
    this.#opening ??= this.#open();
    return this.#opening;
  }

  async #open(): Promise<WebSocket | null> {
    const socket = new WebSocket(this.#parts.url.replace(/^http/, 'ws').replace(/\/$/, '') + SESSION_PATH, {
      handshakeTimeout: HANDSHAKE_MS,
      perMessageDeflate: false,
    });
    try {
      await opened(socket);
      socket.on('message', (data) => this.#onMessage(socket, (data as Buffer).toString('utf8')));
      socket.once('close', (code: number) => this.#onClosed(code));
      const answer = await this.#request(socket, 'auth', { ...(await this.#parts.credentials()), ...this.#wishes() });
      if (answer?.status === OK) {
        this.#sessionId = sessionIdIn(answer);
        return socket;
      }
    } catch {
      // A service without sessions, or one that is not reachable: REST reports what is wrong.
    }
    this.#startLater();
    this.#opening = null;
    socket.terminate();
    this.#resumeSoon();
    return null;
  }

  #startLater(): void {
    this.#startAgainAtMs = performance.now() + (this.#parts.cancelOnDisconnect ? RESUME_AGAIN_MS : START_AGAIN_MS);
  }

  #wishes(): SessionCredentials {
    if (!this.#parts.cancelOnDisconnect) return {};
    return { cancel_on_disconnect: true, ...(this.#sessionId !== null && { resume: this.#sessionId }) };
  }

  /** A session with open orders is resumed without a request. */
  #resumeSoon(): void {
    if (!this.#parts.cancelOnDisconnect || this.#sessionId === null || this.#isClosed) return;
    clearTimeout(this.#resumeTimer);
    const waitMs = Math.max(0, this.#startAgainAtMs - performance.now());
    this.#resumeTimer = setTimeout(() => void this.#connected(), waitMs);
  }

  /** null: the frame is larger than `bytesMax`, and nothing was sent. */
  #request(socket: WebSocket, op: string, args: unknown, bytesMax = FRAME_BYTES_MAX): Promise<HttpAnswer | null> {
    return new Promise((resolve, reject) => {
      if (socket.readyState !== WebSocket.OPEN) return reject(streamFailure(0, 'the session is not open'));
      this.#lastId += 1;
      const id = String(this.#lastId);
      const frame = Buffer.from(JSON.stringify({ id, op, args }));
      if (frame.byteLength > bytesMax) return resolve(null);
      // A session that does not answer is lost: the next request opens another one.
      const timer = setTimeout(() => socket.terminate(), this.#parts.timeoutMs);
      this.#waiters.set(id, {
        resolve: (answer) => {
          clearTimeout(timer);
          resolve(answer);
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      });
      socket.send(frame, { binary: false });
    });
  }

  #onMessage(socket: WebSocket, text: string): void {
    const message = JSON.parse(text) as SessionAnswer | { readonly topic: string };
    if ('topic' in message) {
      if (message.topic === 'ping') socket.send('{"topic":"pong"}');
      return;
    }
    const waiter = this.#waiters.get(message.id ?? '');
    this.#waiters.delete(message.id ?? '');
    const { status, data, error } = message;
    const requestId = error?.request_id ?? null;
    waiter?.resolve({ status, requestId, retryAfterMs: null, body: JSON.stringify(data ?? error) });
  }

  #onClosed(code: number): void {
    this.#opening = null;
    // A session that begins at once would end in the same way.
    if (code === POLICY_VIOLATION) this.#startLater();
    const waiters = [...this.#waiters.values()];
    this.#waiters.clear();
    for (const waiter of waiters) waiter.reject(streamFailure(0, 'the session ended before the answer'));
    this.#resumeSoon();
  }
}

function sessionIdIn({ body }: HttpAnswer): string | null {
  return (JSON.parse(body) as { readonly session?: string }).session ?? null;
}

function opened(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve());
    socket.on('error', reject);
  });
}
