import { queryString, type QueryValue } from '../client/query.js';
import { SluiceError } from '../client/sluice-error.js';
import { webRequestHeaders, type WebSigner } from '../client/web-signature.js';
import type {
  Balance,
  Exchange,
  Instrument,
  OrderDetails,
  OrderSummary,
  OrderTimeline,
  Position,
} from '../client/wire.js';
import type { OrderAction } from './order-action.js';

const RECV_WINDOW_MS = 5_000;
const TRADING = '/api/v2/trading';
const DATA = '/api/v2/data';
/** Entries of one page of a timeline: as many as the service gives. */
const TIMELINE_PAGE_ENTRIES = 1_000;

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface Question {
  readonly method: 'GET' | 'POST';
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface ServiceApiParts {
  readonly apiKey: string;
  readonly sign: WebSigner;
  /** Real time of the service's clock, so that a wrong clock here refuses nothing. */
  readonly realNowMs: () => number;
  /** Rejects when no answer comes. */
  readonly ask: (question: Question) => Promise<Answer>;
}

/** What the page asks of the service, signed with one key. Every method rejects with SluiceError. */
export class ServiceApi {
  readonly #parts: ServiceApiParts;

  constructor(parts: ServiceApiParts) {
    this.#parts = parts;
  }

  async open(): Promise<readonly OrderDetails[]> {
    return (await this.#get<OrderList>(`${TRADING}/order/open`)).orders;
  }

  /** The newest of the past three days. */
  async recent(limit: number): Promise<readonly OrderDetails[]> {
    return (await this.#get<OrderList>(`${TRADING}/order/find`, { limit })).orders;
  }

  async byIds(orderIds: readonly number[], withFees = false): Promise<readonly OrderDetails[]> {
    const query = { orderIds, include_fees: withFees ? true : undefined };
    return (await this.#get<OrderList>(`${TRADING}/order/byId`, query)).orders;
  }

  timeline(orderId: number, after: number, limit = TIMELINE_PAGE_ENTRIES): Promise<OrderTimeline> {
    return this.#get(`${TRADING}/order/timeline`, { orderId, after, limit });
  }

  /** What comes of it is in the summary: the service may refuse by saying why there. */
  act(action: OrderAction, orderId: number): Promise<OrderSummary> {
    return this.#ask('POST', `${TRADING}/order/${action}`, JSON.stringify({ order_id: orderId }));
  }

  /** The orders that will be cancelled. */
  async cancelAll(): Promise<readonly OrderDetails[]> {
    return (await this.#get<OrderList>(`${TRADING}/order/cancelAll`)).orders;
  }

  balances(exchange: string): Promise<readonly Balance[]> {
    return this.#get(`${TRADING}/balance`, { exchange });
  }

  positions(exchange: string): Promise<readonly Position[]> {
    return this.#get(`${TRADING}/position`, { exchange });
  }

  exchanges(): Promise<readonly Exchange[]> {
    return this.#get(`${DATA}/exchanges`);
  }

  instruments(exchange: string, symbol: string): Promise<readonly Instrument[]> {
    return this.#get(`${DATA}/instruments`, { exchange, symbol });
  }

  listenKey(): Promise<string> {
    return this.#get(`${TRADING}/listenKey`);
  }

  #get<Content>(path: string, query: Readonly<Record<string, QueryValue>> = {}): Promise<Content> {
    return this.#ask('GET', path, queryString(query));
  }

  async #ask<Content>(method: 'GET' | 'POST', path: string, payload: string): Promise<Content> {
    const { apiKey, sign, realNowMs, ask } = this.#parts;
    const isPost = method === 'POST';
    const target = isPost || payload === '' ? path : `${path}?${payload}`;
    const body = isPost ? payload : '';
    const key = { timestampMs: realNowMs(), apiKey, recvWindowMs: RECV_WINDOW_MS, sign };
    const headers = await webRequestHeaders({ method, target, body, ...key });
    if (!isPost) return contentOf(await ask({ method, target, headers }));
    const jsonHeaders = { ...headers, 'Content-Type': 'application/json' };
    return contentOf(await ask({ method, target, headers: jsonHeaders, body }));
  }
}

interface OrderList {
  readonly orders: readonly OrderDetails[];
}

/** The content of a success; throws SluiceError otherwise. */
export function contentOf<Content>({ status, text }: Answer): Content {
  const content = parsed(text);
  if (status >= 200 && status < 300 && content !== undefined) return content as Content;
  const refusal = (content ?? {}) as { error_code?: string; message?: string; request_id?: string };
  throw new SluiceError({
    status,
    code: refusal.error_code ?? 'OTHER',
    message: refusal.message ?? `the answer (HTTP ${status}) is not the service's`,
    requestId: refusal.request_id ?? null,
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
