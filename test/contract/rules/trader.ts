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

/** What a test may send otherwise than a well-behaved client. */
export interface Deviation {
  /** Instead of the headers of a signed request, or added to them; undefined leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly timestamp?: string;
  readonly recvWindow?: string;
  /** Instead of what is sent: what was signed. */
  readonly signedPayload?: string;
}

/** A client that knows the contract only: raw HTTP, signed by the contract's rules. */
export class Trader {
  readonly url: string;
  readonly key: ApiKey;
  #stampedMs = 0;

  constructor(port: number, key: ApiKey) {
    this.url = `http://127.0.0.1:${port}`;
    this.key = key;
  }

  /** `query` is sent as it stands, without `?`. */
  get<Body = Refusal>(path: string, query = '', deviation: Deviation = {}): Promise<Answer<Body>> {
    return this.#send(path + (query === '' ? '' : `?${query}`), { method: 'GET' }, query, deviation);
  }

  /** A text is sent as it stands, anything else as JSON. */
  post<Body = Refusal>(path: string, content: unknown, deviation: Deviation = {}): Promise<Answer<Body>> {
    const body = typeof content === 'string' ? content : JSON.stringify(content);
    return this.#send(path, { method: 'POST', body }, body, deviation);
  }

  async create(order: object): Promise<Summary> {
    return (await this.post<Summary>(`${TRADING}/order/create`, order)).body;
  }

  /** The id of an order that must be taken. */
  async place(order: object): Promise<number> {
    const summary = await this.create(order);
    if (summary.order_id === undefined) throw new Error(`not placed: ${JSON.stringify(summary)}`);
    return summary.order_id;
  }

  async cancel(name: object): Promise<Summary> {
    return (await this.post<Summary>(`${TRADING}/order/cancel`, name)).body;
  }

  /** The list that `open`, `find`, `byId` or `cancelAll` answers. */
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

  /** The order's details once it is in one of these states. */
  reaches(orderId: number, ...statuses: readonly string[]): Promise<Details> {
    return eventually(
      () => this.details(orderId),
      ({ status }) => statuses.includes(status),
    );
  }

  /** Of two requests in one millisecond the second is stamped with the next one: their signatures differ. */
  #nextTimestamp(): string {
    this.#stampedMs = Math.max(Date.now(), this.#stampedMs + 1);
    return String(this.#stampedMs);
  }

  async #send<Body>(
    target: string,
    init: RequestInit,
    payload: string,
    { headers = {}, timestamp = this.#nextTimestamp(), recvWindow, signedPayload = payload }: Deviation,
  ): Promise<Answer<Body>> {
    const sent = {
      'Content-Type': init.method === 'POST' ? 'application/json' : undefined,
      'X-API-KEY': this.key.api_key,
      'X-TIMESTAMP': timestamp,
      'X-RECV-WINDOW': recvWindow,
      'X-SIGN': signatureOf(this.key, { timestamp, recvWindow: recvWindow ?? '5000', payload: signedPayload }),
      ...headers,
    };
    const given = Object.entries(sent).filter((header): header is [string, string] => header[1] !== undefined);
    const response = await fetch(this.url + target, { ...init, headers: given });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parsed(text) as Body };
  }
}

/** A body that is no JSON stays text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
