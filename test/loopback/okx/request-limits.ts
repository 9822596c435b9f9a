import { OkxError } from './api-error.js';

/** At most `limit` requests in `perMs`, counted for each address, account, or account and instrument. */
export interface RequestLimit {
  readonly limit: number;
  readonly perMs: number;
  readonly by: 'ADDRESS' | 'ACCOUNT' | 'INSTRUMENT';
}

/** New and amended orders of one account in two seconds, over all instruments. */
const ORDERS_MAX = 1_000;
const ORDERS_PER_MS = 2_000;

/** Counts requests in intervals of the clock. */
export class RequestLimits {
  readonly #counts = new Map<string, { interval: number; count: number }>();

  /** Throws when the request is above the limit of its endpoint. */
  count(name: string, limit: RequestLimit, owner: string, nowMs: number): void {
    if (this.#add(`${name}|${owner}`, limit.perMs, nowMs) > limit.limit) throw new OkxError('50011');
  }

  countOrder(account: number, nowMs: number): void {
    if (this.#add(`orders|${account}`, ORDERS_PER_MS, nowMs) > ORDERS_MAX) throw new OkxError('50061');
  }

  pardon(): void {
    this.#counts.clear();
  }

  #add(key: string, perMs: number, nowMs: number): number {
    const interval = Math.floor(nowMs / perMs);
    const last = this.#counts.get(key);
    const count = (last?.interval === interval ? last.count : 0) + 1;
    this.#counts.set(key, { interval, count });
    return count;
  }
}
