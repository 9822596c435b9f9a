import type { AnswerSchemas } from './answer-schemas.js';
import type { Key } from './request-head.js';
import { SessionVisitor } from './session-visitor.js';
import { StreamVisitor } from './stream-visitor.js';
import type { Target } from './target.js';
import { WireConnection } from './wire-connection.js';

const OPEN_WAIT_MS = 120_000;
/** Longest idle time before a connection is replaced. The service closes idle connections after ten seconds. */
const IDLE_MS_MAX = 5_000;

interface ClientParts {
  readonly target: Target;
  readonly sessionKey: Key;
  readonly schemas: AnswerSchemas;
  /** Called with each order created in a session. */
  readonly onCreated: (status: number, data: unknown) => void;
}

/**
 * One client: a connection, a stream and a session of order entry, each opened when it is needed and reopened after it
 * has closed.
 */
export class ClientConnections {
  readonly #parts: ClientParts;
  readonly #target: Target;
  #connection: WireConnection | null = null;
  #stream: StreamVisitor | null = null;
  #session: SessionVisitor | null = null;

  constructor(parts: ClientParts) {
    this.#parts = parts;
    this.#target = parts.target;
  }

  async connection(): Promise<WireConnection> {
    if (this.#connection !== null && this.#connection.idleMs > IDLE_MS_MAX) this.#connection.close();
    if (this.#connection?.isOpen !== true) this.#connection = await WireConnection.open(this.#target.address);
    return this.#connection;
  }

  async stream(): Promise<StreamVisitor> {
    if (this.#stream?.isOpen === true) return this.#stream;
    const listenKey = (await this.#target.get('/api/v2/trading/listenKey')) as string;
    this.#stream = await StreamVisitor.open(this.#target.streamUrl(listenKey), this.#parts.schemas, OPEN_WAIT_MS);
    return this.#stream;
  }

  async session(): Promise<SessionVisitor> {
    if (this.#session?.isOpen !== true) this.#session = await SessionVisitor.start(this.#sessionParts());
    return this.#session;
  }

  /** A connection of order entry without authentication. The caller closes it. */
  freshSession(): Promise<SessionVisitor> {
    return SessionVisitor.open(this.#sessionParts());
  }

  #sessionParts(): Parameters<typeof SessionVisitor.open>[0] {
    const { target, sessionKey: key, schemas, onCreated } = this.#parts;
    return { address: target.address, key, schemas, waitMs: OPEN_WAIT_MS, onCreated };
  }

  close(): void {
    this.#connection?.close();
    this.#stream?.close();
    this.#session?.close();
  }
}
