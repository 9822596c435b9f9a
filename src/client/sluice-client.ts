import { NodeTransport } from './node-transport.js';
import { type IdsQuery, type MarketFilter, named, type Nameable, RestClient } from './rest-client.js';
import { RETRY_DEFAULT, type RetryPolicy } from './retry.js';
import { SessionRequests } from './session-requests.js';
import { SignedRequests, type SignedRequestsParts } from './signed-requests.js';
import { digestOf, newNonce, signedMessage, signerOf } from './signature.js';
import { contentOf } from './transport.js';
import { requestHeaders } from './web-signature.js';
import type {
  CancelAllAfter,
  FundingRate,
  MultiLegOrderRequest,
  OrderRef,
  OrderRequest,
  OrderSummary,
  ServerTime,
  ServiceHealth,
  TradeDetails,
  WindowCost,
} from './wire.js';

export interface SluiceClientOptions {
  /** Base address, for example http://127.0.0.1:8080. */
  readonly url: string;
  /** Without a key only ping, health and isReady work. */
  readonly apiKey?: string;
  /** The key's Base64 secret, or the PEM private key of an RSA key. */
  readonly apiSecret?: string;
  /** 1 to 60000; default 5000. */
  readonly recvWindowMs?: number;
  /** Time limit for an answer; default 15000, longer than the time limits of the service. */
  readonly timeoutMs?: number;
  /** Number of keep-alive connections; default 16. */
  readonly connections?: number;
  /** Limits for retries of signed requests; default 8 tries within 30 s. */
  readonly retry?: RetryPolicy;
  /** 2, the default, also covers method, path and a nonce. 1 covers the payload only. */
  readonly signVersion?: 1 | 2;
  /**
   * 'ws' sends orders, changes and cancels over one WebSocket that signs once, without waiting for earlier answers. It
   * falls back to REST while it cannot connect. Reads use REST. An open session keeps the process alive until close().
   * Default 'rest'.
   */
  readonly transport?: 'rest' | 'ws';
  /**
   * With transport 'ws': the service cancels the orders of this client when its session ends, also after close(), and
   * is not resumed within 2 s. The client resumes a lost session at once. Without a session creates are rejected
   * instead of sent over REST. Default false.
   */
  readonly cancelOnDisconnect?: boolean;
  /** Real time, epoch milliseconds. */
  readonly nowMs?: () => number;
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

const TRADING = '/api/v2/trading';
const DATA = '/api/v2/data';

/**
 * Typed client of the REST API, with one method for each operation. A method rejects with SluiceError when the service
 * refuses the request or does not answer. A rejected order is not an error: its summary has status REJECTED, error_code
 * and message.
 *
 * `retry` controls the retries. A create without client_order_id gets one, so that retries place one order only. When
 * the answer to a cancel is lost, the retry may return CANCEL_REJECTED because the first try has ended the order.
 */
export class SluiceClient extends RestClient {
  readonly #requests: SignedRequests;

  constructor(options: SluiceClientOptions) {
    const requests = requestsOf(options);
    super(requests);
    this.#requests = requests;
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

  /**
   * Places at most 500 orders and returns their summaries in the order of the requests. The client does not retry an
   * order that is REJECTED with SYSTEM_BUSY or EMS_INSTANCES_DOWN. Send it again with the client_order_id of its
   * summary.
   */
  createMany(orders: readonly OrderRequest[]): Promise<readonly OrderSummary[]> {
    return this.#createMany('createMany', orders);
  }

  /** Places at most 500 orders and returns their summaries in the order of the requests. */
  createManyMultiLegs(orders: readonly MultiLegOrderRequest[]): Promise<readonly OrderSummary[]> {
    return this.#createMany('createMany/multilegs', orders);
  }

  /** Cancels at most 500 orders and returns their summaries in the order of the requests. */
  cancelMany(orders: readonly OrderRef[]): Promise<readonly OrderSummary[]> {
    return this.#requests.post(`${TRADING}/order/cancelMany`, { orders });
  }

  /**
   * Cancels all open orders of the account unless called again within `timeoutMs`, 1 s to 24 h. 0 disables the timer.
   */
  cancelAllAfter(timeoutMs: number): Promise<CancelAllAfter> {
    return this.#requests.post(`${TRADING}/order/cancelAllAfter`, { timeout_ms: timeoutMs });
  }

  /** Execution cost of the orders of a time window, by group. */
  windowCost(query: WindowCostQuery = {}): Promise<WindowCost> {
    return this.#requests.get(`${TRADING}/tca`, { ...query });
  }

  async userTrades(query: TradesQuery): Promise<readonly TradeDetails[]> {
    return (await this.#requests.get<{ trades: TradeDetails[] }>(`${TRADING}/userTrades`, { ...query })).trades;
  }

  /** Funding rates of a future in the past month, newest first. */
  fundingRateHistory(exchange: string, symbol: string): Promise<readonly FundingRate[]> {
    return this.#requests.get(`${DATA}/fundingRateHistory`, { exchange, symbol });
  }

  /** Latest and next funding rates of futures. */
  lastFundingRates(filter: MarketFilter = {}): Promise<readonly FundingRate[]> {
    return this.#requests.get(`${DATA}/lastFundingRates`, { ...filter });
  }

  async #createMany<Order extends Nameable>(name: string, orders: readonly Order[]): Promise<readonly OrderSummary[]> {
    const batch = { orders: orders.map((order) => named(order, this.#requests.retry)) };
    return (await this.#requests.post<{ orders: OrderSummary[] }>(`${TRADING}/order/${name}`, batch)).orders;
  }
}

function requestsOf(options: SluiceClientOptions): SignedRequests {
  const { url, timeoutMs = 15_000, connections = 16, cancelOnDisconnect = false, retry = RETRY_DEFAULT } = options;
  if (cancelOnDisconnect && options.transport !== 'ws') throw new Error("cancelOnDisconnect needs transport 'ws'");
  const parts = { transport: new NodeTransport(url, { timeoutMs, connections }), sign: signingBy(options), retry };
  if (options.transport !== 'ws') return new SignedRequests(parts);
  return new SessionRequests(parts, { url, timeoutMs, cancelOnDisconnect });
}

/** Makes the headers of requests by the key, the version and the clock of the options. */
function signingBy(options: SluiceClientOptions): SignedRequestsParts['sign'] {
  const { apiKey = '', recvWindowMs = 5000, nowMs = Date.now } = options;
  const sign = signerOf(options.apiSecret ?? '');
  const signing = { sign, digestOf, newNonce };
  return async (request) => {
    const timestampMs = nowMs();
    if (options.signVersion !== 1) return requestHeaders({ ...request, timestampMs, apiKey, recvWindowMs }, signing);
    const payload = request.method === 'POST' ? request.body : (request.target.split('?', 2)[1] ?? '');
    return {
      'X-API-KEY': apiKey,
      'X-TIMESTAMP': String(timestampMs),
      'X-RECV-WINDOW': String(recvWindowMs),
      'X-SIGN': sign(signedMessage({ timestampMs, apiKey, recvWindowMs, payload })),
    };
  };
}
