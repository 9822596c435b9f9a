import type { AccountId, ClientOrderId, OrderId } from '../model/ids.js';
import { IDEMPOTENCY_WAITERS_MAX, UNRESOLVED_CREATES_MAX } from '../model/limits.js';
import type { OrderSummary } from './present/order-summary.js';

/** Names an account's client order id. */
export type CreateKey = string & { readonly __createKey: never };

/** A client order id holds no line break, so two pairs never share a key. */
export function createKey(account: AccountId, clientOrderId: ClientOrderId): CreateKey {
  return `${account}\n${clientOrderId}` as CreateKey;
}

export type SummaryAnswer = (summary: OrderSummary) => void;

interface Claim {
  readonly digest: string;
  readonly waiters: SummaryAnswer[];
}

export type JoinResult =
  /** Nobody is asking for this id. */
  | 'free'
  /** The answer comes when the first one has its own. */
  | 'joined'
  /** The id is being used for a different order. */
  | 'conflict'
  /** Too many wait already. */
  | 'full';

/**
 * Creates with a client_order_id whose order is not durable yet. A second request for the same order waits for the
 * first one's answer, so that a storm of repetitions places one order.
 */
export class CreatesInFlight {
  readonly #claims = new Map<CreateKey, Claim>();
  readonly #unresolved = new Map<CreateKey, OrderId>();
  /** Ids of settled creates that what was last read of the store may not show. */
  readonly #settled = new Set<CreateKey>();

  join(key: CreateKey, digest: string, answer: SummaryAnswer): JoinResult {
    const claim = this.#claims.get(key);
    if (claim === undefined) return 'free';
    if (claim.digest !== digest) return 'conflict';
    if (claim.waiters.length >= IDEMPOTENCY_WAITERS_MAX) return 'full';
    claim.waiters.push(answer);
    return 'joined';
  }

  /** The caller is the first: it places the order, and settles whatever comes of it. */
  claim(key: CreateKey, digest: string): void {
    this.#claims.set(key, { digest, waiters: [] });
  }

  /** The first one has its answer: gives it to all that wait, and the id is free or stored from here on. */
  settle(key: CreateKey, summary: OrderSummary): void {
    const claim = this.#claims.get(key);
    this.#claims.delete(key);
    this.#settled.add(key);
    for (const answer of claim?.waiters ?? []) answer(summary);
  }

  /** The create was sent and its answer never came: until the order shows up, the id must not place a second one. */
  leaveUnresolved(key: CreateKey, orderId: OrderId): void {
    this.#unresolved.set(key, orderId);
    if (this.#unresolved.size <= UNRESOLVED_CREATES_MAX) return;
    for (const oldest of this.#unresolved.keys()) {
      this.#unresolved.delete(oldest);
      return;
    }
  }

  /** The order that may still come of an earlier create; null when there is none. */
  unresolved(key: CreateKey): OrderId | null {
    return this.#unresolved.size === 0 ? null : (this.#unresolved.get(key) ?? null);
  }

  /** Whether the store may hold an order of this id that was not to be seen when it was last read. */
  mayBeNew(key: CreateKey): boolean {
    return this.#settled.has(key) || (this.#unresolved.size > 0 && this.#unresolved.has(key));
  }

  get settledCount(): number {
    return this.#settled.size;
  }

  /** The store was read anew: it shows every order that a settled create has made. */
  forgetSettled(): void {
    this.#settled.clear();
  }

  /** The order has shown up. */
  resolve(key: CreateKey): void {
    if (this.#unresolved.size > 0) this.#unresolved.delete(key);
  }
}
