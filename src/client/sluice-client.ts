import { queryString } from './query.js';
import type { QueryValue } from './query.js';
import { signedMessage, signerOf } from './signature.js';
import type { Signer } from './signature.js';
import { SluiceError } from './sluice-error.js';
import { Transport } from './transport.js';
import type { HttpAnswer } from './transport.js';
import type {
  Balance,
  FundingRate,
  Instrument,
  OrderDetails,
  OrderRef,
  OrderRequest,
  OrderSummary,
  Position,
  ServerTime,
  TradeDetails,
} from './wire.js';

export interface SluiceClientOptions {
  /** Base address, for example http://127.0.0.1:8080. */
  readonly url: string;
  /** Without a key only ping and isReady answer. */
  readonly apiKey?: string;
  /** The key's Base64 secret, or the PEM private key of an RSA key. */
  readonly apiSecret?: string;
  /** 1 to 60000; default 5000. */
  readonly recvWindowMs?: number;
  /** How long to wait for an answer; default 15000, more than the service itself takes to give up. */
  readonly timeoutMs?: number;
  /** Connections kept open at once; default 16. */
  readonly connections?: number;
  /** Real time, epoch milliseconds. */
  readonly nowMs?: () => number;
}

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

export interface FundingFilter {
  readonly exchange?: string | undefined;
  readonly symbol?: string | undefined;
}

const TRADING = '/api/v2/trading';
const DATA = '/api/v2/data';

/**
 * The REST API, typed. Every method rejects with SluiceError when the service refuses the request or does not answer.
 * An order that is refused on its own merits is no error: its summary carries status REJECTED, error_code and message.
 */
export class SluiceClient {
  readonly #transport: Transport;
  readonly #apiKey: string;
  readonly #sign: Signer;
  readonly #recvWindowMs: number;
  readonly #nowMs: () => number;

  constructor(options: SluiceClientOptions) {
    const { url, timeoutMs = 15_000, connections = 16 } = options;
    this.#transport = new Transport(url, { timeoutMs, connections });
    this.#apiKey = options.apiKey ?? '';
    this.#sign = signerOf(options.apiSecret ?? '');
    this.#recvWindowMs = options.recvWindowMs ?? 5000;
    this.#nowMs = options.nowMs ?? Date.now;
  }

  async ping(): Promise<ServerTime> {
    return accepted(await this.#transport.ask({ method: 'GET', target: '/status/ping', headers: {} })) as ServerTime;
  }

  /** False while the service recovers; rejects when it does not answer at all. */
  async isReady(): Promise<boolean> {
    const answer = await this.#transport.ask({ method: 'GET', target: '/status/ready', headers: {} });
    return answer.status === 200;
  }

  create(order: OrderRequest): Promise<OrderSummary> {
    return this.#post(`${TRADING}/order/create`, order);
  }

  /** At most 500 orders; the summaries come in the order of the requests. */
  async createMany(orders: readonly OrderRequest[]): Promise<readonly OrderSummary[]> {
    const list = await this.#post<{ orders: OrderSummary[] }>(`${TRADING}/order/createMany`, { orders });
    return list.orders;
  }

  cancel(order: OrderRef): Promise<OrderSummary> {
    return this.#post(`${TRADING}/order/cancel`, order);
  }

  cancelMany(orders: readonly OrderRef[]): Promise<readonly OrderSummary[]> {
    return this.#post(`${TRADING}/order/cancelMany`, { orders });
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

  async userTrades(query: IdsQuery & { readonly exchange: string }): Promise<readonly TradeDetails[]> {
    const { exchange, orderIds, clientOrderIds } = query;
    const target = { exchange, orderIds, clientOrderIds };
    return (await this.#get<{ trades: TradeDetails[] }>(`${TRADING}/userTrades`, target)).trades;
  }

  balance(exchange: string): Promise<readonly Balance[]> {
    return this.#get(`${TRADING}/balance`, { exchange });
  }

  /** The open positions at an exchange. */
  positions(exchange: string): Promise<readonly Position[]> {
    return this.#get(`${TRADING}/position`, { exchange });
  }

  /** A token for StreamClient, good for one hour. */
  listenKey(): Promise<string> {
    return this.#get(`${TRADING}/listenKey`, {});
  }

  instruments(filter: { exchange?: string; symbol?: string } = {}): Promise<readonly Instrument[]> {
    return this.#get(`${DATA}/instruments`, { ...filter });
  }

  /** What a future has paid in the past month, newest first. */
  fundingRateHistory(exchange: string, symbol: string): Promise<readonly FundingRate[]> {
    return this.#get(`${DATA}/fundingRateHistory`, { exchange, symbol });
  }

  /** What futures have paid last, and what comes next. */
  lastFundingRates(filter: FundingFilter = {}): Promise<readonly FundingRate[]> {
    return this.#get(`${DATA}/lastFundingRates`, { ...filter });
  }

  /** Closes the kept connections; requests under way fail. */
  close(): void {
    this.#transport.close();
  }

  async #orders(name: string, query: Record<string, QueryValue>): Promise<readonly OrderDetails[]> {
    return (await this.#get<{ orders: OrderDetails[] }>(`${TRADING}/order/${name}`, query)).orders;
  }

  async #get<Answer>(path: string, query: Record<string, QueryValue>): Promise<Answer> {
    const payload = queryString(query);
    const target = payload === '' ? path : `${path}?${payload}`;
    return accepted(await this.#transport.ask({ method: 'GET', target, headers: this.#headers(payload) })) as Answer;
  }

  async #post<Answer>(target: string, content: unknown): Promise<Answer> {
    const body = JSON.stringify(content);
    const headers = { ...this.#headers(body), 'Content-Type': 'application/json' };
    return accepted(await this.#transport.ask({ method: 'POST', target, headers, body })) as Answer;
  }

  #headers(payload: string): Record<string, string> {
    const timestampMs = this.#nowMs();
    const [apiKey, recvWindowMs] = [this.#apiKey, this.#recvWindowMs];
    return {
      'X-API-KEY': apiKey,
      'X-TIMESTAMP': String(timestampMs),
      'X-RECV-WINDOW': String(recvWindowMs),
      'X-SIGN': this.#sign(signedMessage({ timestampMs, apiKey, recvWindowMs, payload })),
    };
  }
}

function wanted(extras: Extras): Record<string, QueryValue> {
  return { include_trades: extras.includeTrades, include_fees: extras.includeFees };
}

/** The answer's content; throws SluiceError unless it is a success. */
function accepted(answer: HttpAnswer): unknown {
  const content = parsed(answer.body);
  if (answer.status >= 200 && answer.status < 300 && content !== undefined) return content;
  const refusal = (content ?? {}) as { error_code?: string; message?: string };
  throw new SluiceError({
    status: answer.status,
    code: refusal.error_code ?? 'OTHER',
    message: refusal.message ?? `the answer (HTTP ${answer.status}) is not the service's`,
    requestId: answer.requestId,
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
