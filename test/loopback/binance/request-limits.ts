import { ApiError, tooManyRequests } from './api-error.js';

/** One limit of `rateLimits` in exchangeInfo. */
export interface RateLimit {
  readonly rateLimitType: 'REQUEST_WEIGHT' | 'ORDERS' | 'RAW_REQUESTS';
  readonly interval: 'SECOND' | 'MINUTE' | 'DAY';
  readonly intervalNum: number;
  readonly limit: number;
}

const INTERVAL_MS = { SECOND: 1_000, MINUTE: 60_000, DAY: 86_400_000 } as const;
const INTERVAL_LETTER = { SECOND: 'S', MINUTE: 'M', DAY: 'D' } as const;
/** A client that goes on for this many requests above the limit is banned. */
const WARNINGS_MAX = 20;
const BAN_SECONDS = 120;

/**
 * Counts the weight of the requests of each address and the new orders of each account, in intervals of the clock. A
 * client above its weight receives 429, and 418 when it does not stop.
 */
export class RequestLimits {
  readonly limits: readonly RateLimit[];
  /** Requests that were refused for their rate. */
  refusals = 0;
  readonly #counts = new Map<string, { interval: number; count: number }>();
  readonly #warnings = new Map<string, number>();
  readonly #bannedUntilMs = new Map<string, number>();

  constructor(limits: readonly RateLimit[]) {
    this.limits = limits;
  }

  /** Counts a request. Throws when the address is banned or above its weight. */
  weigh(address: string, weight: number, nowMs: number): void {
    const bannedUntilMs = this.#bannedUntilMs.get(address) ?? 0;
    if (bannedUntilMs > nowMs) {
      this.refusals += 1;
      throw tooManyRequests({ status: 418, retryAfterSeconds: Math.ceil((bannedUntilMs - nowMs) / 1000) });
    }
    const [limit] = this.#of('REQUEST_WEIGHT');
    if (limit === undefined || this.#count(limit, { owner: address, by: weight, nowMs }) <= limit.limit) return;
    this.refusals += 1;
    const warnings = (this.#warnings.get(address) ?? 0) + 1;
    this.#warnings.set(address, warnings);
    const isBanned = warnings > WARNINGS_MAX;
    if (isBanned) this.ban(address, nowMs + BAN_SECONDS * 1000);
    const lengthMs = INTERVAL_MS[limit.interval] * limit.intervalNum;
    const restSeconds = Math.ceil((lengthMs - (nowMs % lengthMs)) / 1000);
    throw tooManyRequests({
      status: isBanned ? 418 : 429,
      retryAfterSeconds: isBanned ? BAN_SECONDS : restSeconds,
      ...(!isBanned && {
        text: `Too much request weight used; current limit is ${limit.limit} request weight per ${limit.intervalNum} ${limit.interval}. Please use WebSocket Streams for live updates to avoid polling the API.`,
      }),
    });
  }

  ban(address: string, untilMs: number): void {
    this.#bannedUntilMs.set(address, untilMs);
  }

  pardon(): void {
    this.#bannedUntilMs.clear();
    this.#warnings.clear();
    this.#counts.clear();
  }

  /** Counts a new order. Throws -1015 above one of the order limits. */
  countOrder(account: number, nowMs: number): void {
    const counted = this.#of('ORDERS').map((limit) => {
      return { limit, count: this.#count(limit, { owner: `#${account}`, by: 1, nowMs }) };
    });
    const over = counted.find(({ limit, count }) => count > limit.limit);
    if (over === undefined) return;
    this.refusals += 1;
    const { limit, intervalNum, interval } = over.limit;
    throw new ApiError(-1015, `Too many new orders; current limit is ${limit} orders per ${intervalNum} ${interval}.`, {
      status: 429,
      retryAfterSeconds: intervalNum,
    });
  }

  /** Headers of an HTTP answer; those of orders only for an account. */
  headers(address: string, account: number | null, nowMs: number): Record<string, string> {
    const headers: Record<string, string> = {};
    for (const limit of this.limits) {
      const { rateLimitType, interval, intervalNum } = limit;
      const suffix = `${intervalNum}${INTERVAL_LETTER[interval]}`.toLowerCase();
      if (rateLimitType === 'REQUEST_WEIGHT') {
        const used = String(this.#count(limit, { owner: address, by: 0, nowMs }));
        headers['x-mbx-used-weight'] = used;
        headers[`x-mbx-used-weight-${suffix}`] = used;
      } else if (rateLimitType === 'ORDERS' && account !== null) {
        headers[`x-mbx-order-count-${suffix}`] = String(this.#count(limit, { owner: `#${account}`, by: 0, nowMs }));
      }
    }
    return headers;
  }

  /** The member `rateLimits` of a socket answer. */
  standings(address: string, account: number | null, nowMs: number): readonly (RateLimit & { count: number })[] {
    const shown = this.limits.filter(({ rateLimitType }) => {
      return rateLimitType === 'REQUEST_WEIGHT' || (rateLimitType === 'ORDERS' && account !== null);
    });
    return shown.map((limit) => {
      const owner = limit.rateLimitType === 'ORDERS' ? `#${account}` : address;
      return { ...limit, count: this.#count(limit, { owner, by: 0, nowMs }) };
    });
  }

  #of(type: RateLimit['rateLimitType']): readonly RateLimit[] {
    return this.limits.filter(({ rateLimitType }) => rateLimitType === type);
  }

  #count(limit: RateLimit, { owner, by, nowMs }: { owner: string; by: number; nowMs: number }): number {
    const key = `${limit.rateLimitType}|${limit.intervalNum}${limit.interval}|${owner}`;
    const interval = Math.floor(nowMs / (INTERVAL_MS[limit.interval] * limit.intervalNum));
    const last = this.#counts.get(key);
    const count = (last?.interval === interval ? last.count : 0) + by;
    this.#counts.set(key, { interval, count });
    return count;
  }
}
