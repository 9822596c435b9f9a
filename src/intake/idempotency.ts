import { type OrderSummary, summaryOf } from '../api/order/order-details.js';
import type { AccountId, ClientOrderId, OrderId } from '../domain/ids.js';
import { IDEMPOTENCY_WAITERS_MAX, SETTLED_REVIEW_COUNT, UNRESOLVED_CREATES_MAX } from '../domain/limits/clients.js';
import { IDEMPOTENCY_MS } from '../domain/limits/trading.js';
import type { ParentState } from '../domain/order-state.js';
import type { EpochMs } from '../domain/time.js';
import type { ReadProgress, StateSnapshot } from '../journal/port.js';

/** Identifies a client order id of an account. */
export type CreateKey = string & { readonly __createKey: never };

/** A client order id contains no line break, so two pairs never share a key. */
export function createKey(account: AccountId, clientOrderId: ClientOrderId): CreateKey {
  return `${account}\n${clientOrderId}` as CreateKey;
}

export type SummaryAnswer = (summary: OrderSummary) => void;

/** Emptied when it is settled: a dead table of the Map may keep it (adr/0073). */
interface PendingCreate {
  digest: string;
  /** null: no other request waits. */
  waiters: SummaryAnswer[] | null;
}

type JoinResult =
  /** No create with this id is in progress. */
  | 'free'
  /** The request gets the answer of the first one. */
  | 'joined'
  /** The id is in use for a different order. */
  | 'conflict'
  /** Too many requests wait already. */
  | 'full';

/**
 * Creates with a client_order_id whose order is not durable yet. A second request for the same order waits for the
 * answer of the first one, so that a burst of repetitions places one order.
 */
export class CreatesInFlight {
  readonly #pending = new Map<CreateKey, PendingCreate>();
  readonly #unresolved = new Map<CreateKey, OrderId>();
  /** Settled creates that the last read of the store may lack; and those before the last review. */
  #settled = new Set<CreateKey>();
  #earlier = new Set<CreateKey>();
  /** A read with this event shows the orders of the earlier creates. */
  #earlierSeq = 0;
  /** Latest event of the last read, and of the last read of an older commit. */
  #shownSeq = 0;
  #shownBeforeSeq = 0;
  #reviewAtCount = SETTLED_REVIEW_COUNT;

  join(key: CreateKey, digest: string, answer: SummaryAnswer): JoinResult {
    const first = this.#pending.get(key);
    if (first === undefined) return 'free';
    if (first.digest !== digest) return 'conflict';
    const waiters = (first.waiters ??= []);
    if (waiters.length >= IDEMPOTENCY_WAITERS_MAX) return 'full';
    waiters.push(answer);
    return 'joined';
  }

  /** Registers the first request. The caller places the order, and must call `settle` with any outcome. */
  begin(key: CreateKey, digest: string): void {
    this.#pending.set(key, { digest, waiters: null });
  }

  /**
   * Gives the first request's answer to all waiting ones. From now on the id is free or in the store. `isShown`: the
   * last read shows its order, or that there is none.
   */
  settle(key: CreateKey, summary: OrderSummary, isShown = false): void {
    const first = this.#pending.get(key);
    this.#pending.delete(key);
    if (!isShown) this.#settled.add(key);
    if (first === undefined) return;
    const waiters = first.waiters ?? [];
    first.digest = '';
    first.waiters = null;
    for (const answer of waiters) answer(summary);
  }

  /** The create was sent and never answered. Until the order appears, the id must not place a second one. */
  leaveUnresolved(key: CreateKey, orderId: OrderId): void {
    this.#unresolved.set(key, orderId);
    if (this.#unresolved.size <= UNRESOLVED_CREATES_MAX) return;
    for (const oldest of this.#unresolved.keys()) {
      this.#unresolved.delete(oldest);
      return;
    }
  }

  /** The order that an earlier create may still make; null: there is none. */
  unresolved(key: CreateKey): OrderId | null {
    return this.#unresolved.size === 0 ? null : (this.#unresolved.get(key) ?? null);
  }

  /** True when the store may have an order of this id that the last read did not show. */
  mayBeNew(key: CreateKey): boolean {
    if (this.#settled.has(key) || this.#earlier.has(key)) return true;
    return this.#unresolved.size > 0 && this.#unresolved.has(key);
  }

  get settledCount(): number {
    return this.#settled.size + this.#earlier.size;
  }

  /** True after SETTLED_REVIEW_COUNT more creates: call `forgetShown`. */
  get isReviewDue(): boolean {
    return this.#settled.size >= this.#reviewAtCount;
  }

  /**
   * Forgets settled creates whose orders two reads of different commits have shown. A command of an earlier release
   * can hide the latest commit from later reads (adr/0095), but not the one before.
   */
  forgetShown({ shownSeq, durableSeq }: ReadProgress): void {
    if (shownSeq > this.#shownSeq) {
      this.#shownBeforeSeq = this.#shownSeq;
      this.#shownSeq = shownSeq;
    }
    if (this.#shownBeforeSeq >= this.#earlierSeq) {
      this.#earlier = this.#settled;
      this.#earlierSeq = durableSeq;
      this.#settled = new Set();
    }
    this.#reviewAtCount = this.#settled.size + SETTLED_REVIEW_COUNT;
  }

  /** Call after a new read of the store: it shows every order of a settled create. */
  forgetSettled(): void {
    this.#settled.clear();
    this.#earlier.clear();
    this.#reviewAtCount = SETTLED_REVIEW_COUNT;
  }

  /** The order has appeared. */
  resolve(key: CreateKey): void {
    if (this.#unresolved.size > 0) this.#unresolved.delete(key);
  }
}

/** The part of a request that identifies its order. */
interface NamedRequest {
  readonly account: AccountId;
  readonly clientOrderId: ClientOrderId;
  readonly digest: string;
}

/**
 * Looks up the order with the client order id. Returns its summary when the request is the same, or a refusal when the
 * request differs. null: the id is free.
 */
export function earlierOrder(
  snapshot: Pick<StateSnapshot, 'byClientOrderId' | 'order'>,
  request: NamedRequest,
  nowMs: EpochMs,
): OrderSummary | null {
  const { account, clientOrderId, digest } = request;
  const entry = snapshot.byClientOrderId(account, clientOrderId);
  const state = entry === null ? null : snapshot.order(entry.orderId);
  if (entry === null || state === null || isForgotten(state, nowMs)) return null;
  if (entry.requestDigest === digest) return summaryOf(state.order, state.status, state.outcome);
  const message = `client_order_id ${clientOrderId} already names order_id ${entry.orderId}, a different order`;
  const outcome = { code: 'INVALID_REQUEST', message } as const;
  return { orderId: null, clientOrderId, status: 'REJECTED', createdAtMs: nowMs, outcome };
}

/** An id is free again when IDEMPOTENCY_MS have passed since the end of its order. */
function isForgotten(state: ParentState, nowMs: EpochMs): boolean {
  return state.endedAtMs !== null && state.endedAtMs + IDEMPOTENCY_MS < nowMs;
}
