import { randomUUID } from 'node:crypto';
import type { QueryValue } from './query.js';
import { contentOf, SignedRequests } from './signed-requests.js';
import type { SluiceClientOptions } from './signed-requests.js';
import type {
  Balance,
  CancelAllAfter,
  Exchange,
  FundingRate,
  GuardrailsInForce,
  Instrument,
  KillSwitch,
  MultiLegOrderRequest,
  OrderAmendment,
  OrderCost,
  OrderDetails,
  OrderPreview,
  OrderRef,
  OrderRequest,
  OrderSummary,
  OrderTimeline,
  Position,
  ServerTime,
  ServiceHealth,
  TradeDetails,
  WindowCost,
} from './wire.js';

export interface Extras {
  readonly includeTrades?: boolean | undefined;
  readonly includeFees?: boolean | undefined;
}

export interface FindQuery extends Extras {
  /** Epoch milliseconds, service time. */
  readonly startMs?: number | undefined;
  readonly endMs?: number | undefined;
  /** 1 to 1000; default 100. */
  readonly limit?: number | undefined;
}

export interface IdsQuery {
  readonly orderIds?: readonly number[] | undefined;
  readonly clientOrderIds?: readonly string[] | undefined;
}

/** Names the order by one of its ids. */
export interface TimelineQuery {
  readonly orderId?: number | undefined;
  readonly clientOrderId?: string | undefined;
  /** Entries after that seq: `next_after` of the page before. */
  readonly after?: number | undefined;
  /** 1 to 1000; default 100. */
  readonly limit?: number | undefined;
}

/** Names the order by one of its ids. */
export interface OrderCostQuery {
  readonly orderId?: number | undefined;
  readonly clientOrderId?: string | undefined;
}

/** Orders by the time of their creation, at most three days back, newest first and at most 500. */
export interface WindowCostQuery {
  /** Epoch milliseconds; default a day before `to`. */
  readonly from?: number | undefined;
  /** Epoch milliseconds; default now. */
  readonly to?: number | undefined;
  /** What groups are told apart by; default strategy. */
  readonly by?: readonly ('strategy' | 'symbol' | 'exchange' | 'side')[] | undefined;
  readonly exchange?: string | undefined;
  readonly symbol?: string | undefined;
  readonly strategy?: string | undefined;
}

export interface TradesQuery extends IdsQuery {
  readonly exchange: string;
  readonly subaccount?: string | undefined;
}

/** Which instruments; without a filter all of them. */
export interface MarketFilter {
  readonly exchange?: string | undefined;
  readonly symbol?: string | undefined;
}

const TRADING = '/api/v2/trading';
const DATA = '/api/v2/data';

/**
 * The REST API, typed: a method for every operation. Every method rejects with SluiceError when the service refuses the
 * request or does not answer. An order that is refused on its own merits is no error: its summary carries status
 * REJECTED, error_code and message.
 *
 * Requests are tried again as `retry` says. A create gets a client_order_id when it has none, so that no try places it
 * twice. A cancel that is tried again after its answer was lost may find the order over: CANCEL_REJECTED.
 */
export class SluiceClient {
  readonly #requests: SignedRequests;

  constructor(options: SluiceClientOptions) {
    this.#requests = new SignedRequests(options);
  }

  async ping(): Promise<ServerTime> {
    return contentOf(await this.#requests.probe('/status/ping'));
  }

  async health(): Promise<ServiceHealth> {
    return contentOf(await this.#requests.probe('/status/health'));
  }

  /** False while the service recovers; rejects when it does not answer at all. */
  async isReady(): Promise<boolean> {
    return (await this.#requests.probe('/status/ready')).status === 200;
  }

  create(order: OrderRequest): Promise<OrderSummary> {
    return this.#requests.post(`${TRADING}/order/create`, this.#named(order));
  }

  /**
   * At most 500 orders; the summaries come in the order of the requests. A member that is REJECTED with SYSTEM_BUSY or
   * EMS_INSTANCES_DOWN is not sent again by itself: send it again under the client_order_id of its summary.
   */
  createMany(orders: readonly OrderRequest[]): Promise<readonly OrderSummary[]> {
    return this.#createMany('createMany', orders);
  }

  createMultiLegs(order: MultiLegOrderRequest): Promise<OrderSummary> {
    return this.#requests.post(`${TRADING}/order/create_multiLegs`, this.#named(order));
  }

  /** At most 500 orders; the summaries come in the order of the requests. */
  createManyMultiLegs(orders: readonly MultiLegOrderRequest[]): Promise<readonly OrderSummary[]> {
    return this.#createMany('createMany/multilegs', orders);
  }

  cancel(order: OrderRef): Promise<OrderSummary> {
    return this.#requests.post(`${TRADING}/order/cancel`, order);
  }

  /** At most 500 orders; the summaries come in the order of the requests. */
  cancelMany(orders: readonly OrderRef[]): Promise<readonly OrderSummary[]> {
    return this.#requests.post(`${TRADING}/order/cancelMany`, { orders });
  }

  /**
   * These three resolve with where the order stands then. What cannot be done leaves it as it is, and the summary says
   * why; they reject when there is no such order.
   */
  pause(order: OrderRef): Promise<OrderSummary> {
    return this.#requests.post(`${TRADING}/order/pause`, order);
  }

  resume(order: OrderRef): Promise<OrderSummary> {
    return this.#requests.post(`${TRADING}/order/resume`, order);
  }

  amend(amendment: OrderAmendment): Promise<OrderSummary> {
    return this.#requests.post(`${TRADING}/order/amend`, amendment);
  }

  /** Cancels every open order of the account unless it is called again within so many ms, 1 s to 24 h; 0: off. */
  cancelAllAfter(timeoutMs: number): Promise<CancelAllAfter> {
    return this.#requests.post(`${TRADING}/order/cancelAllAfter`, { timeout_ms: timeoutMs });
  }

  /** What would come of an order if it were created now; nothing is placed. Resolves for an order that would be refused too. */
  preview(order: OrderRequest): Promise<OrderPreview> {
    return this.#requests.post(`${TRADING}/order/preview`, order);
  }

  /** What orders of the account and of this key are held to, and how much of it is used. */
  guardrails(): Promise<GuardrailsInForce> {
    return this.#requests.get('/api/v2/account/guardrails');
  }

  /** Cancels every open order of the account and refuses new ones until the operator releases the switch. */
  engageKillSwitch(): Promise<KillSwitch> {
    return this.#requests.post(`${TRADING}/killSwitch`, { engaged: true });
  }

  /** A page of everything that has happened to an order, oldest first. */
  timeline(query: TimelineQuery): Promise<OrderTimeline> {
    return this.#requests.get(`${TRADING}/order/timeline`, { ...query });
  }

  /** What an order cost so far, or has cost. */
  orderCost(query: OrderCostQuery): Promise<OrderCost> {
    return this.#requests.get(`${TRADING}/order/tca`, { ...query });
  }

  /** What the orders of a window cost together. */
  windowCost(query: WindowCostQuery = {}): Promise<WindowCost> {
    return this.#requests.get(`${TRADING}/tca`, { ...query });
  }

  /** Resolves with the orders that will be cancelled. */
  cancelAll(): Promise<readonly OrderDetails[]> {
    return this.#orders('cancelAll', {});
  }

  open(extras: Extras = {}): Promise<readonly OrderDetails[]> {
    return this.#orders('open', wanted(extras));
  }

  /** Newest first, at most three days back. */
  find(query: FindQuery = {}): Promise<readonly OrderDetails[]> {
    const { startMs, endMs, limit } = query;
    return this.#orders('find', { startMs, endMs, limit, ...wanted(query) });
  }

  byId(query: IdsQuery & Extras): Promise<readonly OrderDetails[]> {
    const { orderIds, clientOrderIds } = query;
    return this.#orders('byId', { orderIds, clientOrderIds, ...wanted(query) });
  }

  async userTrades(query: TradesQuery): Promise<readonly TradeDetails[]> {
    return (await this.#requests.get<{ trades: TradeDetails[] }>(`${TRADING}/userTrades`, { ...query })).trades;
  }

  /** What is above 0. */
  balances(exchange: string, subaccount?: string): Promise<readonly Balance[]> {
    return this.#requests.get(`${TRADING}/balance`, { exchange, subaccount });
  }

  /** The open positions at an exchange. */
  positions(exchange: string, subaccount?: string): Promise<readonly Position[]> {
    return this.#requests.get(`${TRADING}/position`, { exchange, subaccount });
  }

  /** A token for StreamClient, good for one hour. */
  listenKey(): Promise<string> {
    return this.#requests.get(`${TRADING}/listenKey`);
  }

  /** Those that take orders; with `all` also those that only list instruments. */
  exchanges(filter: { readonly all?: boolean | undefined } = {}): Promise<readonly Exchange[]> {
    return this.#requests.get(`${DATA}/exchanges`, { ...filter });
  }

  instruments(filter: MarketFilter = {}): Promise<readonly Instrument[]> {
    return this.#requests.get(`${DATA}/instruments`, { ...filter });
  }

  /** What a future has paid in the past month, newest first. */
  fundingRateHistory(exchange: string, symbol: string): Promise<readonly FundingRate[]> {
    return this.#requests.get(`${DATA}/fundingRateHistory`, { exchange, symbol });
  }

  /** What futures have paid last, and what comes next. */
  lastFundingRates(filter: MarketFilter = {}): Promise<readonly FundingRate[]> {
    return this.#requests.get(`${DATA}/lastFundingRates`, { ...filter });
  }

  /** Closes the kept connections; requests under way fail. */
  close(): void {
    this.#requests.close();
  }

  async #orders(name: string, query: Record<string, QueryValue>): Promise<readonly OrderDetails[]> {
    return (await this.#requests.get<{ orders: OrderDetails[] }>(`${TRADING}/order/${name}`, query)).orders;
  }

  async #createMany<Order extends Nameable>(name: string, orders: readonly Order[]): Promise<readonly OrderSummary[]> {
    const named = { orders: orders.map((order) => this.#named(order)) };
    return (await this.#requests.post<{ orders: OrderSummary[] }>(`${TRADING}/order/${name}`, named)).orders;
  }

  /** Only what may be sent twice needs a name. */
  #named<Order extends Nameable>(order: Order): Order {
    if (order.client_order_id !== undefined || this.#requests.retry.triesMax <= 1) return order;
    return { ...order, client_order_id: randomUUID() };
  }
}

interface Nameable {
  readonly client_order_id?: string | undefined;
}

function wanted(extras: Extras): Record<string, QueryValue> {
  return { include_trades: extras.includeTrades, include_fees: extras.includeFees };
}
