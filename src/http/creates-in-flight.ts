import type { AccountId, ClientOrderId, OrderId } from '../model/ids.js';
import { IDEMPOTENCY_WAITERS_MAX, UNRESOLVED_CREATES_MAX } from '../model/limits.js';
import type { OrderSummary } from './present/order-summary.js';

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
  readonly #claims = new Map<string, Claim>();
  readonly #unresolved = new Map<string, OrderId>();

  join(account: AccountId, clientOrderId: ClientOrderId, digest: string, answer: SummaryAnswer): JoinResult {
    const claim = this.#claims.get(keyOf(account, clientOrderId));
    if (claim === undefined) return 'free';
    if (claim.digest !== digest) return 'conflict';
    if (claim.waiters.length >= IDEMPOTENCY_WAITERS_MAX) return 'full';
    claim.waiters.push(answer);
    return 'joined';
  }

  /** The caller is the first: it places the order, and settles whatever comes of it. */
  claim(account: AccountId, clientOrderId: ClientOrderId, digest: string): void {
    this.#claims.set(keyOf(account, clientOrderId), { digest, waiters: [] });
  }

  /** The first one has its answer: gives it to all that wait, and the id is free or stored from here on. */
  settle(account: AccountId, clientOrderId: ClientOrderId, summary: OrderSummary): void {
    const key = keyOf(account, clientOrderId);
    const claim = this.#claims.get(key);
    this.#claims.delete(key);
    for (const answer of claim?.waiters ?? []) answer(summary);
  }

  /** The create was sent and its answer never came: until the order shows up, the id must not place a second one. */
  leaveUnresolved(account: AccountId, clientOrderId: ClientOrderId, orderId: OrderId): void {
    this.#unresolved.set(keyOf(account, clientOrderId), orderId);
    if (this.#unresolved.size <= UNRESOLVED_CREATES_MAX) return;
    for (const oldest of this.#unresolved.keys()) {
      this.#unresolved.delete(oldest);
      return;
    }
  }

  /** The order that may still come of an earlier create; null when there is none. */
  unresolved(account: AccountId, clientOrderId: ClientOrderId): OrderId | null {
    return this.#unresolved.size === 0 ? null : (this.#unresolved.get(keyOf(account, clientOrderId)) ?? null);
  }

  get hasUnresolved(): boolean {
    return this.#unresolved.size > 0;
  }

  /** The order has shown up. */
  resolve(account: AccountId, clientOrderId: ClientOrderId): void {
    if (this.#unresolved.size > 0) this.#unresolved.delete(keyOf(account, clientOrderId));
  }
}

/** A client order id holds no line break, so two pairs never share a key. */
function keyOf(account: AccountId, clientOrderId: ClientOrderId): string {
  return `${account}\n${clientOrderId}`;
}
