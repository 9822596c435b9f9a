import { ApiError, TOO_MANY_VISITS } from './api-error.js';
import type { Category } from './instruments.js';

const SECOND_MS = 1_000;
const ADDRESS_WINDOW_MS = 5_000;
const FORBIDDEN = 403;

/** How far one account has used the limit of one endpoint. */
export interface LimitUse {
  readonly limit: number;
  readonly rest: number;
  readonly resetAtMs: number;
}

/**
 * Requests of an account to one endpoint within the last second, and of an address within the last 5 s. A test may
 * lower the limits.
 */
export class RequestLimits {
  /** Changes of orders in a second. */
  readonly orders: Record<Category, number> = { spot: 20, linear: 10 };
  /** Requests to any other signed endpoint in a second. */
  others = 50;
  perAddress = 600;
  readonly #times = new Map<string, number[]>();

  /** Counts a request of an address. Throws 10018 above the limit. */
  countAddress(address: string, nowMs: number): void {
    const used = this.#count(`@${address}`, ADDRESS_WINDOW_MS, nowMs).length;
    if (used > this.perAddress) throw new ApiError(10018, 'Exceeded the IP Rate Limit.', { status: FORBIDDEN });
  }

  /** Counts a request. Throws 10006 above the limit. `category` is that of a change of an order. */
  count(request: { account: number; endpoint: string; category: Category | null }, nowMs: number): void {
    const { account, endpoint, category } = request;
    const used = this.#count(`${account}|${endpoint}|${category}`, SECOND_MS, nowMs);
    if (used.length <= this.#limitOf(category)) return;
    used.pop();
    throw TOO_MANY_VISITS();
  }

  useOf(
    { account, endpoint, category }: { account: number; endpoint: string; category: Category | null },
    nowMs: number,
  ): LimitUse {
    const used = (this.#times.get(`${account}|${endpoint}|${category}`) ?? []).filter((ms) => ms > nowMs - SECOND_MS);
    const limit = this.#limitOf(category);
    const rest = Math.max(0, limit - used.length);
    return { limit, rest, resetAtMs: rest === 0 ? (used[0] ?? nowMs) + SECOND_MS : nowMs };
  }

  #limitOf(category: Category | null): number {
    return category === null ? this.others : this.orders[category];
  }

  #count(name: string, windowMs: number, nowMs: number): number[] {
    const times = (this.#times.get(name) ?? []).filter((ms) => ms > nowMs - windowMs);
    times.push(nowMs);
    this.#times.set(name, times);
    return times;
  }
}

/** The three headers about the use of a limit. */
export function limitHeaders({ limit, rest, resetAtMs }: LimitUse): Record<string, string> {
  return {
    'X-Bapi-Limit': String(limit),
    'X-Bapi-Limit-Status': String(rest),
    'X-Bapi-Limit-Reset-Timestamp': String(resetAtMs),
  };
}
