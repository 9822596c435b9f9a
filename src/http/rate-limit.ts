import type { ApiKeyId } from '../domain/ids.js';
import { BUDGET_KEYS_MAX, BURST_SECONDS } from '../domain/limits/clients.js';
import { TokenBucket } from '../domain/token-bucket.js';

/** State of a budget after one request, for the RateLimit headers. */
export interface BudgetAnswer {
  readonly isWithin: boolean;
  /** Header lines with the rate and the burst, each preceded by a line break. They never change. */
  readonly limitHeaders: string;
  /** Requests that would be accepted now. */
  readonly remaining: number;
  /** Whole seconds until the budget is full again. */
  readonly resetS: number;
  /** Whole seconds, at least 1, after which the refused request would be accepted; 0 for an accepted one. */
  readonly retryAfterS: number;
}

/** A token bucket whose answers carry the figures of the RateLimit headers. */
export class RateLimit {
  readonly #bucket: TokenBucket;
  readonly #limitHeaders: string;

  /** `rate`: requests per second, above 0. A full budget holds BURST_SECONDS of it. */
  constructor(rate: number) {
    this.#bucket = new TokenBucket(1000 / rate, 1000 * BURST_SECONDS);
    const policy = `${rate};w=1;burst=${rate * BURST_SECONDS}`;
    this.#limitHeaders = `\r\nRateLimit-Limit: ${rate}\r\nRateLimit-Policy: ${policy}`;
  }

  /**
   * Takes `count` requests (at least 1) at `nowMs`, which never steps back. Takes none when they do not fit.
   * A count above a full budget needs a full budget and leaves a debt.
   */
  take(count: number, nowMs: number): BudgetAnswer {
    const owedMs = this.#bucket.owed(nowMs);
    const missingMs = this.#bucket.missing(count, nowMs);
    const isWithin = this.#bucket.take(count, nowMs);
    return this.#answer(isWithin, isWithin ? owedMs + count * this.#bucket.tokenTime : owedMs, missingMs);
  }

  /** Takes `count` requests in any case. A debt delays later requests. */
  charge(count: number, nowMs: number): BudgetAnswer {
    const owedMs = this.#bucket.owed(nowMs) + count * this.#bucket.tokenTime;
    this.#bucket.charge(count, nowMs);
    return this.#answer(true, owedMs, 0);
  }

  /** True when the budget is full, so it can be dropped. */
  isIdle(nowMs: number): boolean {
    return this.#bucket.owed(nowMs) === 0;
  }

  #answer(isWithin: boolean, owedMs: number, missingMs: number): BudgetAnswer {
    const { capacity, tokenTime } = this.#bucket;
    return {
      isWithin,
      limitHeaders: this.#limitHeaders,
      remaining: Math.max(0, Math.floor((capacity - owedMs + ROUNDING_MS) / tokenTime)),
      resetS: Math.ceil(owedMs / 1000),
      retryAfterS: isWithin ? 0 : Math.max(1, Math.ceil(missingMs / 1000)),
    };
  }
}

/** Sums of 1/rate are not exact in binary; `remaining` is not lowered for that. */
const ROUNDING_MS = 1e-6;

/** Cancels have their own budget, so that orders never use it up. */
export type BudgetName = 'orders' | 'cancels' | 'reads';

type KeyBudgets = { readonly [Name in BudgetName]: RateLimit | null };

/** The budgets of every API key. */
export class Budgets {
  readonly #orderRate: number;
  readonly #readRate: number;
  readonly #byKey = new Map<ApiKeyId, KeyBudgets>();
  #sweepAtKeys = BUDGET_KEYS_MAX;

  /** Requests per second of one key; 0: that budget is off. Cancels get the rate of orders. */
  constructor(orderRate: number, readRate: number) {
    this.#orderRate = orderRate;
    this.#readRate = readRate;
  }

  /** Takes `count` from a key's budget; null when that budget is off. `nowMs` never steps back. */
  take(apiKey: ApiKeyId, name: BudgetName, count: number, nowMs: number): BudgetAnswer | null {
    const budgets = this.#byKey.get(apiKey) ?? this.#open(apiKey, nowMs);
    return budgets[name]?.take(count, nowMs) ?? null;
  }

  /** Takes `count` more for an accepted request, also when the budget is used up; null when that budget is off. */
  charge(apiKey: ApiKeyId, name: BudgetName, count: number, nowMs: number): BudgetAnswer | null {
    const budgets = this.#byKey.get(apiKey) ?? this.#open(apiKey, nowMs);
    return budgets[name]?.charge(count, nowMs) ?? null;
  }

  #open(apiKey: ApiKeyId, nowMs: number): KeyBudgets {
    if (this.#byKey.size >= this.#sweepAtKeys) this.#forgetIdle(nowMs);
    const budgets: KeyBudgets = {
      orders: limitOf(this.#orderRate),
      cancels: limitOf(this.#orderRate),
      reads: limitOf(this.#readRate),
    };
    this.#byKey.set(apiKey, budgets);
    return budgets;
  }

  #forgetIdle(nowMs: number): void {
    for (const [apiKey, { orders, cancels, reads }] of this.#byKey) {
      const isIdle = [orders, cancels, reads].every((limit) => limit === null || limit.isIdle(nowMs));
      if (isIdle) this.#byKey.delete(apiKey);
    }
    // With more busy keys than that, a sweep at each new key would cost more than it frees.
    this.#sweepAtKeys = Math.max(BUDGET_KEYS_MAX, 2 * this.#byKey.size);
  }
}

function limitOf(rate: number): RateLimit | null {
  return rate === 0 ? null : new RateLimit(rate);
}

/** Header lines with the state of the client's budget, each preceded by a line break. */
export function budgetHeaders({ limitHeaders, remaining, resetS }: BudgetAnswer): string {
  return `${limitHeaders}\r\nRateLimit-Remaining: ${remaining}\r\nRateLimit-Reset: ${resetS}`;
}

/** The Retry-After header line of a refusal. */
export function retryAfterHeader({ retryAfterS }: BudgetAnswer): string {
  return `\r\nRetry-After: ${retryAfterS}`;
}
