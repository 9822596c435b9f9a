import type { AnswerSchemas } from './answer-schemas.js';
import { StreamVisitor } from './stream-visitor.js';
import type { Target } from './target.js';
import { WireConnection } from './wire-connection.js';

const OPEN_WAIT_MS = 120_000;
/** Longest idle time before a connection is replaced. The service closes idle connections after ten seconds. */
const IDLE_MS_MAX = 5_000;

/** One client: a connection and a stream, each opened when it is needed and reopened after it has closed. */
export class ClientConnections {
  readonly #target: Target;
  readonly #schemas: AnswerSchemas;
  #connection: WireConnection | null = null;
  #stream: StreamVisitor | null = null;

  constructor(target: Target, schemas: AnswerSchemas) {
    this.#target = target;
    this.#schemas = schemas;
  }

  async connection(): Promise<WireConnection> {
    if (this.#connection !== null && this.#connection.idleMs > IDLE_MS_MAX) this.#connection.close();
    if (this.#connection?.isOpen !== true) this.#connection = await WireConnection.open(this.#target.address);
    return this.#connection;
  }

  async stream(): Promise<StreamVisitor> {
    if (this.#stream?.isOpen === true) return this.#stream;
    const listenKey = (await this.#target.get('/api/v2/trading/listenKey')) as string;
    this.#stream = await StreamVisitor.open(this.#target.streamUrl(listenKey), this.#schemas, OPEN_WAIT_MS);
    return this.#stream;
  }

  close(): void {
    this.#connection?.close();
    this.#stream?.close();
  }
}
