import type { EventEnvelope } from '../../model/event.js';
import type { AccountId, OrderId, Seq } from '../../model/ids.js';
import type { Instrument, InstrumentCatalogue } from '../../model/instrument.js';
import { CANCEL_INDEX_KEYS, GUARDRAIL_LOOK_ORDERS } from '../../model/limits.js';
import { isTerminal, type ParentOrder, type ParentState } from '../../model/order.js';
import type { Rejection } from '../../model/rejection.js';
import type { PendingOrder } from '../order-desk.js';
import { AccountBook } from './account-book.js';
import { claimOf, filledOf, unvalued, type Claim } from './claim.js';
import type { MidsDesk } from './mids-desk.js';
import { addUnpriced, partsOf, type Mids } from './order-worth.js';

/** The orders as they are stored. */
interface OpenOrderStore {
  /** False: what is read may miss the latest turn. */
  refresh(): boolean;
  lastSeq(): Seq | 0;
  /** The ids of the open orders of one instant, so many at a time; the iteration must be ended. */
  openOrderIds(account: AccountId, partKeys: number): Iterable<readonly OrderId[]>;
  order(orderId: OrderId): ParentState | null;
}

/** Where a book is begun from. */
export interface BookSources {
  readonly catalogue: InstrumentCatalogue;
  readonly mids: MidsDesk;
  readonly reader: OpenOrderStore;
  readonly pendingOrders: (account: AccountId) => Iterable<PendingOrder>;
  /** Runs once after the other work of the thread had its turn. */
  readonly soon: (run: () => void) => void;
}

export interface BookReadingParts extends BookSources {
  readonly account: AccountId;
  /** What the orders are worth is counted too. */
  readonly isValued: boolean;
  /** Called once, with the reason when an order has no price. */
  readonly onEnd: (rejection: Rejection | null) => void;
}

const STORE_BEHIND: Rejection = {
  code: 'SYSTEM_BUSY',
  message: 'the open orders of the account are still being stored; nothing was placed, ask again',
};

/**
 * Begins the book of an account from the stored orders, GUARDRAIL_LOOK_ORDERS in one turn of the loop:
 *
 *     ids of the open orders ─▶ each order as it is stored now ─▶ requests on their way ─▶ end
 *                                   ▲
 *            events of the account ─┘ of an order that is not read yet: it is read later; else the book takes them
 *
 * Few orders are read at once, within the call of `start`.
 */
export class BookReading {
  readonly book: AccountBook;
  readonly isValued: boolean;
  readonly #parts: BookReadingParts;
  readonly #ids: OrderId[] = [];
  readonly #unread = new Set<OrderId>();
  #readCount = 0;
  #mids: Mids = new Map();
  #isEnded = false;
  /** An order that was acknowledged may be missing in the store, and waits for no answer any more. */
  readonly #isStoreBehind: boolean;

  constructor(parts: BookReadingParts) {
    this.#parts = parts;
    this.isValued = parts.isValued;
    this.#isStoreBehind = !parts.reader.refresh();
    this.book = new AccountBook(parts.reader.lastSeq());
  }

  start(): void {
    const { reader, account } = this.#parts;
    if (this.#isStoreBehind) return this.#end(STORE_BEHIND);
    this.#list(reader.openOrderIds(account, CANCEL_INDEX_KEYS)[Symbol.iterator]());
  }

  /** Nothing more is read, and `onEnd` is not called. */
  stop(): void {
    this.#isEnded = true;
  }

  /** Of the account, in the order of the journal. */
  onEvent(envelope: EventEnvelope): void {
    const { orderId } = envelope;
    if (orderId === null || this.#unread.has(orderId)) return;
    if (this.book.onEvent(envelope) === 'behind') this.#add(orderId);
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
    this.#ids.push(orderId);
    this.#unread.add(orderId);
  }

  /** Reads so many orders, and asks for the mids that they need before they are counted. */
  #read(): void {
    if (this.#isEnded) return;
    const { reader, soon } = this.#parts;
    // An order whose events have come is in what is read, or the count has no end.
    if (!reader.refresh()) return this.#end(STORE_BEHIND);
    const asOfSeq = reader.lastSeq();
    const end = Math.min(this.#readCount + GUARDRAIL_LOOK_ORDERS, this.#ids.length);
    const states = this.#ids.slice(this.#readCount, end).map((orderId) => ({ orderId, state: reader.order(orderId) }));
    const orders = states.flatMap(({ state }) => (state === null ? [] : [state.order, state.amendment ?? state.order]));
    if (!this.#arePriced(orders)) return;
    for (const { orderId, state } of states) {
      this.#unread.delete(orderId);
      this.#take(orderId, state, asOfSeq);
    }
    this.#readCount = end;
    if (end < this.#ids.length) return soon(() => this.#read());
    this.#takePending(asOfSeq);
  }

  /** What is on its way comes last, so that nothing is between it and the orders that come in from here on. */
  #takePending(asOfSeq: Seq | 0): void {
    const { account, reader, pendingOrders } = this.#parts;
    const pending = [...pendingOrders(account)];
    if (!this.#arePriced(pending.map(({ order }) => order))) return;
    for (const { kind, order } of pending) {
      if (kind === 'AmendParent') {
        this.book.want(this.#claim(order));
        continue;
      }
      if (this.book.knows(order.orderId)) continue;
      // The store may have the order already, open or ended, although its answer has not arrived.
      const state = reader.order(order.orderId);
      if (state === null) this.book.add(this.#claim(order));
      else this.#take(order.orderId, state, asOfSeq);
    }
    this.#end(null);
  }

  #take(orderId: OrderId, state: ParentState | null, asOfSeq: Seq | 0): void {
    if (state === null || isTerminal(state.status)) return this.book.passOver(orderId, asOfSeq);
    this.book.add(this.#claim(state.order), filledOf(state), asOfSeq);
    if (state.amendment !== null) this.book.want(this.#claim(state.amendment));
  }

  #end(rejection: Rejection | null): void {
    this.#isEnded = true;
    this.#parts.onEnd(rejection);
  }

  /** False: mids are asked for, after which the orders are read again. */
  #arePriced(orders: readonly ParentOrder[]): boolean {
    if (!this.isValued) return true;
    const { catalogue, mids } = this.#parts;
    const missing: Instrument[] = [];
    for (const order of orders) for (const part of partsOf(order)) addUnpriced(part, this.#mids, catalogue, missing);
    if (missing.length === 0) return true;
    mids.ask(missing, this.#mids, (found) => {
      if (this.#isEnded) return;
      if ('rejection' in found) return this.#end(found.rejection);
      this.#mids = found;
      this.#read();
    });
    return false;
  }

  #claim(order: ParentOrder): Claim {
    return this.isValued ? claimOf(order, this.#mids, this.#parts.catalogue) : unvalued(order);
  }
}
