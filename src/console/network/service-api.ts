import { SluiceError } from '../../client/sluice-error.js';
import { webRequestHeaders, type WebSigner } from '../../client/web-signature.js';
import { queryString, type QueryValue } from '../../client/wire.js';
import type * as wire from '../../client/wire.js';
import type { OrderAction } from '../order/order-facts.js';
import type { CreationWindow, OrderPage } from '../order/order-search.js';

const RECV_WINDOW_MS = 5_000;
const ACCOUNT = '/api/v2/account';
const TRADING = '/api/v2/trading';
const DATA = '/api/v2/data';
/** The largest page of a timeline. */
const TIMELINE_PAGE_ENTRIES = 1_000;
const FORBIDDEN = 403;

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST';
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface ServiceApiParts {
  readonly apiKey: string;
  readonly sign: WebSigner;
  /** Real time of the server, so that a wrong clock on this machine does not matter. */
  readonly realNowMs: () => number;
  /** Rejects without an answer. */
  readonly ask: (request: ApiRequest) => Promise<Answer>;
}

/** The requests of the page, signed with one key. Every method rejects with SluiceError. */
export class ServiceApi {
  readonly #parts: ServiceApiParts;

  constructor(parts: ServiceApiParts) {
    this.#parts = parts;
  }

  async open(): Promise<readonly wire.OrderDetails[]> {
    return (await this.openPage()).orders;
  }

  openPage(): Promise<OrderPage> {
    return this.#orders('open', {});
  }

  /** The newest orders of an interval within the past three days. */
  find({ fromMs, toMs }: CreationWindow, limit: number): Promise<OrderPage> {
    return this.#orders('find', { startMs: fromMs ?? undefined, endMs: toMs ?? undefined, limit });
  }

  /** `isFull`: with fees and params. */
  async byIds(orderIds: readonly number[], isFull = false): Promise<readonly wire.OrderDetails[]> {
    const query = { orderIds, ...(isFull ? { include_fees: true, include_params: true } : {}) };
    return (await this.#get<OrderList>(`${TRADING}/order/byId`, query)).orders;
  }

  timeline(orderId: number, after: number, limit = TIMELINE_PAGE_ENTRIES): Promise<wire.OrderTimeline> {
    return this.#get(`${TRADING}/order/timeline`, { orderId, after, limit });
  }

  cost(orderId: number): Promise<wire.OrderCost> {
    return this.#get(`${TRADING}/order/tca`, { orderId });
  }

  preview(order: object): Promise<wire.OrderPreview> {
    return this.#post(`${TRADING}/order/preview`, order);
  }

  /** Of one leg, or of several. A refused order resolves too: its summary has the status REJECTED. */
  create(order: object): Promise<wire.OrderSummary> {
    return this.#post(`${TRADING}/order/${'legs' in order ? 'create_multiLegs' : 'create'}`, order);
  }

  /** A refused action resolves too: its summary has an error code. */
  act(action: OrderAction, orderId: number): Promise<wire.OrderSummary> {
    return this.#post(`${TRADING}/order/${action}`, { order_id: orderId });
  }

  /** A refused amendment resolves too: its summary has an error code. */
  amend(orderId: number, terms: object): Promise<wire.OrderSummary> {
    return this.#post(`${TRADING}/order/amend`, { order_id: orderId, ...terms });
  }

  /** Resolves with the orders that will be cancelled. */
  async cancelAll(): Promise<readonly wire.OrderDetails[]> {
    return (await this.#get<OrderList>(`${TRADING}/order/cancelAll`)).orders;
  }

  /** Halts trading of the account. A key cannot undo it. */
  engageKillSwitch(): Promise<wire.KillSwitch> {
    return this.#post(`${TRADING}/killSwitch`, { engaged: true });
  }

  async killSwitch(): Promise<wire.KillSwitch> {
    return (await this.#get<wire.RiskLimitsInForce>(`${ACCOUNT}/guardrails`)).kill_switch;
  }

  /**
   * True when the key may trade: the service checks the permission before it looks for the order, which does not exist.
   */
  async mayTrade(): Promise<boolean> {
    try {
      await this.#post(`${TRADING}/order/cancel`, { client_order_id: `permission-check-${crypto.randomUUID()}` });
    } catch (error) {
      if (error instanceof SluiceError && error.status === FORBIDDEN) return false;
      throw error;
    }
    return true;
  }

  positions(exchange: string): Promise<readonly wire.Position[]> {
    return this.#get(`${TRADING}/position`, { exchange });
  }

  balances(exchange: string): Promise<readonly wire.Balance[]> {
    return this.#get(`${TRADING}/balance`, { exchange });
  }

  exchanges(): Promise<readonly wire.Exchange[]> {
    return this.#get(`${DATA}/exchanges`);
  }

  /** Of one exchange; of one symbol when it is given. */
  instruments(exchange: string, symbol?: string): Promise<readonly wire.Instrument[]> {
    return this.#get(`${DATA}/instruments`, { exchange, symbol });
  }

  listenKey(): Promise<string> {
    return this.#get(`${TRADING}/listenKey`);
  }

  async #orders(name: string, query: Readonly<Record<string, QueryValue>>): Promise<OrderPage> {
    const answer = await this.#answer('GET', targetOf(`${TRADING}/order/${name}`, query), '');
    return { orders: contentOf<OrderList>(answer).orders, text: answer.text };
  }

  #get<Content>(path: string, query: Readonly<Record<string, QueryValue>> = {}): Promise<Content> {
    return this.#ask('GET', targetOf(path, query), '');
  }

  #post<Content>(path: string, content: object): Promise<Content> {
    return this.#ask('POST', path, JSON.stringify(content));
  }

  async #ask<Content>(method: 'GET' | 'POST', target: string, body: string): Promise<Content> {
    return contentOf(await this.#answer(method, target, body));
  }

  async #answer(method: 'GET' | 'POST', target: string, body: string): Promise<Answer> {
    const { apiKey, sign, realNowMs, ask } = this.#parts;
    const key = { timestampMs: realNowMs(), apiKey, recvWindowMs: RECV_WINDOW_MS, sign };
    const headers = await webRequestHeaders({ method, target, body, ...key });
    if (method === 'GET') return ask({ method, target, headers });
    const jsonHeaders = { ...headers, 'Content-Type': 'application/json' };
    return ask({ method, target, headers: jsonHeaders, body });
  }
}

interface OrderList {
  readonly orders: readonly wire.OrderDetails[];
}

function targetOf(path: string, query: Readonly<Record<string, QueryValue>>): string {
  const payload = queryString(query);
  return payload === '' ? path : `${path}?${payload}`;
}

/** The content of a success; throws SluiceError otherwise. */
export function contentOf<Content>({ status, text }: Answer): Content {
  const content = parsed(text);
  if (status >= 200 && status < 300 && content !== undefined) return content as Content;
  const refusal = (content ?? {}) as Partial<Record<'error_code' | 'message' | 'reason' | 'request_id', string>>;
  throw new SluiceError({
    status,
    code: refusal.error_code ?? 'OTHER',
    message: refusal.message ?? `the answer (HTTP ${status}) does not come from the service`,
    reason: refusal.reason,
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
