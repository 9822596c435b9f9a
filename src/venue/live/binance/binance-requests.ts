import type { OrRejection, Rejection } from '../../../domain/rejection.js';
import type { DurationMs } from '../../../domain/time.js';
import type { RequestClass } from '../../../domain/venue-message.js';
import { type RateLimit, RateWindows } from '../../throttle/rate-windows.js';
import { type BinanceError, refusalOfError } from '../dialect/binance-errors.js';
import { ORDER_LIMIT, readRateLimits, statedCounts, WEIGHT_LIMIT } from '../dialect/binance-limits.js';
import type { Fields } from '../dialect/binance-orders.js';
import { beyondLimit, bodyOf, type Outcome } from '../exchange-requests.js';
import type { BinanceRest, BinanceCall } from './binance-rest.js';

/** The limits of one section: the weights of its address, which all accounts share, and the orders of each account. */
export class BinanceLimits {
  readonly weights: RateWindows;
  readonly exchangeMs: () => number;
  readonly #budgets = new Set<BinanceBudget>();
  #orderLimits: readonly RateLimit[];

  /** `exchangeMs`: time of the exchange. */
  constructor(
    first: { readonly weights: readonly RateLimit[]; readonly orders: readonly RateLimit[] },
    exchangeMs: () => number,
  ) {
    this.weights = new RateWindows(first.weights);
    this.exchangeMs = exchangeMs;
    this.#orderLimits = first.orders;
  }

  openBudget(): BinanceBudget {
    const budget = new BinanceBudget(this, new RateWindows(this.#orderLimits));
    this.#budgets.add(budget);
    return budget;
  }

  closeBudget(budget: BinanceBudget): void {
    this.#budgets.delete(budget);
  }

  /** Takes the limits of exchangeInfo. An answer without limits changes nothing. */
  setLimits(exchangeInfo: unknown): void {
    const limits = readRateLimits(exchangeInfo);
    const weights = limits.filter(({ type }) => type === WEIGHT_LIMIT);
    const orders = limits.filter(({ type }) => type === ORDER_LIMIT);
    if (weights.length > 0) this.weights.setLimits(weights);
    if (orders.length === 0) return;
    this.#orderLimits = orders;
    for (const budget of this.#budgets) budget.orders.setLimits(orders);
  }
}

const TOO_MANY_REQUESTS = 429;
const BANNED = 418;
/** Wait after a refusal for the rate that names no time. */
const STOP_MS = 10_000;

/**
 * The budget of one account: the weights of the address and the order counts of the account. A request beyond a limit
 * is not sent.
 */
export class BinanceBudget {
  readonly #limits: BinanceLimits;
  readonly orders: RateWindows;

  constructor(limits: BinanceLimits, orders: RateWindows) {
    this.#limits = limits;
    this.orders = orders;
  }

  /** null: the request may be sent now, and is counted. */
  take({ weight, isOrder = false }: BinanceCall, requestClass: RequestClass): Rejection | null {
    const nowMs = this.#limits.exchangeMs();
    const { weights } = this.#limits;
    const waitMs = Math.max(
      weights.waitMs(weight, requestClass, nowMs),
      isOrder ? this.orders.waitMs(1, requestClass, nowMs) : 0,
    );
    if (waitMs > 0) {
      const message = `BINANCE allows no further request for ${Math.ceil(waitMs)} ms; nothing was sent`;
      return { code: 'RATE_LIMIT_EXCEEDED', message, retryAfterMs: Math.ceil(waitMs) as DurationMs };
    }
    weights.open(weight, requestClass, nowMs);
    if (isOrder) this.orders.open(1, requestClass, nowMs);
    return null;
  }

  /** A request that was taken has its answer, has none in time, or was not sent. */
  answered({ weight, isOrder = false }: BinanceCall): void {
    this.#limits.weights.answered(weight);
    if (isOrder) this.orders.answered(1);
  }

  /** Milliseconds until the queue of the account sends a request of the class; 0: now. */
  turnMs({ weight, isOrder = false }: BinanceCall, requestClass: RequestClass): number {
    const nowMs = this.#limits.exchangeMs();
    const weightMs = this.#limits.weights.turnMs(weight, requestClass, nowMs);
    return isOrder ? Math.max(weightMs, this.orders.turnMs(1, requestClass, nowMs)) : weightMs;
  }

  /** Takes the counts that the answer to a request of `sentAtMs` states; `sentAtMs` is a time of the exchange. */
  stated(counts: Iterable<readonly [name: string, used: number]>, sentAtMs: number): void {
    const nowMs = this.#limits.exchangeMs();
    for (const [name, used] of counts) {
      (name.startsWith(ORDER_LIMIT) ? this.orders : this.#limits.weights).stated(name, used, nowMs, sentAtMs);
    }
  }

  /**
   * Stops when the exchange has refused a request for its rate. An order limit stops orders alone. A ban stops
   * everything: the exchange answers no request of a banned address. A warning stops everything but cancels, until one
   * of these gets it too.
   */
  refused({ status, code, retryAfterMs }: BinanceError, requestClass: RequestClass): void {
    const nowMs = this.#limits.exchangeMs();
    const waitMs = retryAfterMs ?? STOP_MS;
    const { weights } = this.#limits;
    if (code === TOO_MANY_ORDERS) return this.orders.stop(nowMs + waitMs);
    if (status !== TOO_MANY_REQUESTS && status !== BANNED) return;
    const stopMs = weights.stopAddress(waitMs, nowMs);
    if (status === BANNED || requestClass === 'CANCEL') weights.stop(nowMs + (retryAfterMs ?? stopMs));
  }
}

const TOO_MANY_ORDERS = -1015;

/** Requests of one account, or public ones, by REST. */
export class BinanceRequests {
  readonly #rest: Pick<BinanceRest, 'send'>;
  readonly #budget: BinanceBudget;

  constructor(rest: Pick<BinanceRest, 'send'>, budget: BinanceBudget) {
    this.#rest = rest;
    this.#budget = budget;
  }

  /**
   * Sends the request once. `check` is the last look at an order: it throws WrongRequest for fields that must not
   * leave.
   */
  async send(
    call: BinanceCall,
    fields: Fields,
    { requestClass, check }: { readonly requestClass: RequestClass; readonly check?: (sent: Fields) => void },
  ): Promise<Outcome> {
    const rejection = this.#budget.take(call, requestClass);
    if (rejection !== null) return beyondLimit(rejection);
    try {
      const outcome = await this.#rest.send(call, fields, {
        check,
        onHeaders: (headers, sentAtMs) => this.#budget.stated(statedCounts(headers), sentAtMs),
      });
      if (outcome.kind === 'error') this.#budget.refused(outcome.error, requestClass);
      return outcome;
    } finally {
      this.#budget.answered(call);
    }
  }

  /** The body of a read, or why there is none. */
  async read(call: BinanceCall, fields: Fields, requestClass: RequestClass = 'ROUTINE'): Promise<OrRejection<unknown>> {
    const outcome = await this.send(call, fields, { requestClass });
    return bodyOf(outcome, ['BINANCE', call.rest], refusalOfError);
  }
}
