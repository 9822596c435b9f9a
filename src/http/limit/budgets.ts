import type { ApiKeyId } from '../../model/ids.js';
import { BUDGET_KEYS_MAX } from '../../model/limits.js';
import { RateLimit, type BudgetAnswer } from './rate-limit.js';

/** Cancels have a budget of their own: placing orders must never starve them. */
export type BudgetName = 'orders' | 'cancels' | 'reads';

type KeyBudgets = { readonly [Name in BudgetName]: RateLimit | null };

/** The budgets of every API key. */
export class Budgets {
  readonly #orderRate: number;
  readonly #readRate: number;
  readonly #byKey = new Map<ApiKeyId, KeyBudgets>();
  #sweepAtKeys = BUDGET_KEYS_MAX;

  /** Requests a second for one key; 0 switches that budget off. Cancels get the rate of orders. */
  constructor(orderRate: number, readRate: number) {
    this.#orderRate = orderRate;
    this.#readRate = readRate;
  }

  /** Takes `count` from a key's budget; null when that budget is off. `nowMs` never steps back. */
  take(apiKey: ApiKeyId, name: BudgetName, count: number, nowMs: number): BudgetAnswer | null {
    const budgets = this.#byKey.get(apiKey) ?? this.#open(apiKey, nowMs);
    return budgets[name]?.take(count, nowMs) ?? null;
  }

  /** Takes `count` more for a request that was let in, whatever is left; null when that budget is off. */
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
    // While more keys than that are busy, looking again at each new one would cost more than it frees.
    this.#sweepAtKeys = Math.max(BUDGET_KEYS_MAX, 2 * this.#byKey.size);
  }
}

function limitOf(rate: number): RateLimit | null {
  return rate === 0 ? null : new RateLimit(rate);
}
