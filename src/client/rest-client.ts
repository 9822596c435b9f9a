import type { RetryPolicy } from './retry.js';
import type { SignedRequests } from './signed-requests.js';
import type {
  Balance,
  Exchange,
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
  RiskLimitsInForce,
} from './wire.js';

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

/** Selects instruments. An empty filter selects all. */
export interface MarketFilter {
  readonly exchange?: string | undefined;
  readonly symbol?: string | undefined;
}

const TRADING = '/api/v2/trading';
const DATA = '/api/v2/data';

/** The operations on single orders and on the account, for Node and for browsers. SluiceClient has the others. */
export class RestClient {
  readonly #requests: SignedRequests;

  constructor(requests: SignedRequests) {
    this.#requests = requests;
  }

  create(order: OrderRequest): Promise<OrderSummary> {
    return this.#onOrder('create', named(order, this.#requests.retry));
  }

  createMultiLegs(order: MultiLegOrderRequest): Promise<OrderSummary> {
    return this.#onOrder('create_multiLegs', named(order, this.#requests.retry));
  }

  cancel(order: OrderRef): Promise<OrderSummary> {
    return this.#onOrder('cancel', order);
  }

  /**
   * pause, resume and amend return the order's state after the change. A refused change leaves the order unchanged and
   * the summary has the reason. They reject for an unknown order.
   */
  pause(order: OrderRef): Promise<OrderSummary> {
    return this.#onOrder('pause', order);
  }

  resume(order: OrderRef): Promise<OrderSummary> {
    return this.#onOrder('resume', order);
  }

  amend(amendment: OrderAmendment): Promise<OrderSummary> {
    return this.#onOrder('amend', amendment);
  }

  /** Checks an order and estimates its cost without placing it. Also resolves for an order that would be rejected. */
  preview(order: OrderRequest): Promise<OrderPreview> {
    return this.#onOrder('preview', order);
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

  /** Closes all connections. Pending requests fail. */
  close(): void {
    this.#requests.close();
  }

  #onOrder<Answer>(operation: string, content: object): Promise<Answer> {
    return this.#requests.post(`${TRADING}/order/${operation}`, content);
  }

  async #orders(name: string, query: Record<string, QueryValue>): Promise<readonly OrderDetails[]> {
    return (await this.#requests.get<{ orders: OrderDetails[] }>(`${TRADING}/order/${name}`, query)).orders;
  }
}

export interface Nameable {
  readonly client_order_id?: string | undefined;
  /** The other spelling of the service. */
  readonly clientOrderId?: unknown;
}

/** Adds a client_order_id when the request may be retried. */
export function named<Order extends Nameable>(order: Order, { triesMax }: RetryPolicy): Order {
  const isNamed = order.client_order_id !== undefined || order.clientOrderId !== undefined;
  return isNamed || triesMax <= 1 ? order : { ...order, client_order_id: crypto.randomUUID() };
}

function wanted(extras: Extras): Record<string, QueryValue> {
  return {
    include_trades: extras.includeTrades,
    include_fees: extras.includeFees,
    include_params: extras.includeParams,
  };
}
