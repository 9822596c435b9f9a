import { randomUUID } from 'node:crypto';
import type {
  Balance,
  CancelAllAfter,
  Exchange,
  FundingRate,
  RiskLimitsInForce,
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
  QueryValue,
  ServerTime,
  ServiceHealth,
  TradeDetails,
  WindowCost,
} from './wire.js';
import { contentOf, SignedRequests } from './signed-requests.js';
import type { SluiceClientOptions } from './signed-requests.js';

export interface Extras {
  readonly includeTrades?: boolean | undefined;
  readonly includeFees?: boolean | undefined;
  /** Clip and params of the request. */
  readonly includeParams?: boolean | undefined;
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

/** Identifies the order by one of its ids. */
export interface TimelineQuery {
  readonly orderId?: number | undefined;
  readonly clientOrderId?: string | undefined;
  /** Returns the entries after this seq: `next_after` of the previous page. */
  readonly after?: number | undefined;
  /** 1 to 1000; default 100. */
  readonly limit?: number | undefined;
}

/** Identifies the order by one of its ids. */
export interface OrderCostQuery {
  readonly orderId?: number | undefined;
  readonly clientOrderId?: string | undefined;
}

/** Selects orders by creation time, newest first. Limits: three days, 500 orders. */
export interface WindowCostQuery {
  /** Epoch milliseconds; default one day before `to`. */
  readonly from?: number | undefined;
  /** Epoch milliseconds; default now. */
  readonly to?: number | undefined;
  /** Grouping keys; default strategy. */
  readonly by?: readonly ('strategy' | 'symbol' | 'exchange' | 'side')[] | undefined;
  readonly exchange?: string | undefined;
  readonly symbol?: string | undefined;
  readonly strategy?: string | undefined;
}

export interface TradesQuery extends IdsQuery {
  readonly exchange: string;
  readonly subaccount?: string | undefined;
}

/** Selects instruments. An empty filter selects all. */
export interface MarketFilter {
  readonly exchange?: string | undefined;
  readonly symbol?: string | undefined;
}

const TRADING = '/api/v2/trading';
const DATA = '/api/v2/data';

/**
 * Typed client of the REST API, with one method for each operation. A method rejects with SluiceError when the service
 * refuses the request or does not answer. A rejected order is not an error: its summary has status REJECTED, error_code
 * and message.
 *
 * `retry` controls the retries. A create without client_order_id gets one, so that retries place one order only. When the
 * answer to a cancel is lost, the retry may return CANCEL_REJECTED because the first try has ended the order.
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

  /** False while the service recovers. Rejects without an answer. */
  async isReady(): Promise<boolean> {
    return (await this.#requests.probe('/status/ready')).status === 200;
  }

  create(order: OrderRequest): Promise<OrderSummary> {
    return this.#requests.post(`${TRADING}/order/create`, this.#named(order));
  }

  /**
   * Places at most 500 orders and returns their summaries in the order of the requests. The client does not retry an
   * order that is REJECTED with SYSTEM_BUSY or EMS_INSTANCES_DOWN. Send it again with the client_order_id of its summary.
   */
  createMany(orders: readonly OrderRequest[]): Promise<readonly OrderSummary[]> {
    return this.#createMany('createMany', orders);
  }

  createMultiLegs(order: MultiLegOrderRequest): Promise<OrderSummary> {
    return this.#requests.post(`${TRADING}/order/create_multiLegs`, this.#named(order));
  }

  /** Places at most 500 orders and returns their summaries in the order of the requests. */
  createManyMultiLegs(orders: readonly MultiLegOrderRequest[]): Promise<readonly OrderSummary[]> {
    return this.#createMany('createMany/multilegs', orders);
  }

  cancel(order: OrderRef): Promise<OrderSummary> {
    return this.#requests.post(`${TRADING}/order/cancel`, order);
  }

  /** Cancels at most 500 orders and returns their summaries in the order of the requests. */
  cancelMany(orders: readonly OrderRef[]): Promise<readonly OrderSummary[]> {
    return this.#requests.post(`${TRADING}/order/cancelMany`, { orders });
  }

  /**
   * pause, resume and amend return the order's state after the change. A refused change leaves the order unchanged and
   * the summary has the reason. They reject for an unknown order.
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

  /** Cancels all open orders of the account unless called again within `timeoutMs`, 1 s to 24 h. 0 disables the timer. */
  cancelAllAfter(timeoutMs: number): Promise<CancelAllAfter> {
    return this.#requests.post(`${TRADING}/order/cancelAllAfter`, { timeout_ms: timeoutMs });
  }

  /** Checks an order and estimates its cost without placing it. Also resolves for an order that would be rejected. */
  preview(order: OrderRequest): Promise<OrderPreview> {
    return this.#requests.post(`${TRADING}/order/preview`, order);
  }

  /** Risk limits of the account and of this key, and their present use. */
  riskLimits(): Promise<RiskLimitsInForce> {
    return this.#requests.get('/api/v2/account/guardrails');
  }

  /** Cancels all open orders of the account and refuses new ones until the operator releases the switch. */
  engageKillSwitch(): Promise<KillSwitch> {
    return this.#requests.post(`${TRADING}/killSwitch`, { engaged: true });
  }

  /** A page of the events of an order, oldest first. */
  timeline(query: TimelineQuery): Promise<OrderTimeline> {
    return this.#requests.get(`${TRADING}/order/timeline`, { ...query });
  }

  /** Execution cost of an order, final or so far. */
  orderCost(query: OrderCostQuery): Promise<OrderCost> {
    return this.#requests.get(`${TRADING}/order/tca`, { ...query });
  }

  /** Execution cost of the orders of a time window, by group. */
  windowCost(query: WindowCostQuery = {}): Promise<WindowCost> {
    return this.#requests.get(`${TRADING}/tca`, { ...query });
  }

  /** Cancels all open orders of the account and returns them. */
  cancelAll(): Promise<readonly OrderDetails[]> {
    return this.#orders('cancelAll', {});
  }

  open(extras: Extras = {}): Promise<readonly OrderDetails[]> {
    return this.#orders('open', wanted(extras));
  }

  /** Orders of the last three days, newest first. */
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

  /** Balances above zero. */
  balances(exchange: string, subaccount?: string): Promise<readonly Balance[]> {
    return this.#requests.get(`${TRADING}/balance`, { exchange, subaccount });
  }

  /** Open positions at an exchange. */
  positions(exchange: string, subaccount?: string): Promise<readonly Position[]> {
    return this.#requests.get(`${TRADING}/position`, { exchange, subaccount });
  }

  /** Token for StreamClient. It expires after one hour. */
  listenKey(): Promise<string> {
    return this.#requests.get(`${TRADING}/listenKey`);
  }

  /** Exchanges that accept orders. `all` adds exchanges that only list instruments. */
  exchanges(filter: { readonly all?: boolean | undefined } = {}): Promise<readonly Exchange[]> {
    return this.#requests.get(`${DATA}/exchanges`, { ...filter });
  }

  instruments(filter: MarketFilter = {}): Promise<readonly Instrument[]> {
    return this.#requests.get(`${DATA}/instruments`, { ...filter });
  }

  /** Funding rates of a future in the past month, newest first. */
  fundingRateHistory(exchange: string, symbol: string): Promise<readonly FundingRate[]> {
    return this.#requests.get(`${DATA}/fundingRateHistory`, { exchange, symbol });
  }

  /** Latest and next funding rates of futures. */
  lastFundingRates(filter: MarketFilter = {}): Promise<readonly FundingRate[]> {
    return this.#requests.get(`${DATA}/lastFundingRates`, { ...filter });
  }

  /** Closes all connections. Pending requests fail. */
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

  /** Adds a client_order_id when the request may be retried. */
  #named<Order extends Nameable>(order: Order): Order {
    const isNamed = order.client_order_id !== undefined || order.clientOrderId !== undefined;
    if (isNamed || this.#requests.retry.triesMax <= 1) return order;
    return { ...order, client_order_id: randomUUID() };
  }
}

interface Nameable {
  readonly client_order_id?: string | undefined;
  /** The other spelling of the service. */
  readonly clientOrderId?: unknown;
}

function wanted(extras: Extras): Record<string, QueryValue> {
  return {
    include_trades: extras.includeTrades,
    include_fees: extras.includeFees,
    include_params: extras.includeParams,
  };
}
