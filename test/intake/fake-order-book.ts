import type { ChangeOutcome, CreateOutcome, OrderChange } from '../../src/domain/command.js';
import type { ParentOrderDraft } from '../../src/domain/order.js';
import { EarlierCreates } from '../../src/intake/earlier-creates.js';
import type { OrderSender } from '../../src/intake/trading-gate.js';
import type {
  ClientIdEntry,
  ReadProgress,
  StateReader,
  StateSnapshot,
  TradeIndexEntry,
} from '../../src/journal/port.js';
import type { EventEnvelope } from '../../src/domain/event.js';
import type { AccountId, ClientOrderId, OrderId } from '../../src/domain/ids.js';
import type { ParentState } from '../../src/domain/order-state.js';
import { isTerminal } from '../../src/domain/order.js';
import type { Rejection } from '../../src/domain/rejection.js';
import type { EpochMs } from '../../src/domain/time.js';
import { parentState } from '../http/orders.js';
import { HeldReads } from '../journal/held-reads.js';

/** Notes creates without an id. Every order with an id is durable at once, as in the book. */
export function earlierCreates(): EarlierCreates {
  return new EarlierCreates({ monotonicMs: () => 0, afterPending: () => false });
}

/**
 * Order gateway and state reader over one map. `settle()` carries out and answers the commands; while `isInstant` that
 * happens at once. A later snapshot shows the new states.
 */
export class FakeOrderBook implements OrderSender, StateReader, StateSnapshot {
  isInstant = true;
  /** The answer to every command while it is set. */
  refusal: Rejection | null = null;
  placedCount = 0;
  readonly trading = new Map<OrderId, EventEnvelope[]>();
  readonly #written = new Map<OrderId, ParentState>();
  readonly #visible = new Map<OrderId, ParentState>();
  /** States that the snapshot lacks. */
  readonly #unseen = new Map<OrderId, ParentState>();
  /** Orders of each account and client order id, in the order of their creation. */
  readonly #named = new Map<string, OrderId[]>();
  #waiting: (() => void)[] = [];
  #lastOrderId = 0;
  #takenCount = 0;
  /** Of the orders that were put. */
  #highestOrderId = 0;

  /** Between two ids of orders, so that it changes no later id: tests compare them. */
  takeOrderId(): OrderId {
    this.#takenCount += 1;
    return (Math.max(this.#lastOrderId, this.#highestOrderId) + 0.5 + this.#takenCount / 1e6) as OrderId;
  }

  create(draft: ParentOrderDraft, answer: (outcome: CreateOutcome) => void): void {
    // As the gateway does: the id is given at once.
    this.#lastOrderId += 1;
    const orderId = this.#lastOrderId as OrderId;
    draft.orderId = orderId;
    this.#later(() => {
      if (this.refusal !== null) return answer({ kind: 'refused', rejection: this.refusal });
      this.placedCount += 1;
      this.put(parentState({ ...draft, orderId }, { status: 'PENDING_NEW' }));
      answer({ kind: 'created', orderId, createdAtMs: draft.createdAtMs });
    });
  }

  change(change: OrderChange, answer: (outcome: ChangeOutcome) => void): void {
    const { orderId } = change.kind === 'AmendParent' ? change.order : change;
    this.#later(() => {
      if (this.refusal !== null) return answer({ kind: 'refused', rejection: this.refusal });
      const state = this.#written.get(orderId);
      if (state !== undefined) this.put(changed(state, change));
      answer({ kind: 'pending', orderId });
    });
  }

  put(state: ParentState): void {
    this.#highestOrderId = Math.max(this.#highestOrderId, state.order.orderId);
    const { orderId, account, clientOrderId } = state.order;
    if (clientOrderId !== null && !this.#written.has(orderId)) {
      const key = nameOf(account, clientOrderId);
      this.#named.set(key, [...(this.#named.get(key) ?? []), orderId]);
    }
    this.#written.set(orderId, state);
    this.#unseen.set(orderId, state);
  }

  stateOf(orderId: OrderId): ParentState {
    const state = this.#written.get(orderId);
    if (state === undefined) throw new Error(`no order ${orderId}`);
    return state;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  settle(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const act of waiting) act();
  }

  /** False while `isBehind`: the store lacks its latest turn. */
  isBehind = false;
  refreshedCount = 0;

  refresh(): boolean {
    if (this.isBehind) return false;
    this.refreshedCount += 1;
    this.#show();
    return true;
  }

  complete(): this | null {
    return this.refresh() ? this : null;
  }

  readonly reads = new HeldReads(this);
  readonly whenComplete = this.reads.when;

  latest(): this {
    this.refresh();
    return this;
  }

  recent(): this {
    return this;
  }

  renewed(): this {
    return this;
  }

  /** True: the store follows later than the next read. */
  isLate = false;

  get durableSeq(): number {
    return this.#written.size;
  }

  progress(): ReadProgress {
    if (!this.isLate && !this.isBehind) this.#show();
    return { shownSeq: this.#visible.size, durableSeq: this.#written.size };
  }

  order(orderId: OrderId): ParentState | null {
    return this.#visible.get(orderId) ?? null;
  }

  openOrders(account: AccountId): ParentState[] {
    return this.#of(account).filter(({ status }) => !isTerminal(status));
  }

  accountsWithOpenOrders(): AccountId[] {
    const open = [...this.#visible.values()].filter(({ status }) => !isTerminal(status));
    return [...new Set(open.map(({ order }) => order.account))];
  }

  byClientOrderId(account: AccountId, clientOrderId: ClientOrderId): ClientIdEntry | null {
    const orderId = this.#named.get(nameOf(account, clientOrderId))?.findLast((id) => this.#visible.has(id));
    return orderId === undefined ? null : { orderId, requestDigest: this.#visible.get(orderId)!.order.requestDigest };
  }

  find(account: AccountId, fromMs: EpochMs, toMs: EpochMs, limit: number): ParentState[] {
    return this.#of(account)
      .filter(({ order }) => order.createdAtMs >= fromMs && order.createdAtMs <= toMs)
      .toSorted((one, other) => other.order.createdAtMs - one.order.createdAtMs)
      .slice(0, limit);
  }

  trades(orderId: OrderId): EventEnvelope[] {
    return this.trading.get(orderId) ?? [];
  }

  events(): EventEnvelope[] {
    return [];
  }

  *openOrderIds(account: AccountId, partKeys: number): Iterable<readonly OrderId[]> {
    const orderIds = this.openOrders(account).map(({ order }) => order.orderId);
    for (let first = 0; first === 0 || first < orderIds.length; first += partKeys) {
      yield orderIds.slice(first, first + partKeys);
    }
  }

  findIds(account: AccountId, fromMs: EpochMs, toMs: EpochMs, limit: number): OrderId[] {
    return this.find(account, fromMs, toMs, limit).map(({ order }) => order.orderId);
  }

  tradeIndex(orderId: OrderId, after: TradeIndexEntry | null, limit: number): TradeIndexEntry[] {
    const entries = this.trades(orderId).flatMap(({ seq, event }) =>
      event.kind === 'ChildFilled' ? { child: event.child, tradeId: event.fill.tradeId, position: seq } : [],
    );
    const first = after === null ? 0 : entries.findIndex(({ tradeId }) => tradeId === after.tradeId) + 1;
    return entries.slice(first, first + limit);
  }

  event(position: number): EventEnvelope | null {
    return [...this.trading.values()].flat().find(({ seq }) => seq === position) ?? null;
  }

  eventCount(): number {
    return 0;
  }

  lastEvent(): null {
    return null;
  }

  formerTerms(): null {
    return null;
  }

  feedHead(): number {
    return 0;
  }

  feedTail(): number {
    return 1;
  }

  feed(): [] {
    return [];
  }

  lastSeq(): 0 {
    return 0;
  }

  #show(): void {
    for (const [orderId, state] of this.#unseen) this.#visible.set(orderId, state);
    this.#unseen.clear();
  }

  #of(account: AccountId): ParentState[] {
    return [...this.#visible.values()].filter(({ order }) => order.account === account);
  }

  #later(act: () => void): void {
    if (this.isInstant) act();
    else this.#waiting.push(act);
  }
}

/** The state after the change, as if the order had no child at an exchange. */
function changed(state: ParentState, change: OrderChange): ParentState {
  switch (change.kind) {
    case 'CancelParent':
      return { ...state, status: 'PENDING_CANCEL', cancelCause: state.cancelCause ?? change.cancelCause };
    case 'PauseParent':
      return { ...state, status: 'PAUSED' };
    case 'ReconcileParent':
      return state;
    case 'ResumeParent':
      return { ...state, status: 'PENDING_UNPAUSE' };
    case 'AmendParent':
      return { ...state, order: change.order };
  }
}

function nameOf(account: AccountId, clientOrderId: string): string {
  return `${account} ${clientOrderId}`;
}
