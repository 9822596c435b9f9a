import type { ApiKey } from './signature.js';
import { signatureOf } from './signature.js';
import type { Details, DetailsList, Refusal, Summary } from './answers.js';
import { eventually } from '../../system/eventually.js';

const TRADING = '/api/v2/trading';

export interface Answer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** A loaded machine may delay a request for seconds. */
const WIDEST = '60000';

/** Differences from a correct request. */
export interface Deviation {
  /** Headers that replace or add; undefined removes a header. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly timestamp?: string;
  /** null: the header is not sent, and the signed text holds the default. */
  readonly recvWindow?: string | null;
  /** The signed text, when it differs from the sent one. */
  readonly signedPayload?: string;
}

/** A client written from the contract: raw HTTP, signed by the contract's rules. */
export class Trader {
  readonly url: string;
  readonly key: ApiKey;
  #stampedMs = 0;

  constructor(port: number, key: ApiKey) {
    this.url = `http://127.0.0.1:${port}`;
    this.key = key;
  }

  /** Sends a GET. `query` is sent unchanged, without `?`. */
  get<Body = Refusal>(path: string, query = '', deviation: Deviation = {}): Promise<Answer<Body>> {
    return this.#send(path + (query === '' ? '' : `?${query}`), { method: 'GET' }, query, deviation);
  }

  /** Sends a POST: a text unchanged, another value as JSON. */
  post<Body = Refusal>(path: string, content: unknown, deviation: Deviation = {}): Promise<Answer<Body>> {
    const body = typeof content === 'string' ? content : JSON.stringify(content);
    return this.#send(path, { method: 'POST', body }, body, deviation);
  }

  async create(order: object): Promise<Summary> {
    return (await this.post<Summary>(`${TRADING}/order/create`, order)).body;
  }

  /** Places an order that must be accepted. Returns its id. */
  async place(order: object): Promise<number> {
    const summary = await this.create(order);
    if (summary.order_id === undefined) throw new Error(`the order was not placed: ${JSON.stringify(summary)}`);
    return summary.order_id;
  }

  async cancel(name: object): Promise<Summary> {
    return (await this.post<Summary>(`${TRADING}/order/cancel`, name)).body;
  }

  /** The orders in the answer of `open`, `find`, `byId` or `cancelAll`. */
  async list(which: string, query = ''): Promise<readonly Details[]> {
    const { status, body } = await this.get<DetailsList & Refusal>(`${TRADING}/order/${which}`, query);
    if (status !== 200) throw new Error(`${which}?${query}: ${status} ${JSON.stringify(body)}`);
    return body.orders;
  }

  async details(orderId: number, extras = ''): Promise<Details> {
    const [order] = await this.list('byId', `${extras}orderIds=${orderId}`);
    if (order === undefined) throw new Error(`order ${orderId} is unknown`);
    return order;
  }

  /** Resolves with the order's details when it has one of these statuses. */
  reaches(orderId: number, ...statuses: readonly string[]): Promise<Details> {
    return eventually(
      () => this.details(orderId),
      ({ status }) => statuses.includes(status),
    );
  }

  /** A second request in one millisecond gets the next millisecond as time stamp, so that their signatures differ. */
  #nextTimestamp(): string {
    this.#stampedMs = Math.max(Date.now(), this.#stampedMs + 1);
    return String(this.#stampedMs);
  }

  async #send<Body>(
    target: string,
    init: RequestInit,
    payload: string,
    { headers = {}, timestamp = this.#nextTimestamp(), recvWindow = WIDEST, signedPayload = payload }: Deviation,
  ): Promise<Answer<Body>> {
    const sent = {
      'Content-Type': init.method === 'POST' ? 'application/json' : undefined,
      'X-API-KEY': this.key.api_key,
      'X-TIMESTAMP': timestamp,
      'X-RECV-WINDOW': recvWindow ?? undefined,
      'X-SIGN': signatureOf(this.key, { timestamp, recvWindow: recvWindow ?? '5000', payload: signedPayload }),
      ...headers,
    };
    const given = Object.entries(sent).filter((header): header is [string, string] => header[1] !== undefined);
    const response = await fetch(this.url + target, { ...init, headers: given });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parsed(text) as Body };
  }
}

/** Parses a body as JSON; another body stays text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
