import { isDeepStrictEqual } from 'node:util';
import { assert } from '../../src/model/assert.js';
import type { OrderId } from '../../src/model/ids.js';
import { isTerminal, type ParentOrder } from '../../src/model/order.js';
import type { MemoryJournal } from '../shard/memory-journal.js';

/** What the clients know of their orders: it outlives every crash, and every promise in it must hold. */
export class OrderBook {
  readonly #journal: MemoryJournal;
  readonly #sent = new Map<OrderId, ParentOrder>();
  /** New terms that were asked for, done or not. */
  readonly #amendments = new Map<OrderId, ParentOrder[]>();
  readonly #acknowledged = new Set<OrderId>();
  readonly #refused = new Set<OrderId>();

  constructor(journal: MemoryJournal) {
    this.#journal = journal;
  }

  sent(order: ParentOrder): void {
    this.#sent.set(order.orderId, order);
  }

  amended(order: ParentOrder): void {
    const before = this.#amendments.get(order.orderId) ?? [];
    this.#amendments.set(order.orderId, [...before, order]);
  }

  acknowledged(orderId: OrderId): void {
    assert(this.isStored(orderId), `order ${orderId} was acknowledged and is not on disk`);
    this.#acknowledged.add(orderId);
  }

  refused(orderId: OrderId): void {
    assert(!this.isStored(orderId), `order ${orderId} was refused and is on disk`);
    this.#refused.add(orderId);
  }

  /** Says by the journal what became of an order whose answer was lost. */
  settle(orderId: OrderId): void {
    if (this.isStored(orderId)) this.acknowledged(orderId);
    else this.refused(orderId);
  }

  isStored(orderId: OrderId): boolean {
    return this.#journal.states.has(orderId);
  }

  /** Ended, or asked to end. */
  isEnding(orderId: OrderId): boolean {
    const status = this.#journal.state(orderId)?.status;
    return status !== undefined && (status === 'PENDING_CANCEL' || isTerminal(status));
  }

  /** Orders that may still trade, also those whose answer never came: their clients have asked for them. */
  open(): ParentOrder[] {
    return [...this.#sent.values()].filter(({ orderId }) => {
      const state = this.#journal.state(orderId);
      return state !== null && !isTerminal(state.status);
    });
  }

  /** What an order traded while it was amended to less is its quantity. */
  #isAsked(order: ParentOrder): boolean {
    const sent = this.#sent.get(order.orderId);
    if (isDeepStrictEqual(order, sent)) return true;
    const amendments = this.#amendments.get(order.orderId) ?? [];
    return amendments.some(
      (terms) => order.quantity >= terms.quantity && isDeepStrictEqual({ ...order, quantity: terms.quantity }, terms),
    );
  }

  /** Every promise is kept: what was acknowledged is there as it was sent, what was refused never came to be. */
  check(): void {
    for (const orderId of this.#acknowledged) {
      const order = this.#journal.state(orderId)?.order;
      assert(order !== undefined, `acknowledged order ${orderId} survives`);
      assert(this.#isAsked(order), `order ${orderId} is as it was sent or amended`);
    }
    for (const orderId of this.#refused) assert(!this.isStored(orderId), `refused order ${orderId} was never placed`);
  }
}
