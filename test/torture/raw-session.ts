import { once } from 'node:events';
import WebSocket from 'ws';
import { digestOf, newNonce, requestText, signerOf } from '../../src/client/signature.js';
import type { KeyOf } from './account-session.js';

const PATH = '/api/v2/ws/trade';
const RECV_WINDOW_MS = 5_000;

/** An answer of a session. */
export interface SessionAnswer {
  readonly id: string | null;
  readonly status: number;
  readonly data?: unknown;
  readonly error?: unknown;
}

/** The data of a started session. */
export interface Started {
  readonly session: string;
  readonly resumed: boolean;
}

interface Site {
  readonly port: number;
  readonly key: KeyOf;
  /** The wall clock that signs. */
  readonly nowMs: () => number;
}

/** One connection of order entry, below the client library, which never drops a connection by itself. */
export class RawSession {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<string, (answer: SessionAnswer | null) => void>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('error', () => undefined);
    socket.on('message', (data: Buffer) => this.#onMessage(data.toString()));
    socket.on('close', () => {
      for (const settle of this.#waiting.values()) settle(null);
      this.#waiting.clear();
    });
  }

  /** `wishes`: more args of `auth`. null: the service did not answer, or it refused the session. */
  static async start(site: Site, wishes: object): Promise<{ session: RawSession; started: Started } | null> {
    const socket = new WebSocket(`ws://127.0.0.1:${site.port}${PATH}`);
    const session = new RawSession(socket);
    try {
      await once(socket, 'open');
    } catch {
      return null;
    }
    const answer = await session.ask('auth', { ...credentials(site), ...wishes });
    if (answer?.status === 200) return { session, started: answer.data as Started };
    session.drop();
    return null;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /** null: the connection ended before the answer. */
  ask(op: string, args: unknown): Promise<SessionAnswer | null> {
    if (!this.isOpen) return Promise.resolve(null);
    this.#lastId += 1;
    const id = String(this.#lastId);
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#socket.send(JSON.stringify({ id, op, args }));
    });
  }

  /** Ends the connection without a close frame. */
  drop(): void {
    this.#socket.terminate();
  }

  #onMessage(text: string): void {
    const answer = JSON.parse(text) as SessionAnswer & { readonly topic?: string };
    if (answer.topic === 'ping') this.#socket.send('{"topic":"pong"}');
    const settle = this.#waiting.get(answer.id ?? '');
    this.#waiting.delete(answer.id ?? '');
    settle?.(answer);
  }
}

function credentials({ key, nowMs }: Site): Record<string, unknown> {
  const [timestampMs, nonce] = [nowMs(), newNonce()];
  const { apiKey, apiSecret } = key;
  const line = { method: 'POST', path: PATH, query: '', timestampMs, apiKey, recvWindowMs: RECV_WINDOW_MS } as const;
  const sign = signerOf(apiSecret)(requestText({ ...line, nonce, bodyDigest: digestOf('') }));
  return { api_key: apiKey, timestamp: timestampMs, recv_window: RECV_WINDOW_MS, sign_version: '2', nonce, sign };
}
