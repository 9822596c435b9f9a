import type { EventEnvelope } from '../domain/event.js';
import type { AccountId, OrderId, Seq } from '../domain/ids.js';
import type { Instrument, InstrumentCatalogue } from '../domain/instrument.js';
import { CANCEL_INDEX_KEYS } from '../domain/limits/clients.js';
import { RISK_LIMIT_ORDERS_PER_TURN_MAX } from '../domain/limits/trading.js';
import type { ParentState } from '../domain/order-state.js';
import { isTerminal, type ParentOrder } from '../domain/order.js';
import { assert, isRejected, type Rejection } from '../domain/rejection.js';
import type { WhenComplete } from '../journal/complete-reads.js';
import type { StateSnapshot } from '../journal/port.js';
import { AccountExposure } from './account-exposure.js';
import {
  addUnpriced,
  type ReservedExposure,
  reservedExposure,
  filledOf,
  type Mids,
  type MidQuery,
  unvalued,
} from './order-worth.js';

/** A create or amendment that waits for the answer of its shard. */
export interface PendingOrder {
  readonly kind: 'CreateParent' | 'AmendParent';
  readonly order: ParentOrder;
}

type OpenOrderState = Pick<StateSnapshot, 'lastSeq' | 'openOrderIds' | 'order'>;

/** The sources of an exposure. */
export interface ExposureSources {
  readonly catalogue: InstrumentCatalogue;
  readonly mids: MidQuery;
  readonly whenComplete: WhenComplete<OpenOrderState>;
  readonly pendingOrders: (account: AccountId) => Iterable<PendingOrder>;
  /** Runs the function once, after the other work of this turn of the event loop. */
  readonly soon: (run: () => void) => void;
}

export interface ExposureReadingParts extends ExposureSources {
  readonly account: AccountId;
  /** True: the worth of the orders counts too. */
  readonly isValued: boolean;
  /** Called once, with the reason when the exposure cannot be read. */
  readonly onEnd: (rejection: Rejection | null) => void;
}

const STORE_BEHIND: Rejection = {
  code: 'SYSTEM_BUSY',
  message: 'the open orders of the account are still being stored; nothing was placed, try again',
};

/**
 * Reads the exposure of an account from the stored orders, RISK_LIMIT_ORDERS_PER_TURN_MAX in one turn of the event
 * loop:
 *
 *     ids of the open orders ─▶ each order as it is stored now ─▶ pending commands ─▶ end
 *                                   ▲
 *            events of the account ─┘ of an unread order: dropped, it is read later; else the exposure takes them
 *
 * A short list is read at once, within the call of `start`.
 */
export class ExposureReading {
  readonly isValued: boolean;
  readonly #parts: ExposureReadingParts;
  readonly #ids: OrderId[] = [];
  readonly #unread = new Set<OrderId>();
  /** The orders of the read that waits for the store. It may lack an event of them that arrives meanwhile. */
  #asked = new Set<OrderId>();
  #readCount = 0;
  #mids: Mids = new Map();
  #isEnded = false;
  /** null: the list of the orders is not begun. */
  #exposure: AccountExposure | null = null;

  constructor(parts: ExposureReadingParts) {
    this.#parts = parts;
    this.isValued = parts.isValued;
  }

  get exposure(): AccountExposure {
    assert(this.#exposure !== null, 'the exposure is read');
    return this.#exposure;
  }

  start(): void {
    const { account } = this.#parts;
    this.#whenComplete((snapshot) => {
      this.#exposure = new AccountExposure(snapshot.lastSeq());
      this.#list(snapshot.openOrderIds(account, CANCEL_INDEX_KEYS)[Symbol.iterator]());
    });
  }

  /** Stops the reading; `onEnd` is not called. */
  stop(): void {
    this.#isEnded = true;
  }

  /** Takes an event of the account, in the order of the journal. */
  onEvent(envelope: EventEnvelope): void {
    const { orderId } = envelope;
    if (orderId === null || this.#unread.has(orderId)) return;
    const isLate = this.#exposure === null || this.#asked.has(orderId);
    if (isLate || this.#exposure?.onEvent(envelope) === 'incomplete') this.#add(orderId);
  }

  /** Runs `read` unless the reading has ended, or ends it: the store may lack an order that is no longer pending. */
  #whenComplete(read: (snapshot: OpenOrderState) => void): void {
    this.#parts.whenComplete(
      (snapshot) => {
        if (this.#isEnded) return;
        if (snapshot === null) this.#end(STORE_BEHIND);
        else read(snapshot);
      },
      { account: this.#parts.account },
    );
  }

  #list(parts: Iterator<readonly OrderId[]>): void {
    if (this.#isEnded) return void parts.return?.();
    const part = parts.next();
    if (part.done !== true) {
      for (const orderId of part.value) this.#add(orderId);
      if (part.value.length === CANCEL_INDEX_KEYS) return this.#parts.soon(() => this.#list(parts));
      parts.return?.();
    }
    this.#read();
  }

  #add(orderId: OrderId): void {
    if (this.#unread.has(orderId)) return;
    this.#ids.push(orderId);
    this.#unread.add(orderId);
  }

  /** Reads the next orders. First requests the mids that they need. */
  #read(): void {
    if (this.#isEnded) return;
    // The store includes the orders whose events have arrived by now. Those that arrive during the wait are read later.
    const end = Math.min(this.#readCount + RISK_LIMIT_ORDERS_PER_TURN_MAX, this.#ids.length);
    this.#asked = new Set(this.#ids.slice(this.#readCount, end));
    for (const orderId of this.#asked) this.#unread.delete(orderId);
    this.#whenComplete((snapshot) => this.#readTo(end, snapshot));
  }

  #readTo(end: number, snapshot: OpenOrderState): void {
    const asOfSeq = snapshot.lastSeq();
    const states = this.#ids
      .slice(this.#readCount, end)
      .map((orderId) => ({ orderId, state: snapshot.order(orderId) }));
    const orders = states.flatMap(({ state }) => (state === null ? [] : [state.order, state.amendment ?? state.order]));
    if (!this.#arePriced(orders)) return;
    this.#asked.clear();
    for (const { orderId, state } of states) this.#take(orderId, state, asOfSeq);
    this.#readCount = end;
    if (end < this.#ids.length) return this.#parts.soon(() => this.#read());
    this.#takePending(snapshot, asOfSeq);
  }

  /** Adds the pending commands last: no order can arrive between them and the next one. */
  #takePending(snapshot: Pick<StateSnapshot, 'order'>, asOfSeq: Seq | 0): void {
    const { account, pendingOrders } = this.#parts;
    const pending = [...pendingOrders(account)];
    if (!this.#arePriced(pending.map(({ order }) => order))) return;
    for (const { kind, order } of pending) {
      if (kind === 'AmendParent') {
        this.exposure.addAmendment(this.#reserved(order));
        continue;
      }
      if (this.exposure.has(order.orderId)) continue;
      // The store may already have the order, open or ended, although its answer has not arrived.
      const state = snapshot.order(order.orderId);
      if (state === null) this.exposure.add(this.#reserved(order));
      else this.#take(order.orderId, state, asOfSeq);
    }
    this.#end(null);
  }

  #take(orderId: OrderId, state: ParentState | null, asOfSeq: Seq | 0): void {
    if (state === null || isTerminal(state.status)) return this.exposure.markEnded(orderId, asOfSeq);
    this.exposure.add(this.#reserved(state.order), filledOf(state), asOfSeq);
    if (state.amendment !== null) this.exposure.addAmendment(this.#reserved(state.amendment));
  }

  #end(rejection: Rejection | null): void {
    this.#isEnded = true;
    this.#parts.onEnd(rejection);
  }

  /** False: mids were requested, and the orders are read again when they arrive. */
  #arePriced(orders: readonly ParentOrder[]): boolean {
    if (!this.isValued) return true;
    const { catalogue, mids } = this.#parts;
    const missing: Instrument[] = [];
    for (const order of orders) for (const leg of order.legs) addUnpriced(leg, this.#mids, catalogue, missing);
    if (missing.length === 0) return true;
    mids.ask(missing, this.#mids, (found) => {
      if (this.#isEnded) return;
      if (isRejected(found)) return this.#end(found.rejection);
      this.#mids = found;
      this.#read();
    });
    return false;
  }

  #reserved(order: ParentOrder): ReservedExposure {
    return this.isValued ? reservedExposure(order, this.#mids, this.#parts.catalogue) : unvalued(order);
  }
}
