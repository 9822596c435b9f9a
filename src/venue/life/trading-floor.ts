import { assert } from '../../model/assert.js';
import type { Side } from '../../model/order.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import { ANY_PRICE, OrderBook, type BookOrder } from '../matching/index.js';
import type { VenueOrder } from '../order/venue-order.js';
import type { Floor } from './floor.js';
import { Maker } from './maker.js';
import { OwnOrder } from './own-order.js';

/** Who has to know what is traded on a floor. */
export interface FloorListener {
  /** All that one taker traded at one price; told once it is over. */
  traded(taker: BookOrder, price: Ticks, quantity: Lots, atMs: number): void;
  /** One of our orders traded; a price that several makers gave one taker of ours is told as one. May call the floor back. */
  filled(own: OwnOrder, price: Ticks, quantity: Lots, role: 'MAKER' | 'TAKER', atMs: number): void;
  /** A maker's order was traded to the last lot. */
  exhausted(maker: Maker): void;
}

interface OwnFill {
  readonly own: OwnOrder;
  readonly price: Ticks;
  readonly role: 'MAKER' | 'TAKER';
  quantity: Lots;
}

/**
 * The book with everybody in it, ours and the background's, and the books kept of what they trade. While orders of ours
 * rest, takers meet the makers one by one, so that what a fill of ours entails (the end of another order of ours, for
 * one) has happened before the next match.
 */
export class TradingFloor implements Floor {
  readonly book: OrderBook;
  readonly #listener: FloorListener;
  readonly #resting = new Map<VenueOrder, OwnOrder>();
  #atMs = 0;
  /** What the present taker has traded at the latest price. */
  #run: { taker: BookOrder | null; price: number; quantity: number } = { taker: null, price: 0, quantity: 0 };
  #fills: OwnFill[] = [];

  constructor(listener: FloorListener) {
    this.#listener = listener;
    this.book = new OrderBook({
      traded: (taker, maker, price, quantity) => this.#match(taker, maker, price, quantity),
      prevented: () => assert(false, 'no order here asks to be kept from trading with its own account'),
    });
  }

  /** Our orders in the book. */
  get restingCount(): number {
    return this.#resting.size;
  }

  rest(order: BookOrder, atMs: number): void {
    this.take(order, atMs);
    if (order.leaves > 0) this.book.limit(order, 'GTC', false, 'NONE');
  }

  take(order: BookOrder, atMs: number): void {
    this.#atMs = atMs;
    while (this.#resting.size > 0 && order.leaves > 0 && this.#takeFirst(order)) this.#tellFills();
    if (order.leaves > 0) this.book.market(order, 'NONE');
    this.#endRun();
    this.#tellFills();
  }

  /** An order of ours waits in the book from now on; it crosses nothing. */
  restOwn(order: VenueOrder, participant: number): void {
    const own = new OwnOrder(order, { participant, limit: order.price, leaves: order.leaves });
    this.#resting.set(order, own);
    const result = this.book.limit(own, 'GTC', true, 'NONE');
    assert(result === 'RESTING', 'an order rests that has taken what it could');
  }

  /** An order of ours leaves the book. */
  removeOwn(order: VenueOrder): void {
    this.book.cancel(this.#own(order));
    this.#resting.delete(order);
  }

  /** An order of ours shrinks to so many lots and keeps its place. */
  shrinkOwn(order: VenueOrder, leaves: Lots): void {
    const own = this.#own(order);
    this.book.amend(own, own.price, leaves);
  }

  #own(order: VenueOrder): OwnOrder {
    const own = this.#resting.get(order);
    assert(own !== undefined, `order ${order.key} rests`);
    return own;
  }

  /** Trades with the first in line alone; false when that is out of reach. */
  #takeFirst(order: BookOrder): boolean {
    const makerSide = order.side === 'BUY' ? 'SELL' : 'BUY';
    const best = makerSide === 'SELL' ? this.book.bestAsk() : this.book.bestBid();
    const maker = best === 0 ? null : this.book.frontOf(makerSide, best);
    if (maker === null || !isWithin(order.side, maker.price, order.price)) return false;
    const wanted = order.leaves;
    const quantity = Math.min(wanted, maker.leaves) as Lots;
    order.leaves = quantity;
    this.book.market(order, 'NONE');
    order.leaves = (wanted - quantity) as Lots;
    return true;
  }

  #match(taker: BookOrder, maker: BookOrder, price: Ticks, quantity: Lots): void {
    const run = this.#run;
    if (price !== run.price || taker !== run.taker) {
      this.#endRun();
      run.taker = taker;
      run.price = price;
    }
    run.quantity += quantity;
    if (maker instanceof Maker) {
      if (maker.isExhausted) this.#listener.exhausted(maker);
    } else if (maker instanceof OwnOrder) {
      if (maker.leaves === 0) this.#resting.delete(maker.order);
      this.#fills.push({ own: maker, price, quantity, role: 'MAKER' });
    }
    if (taker instanceof OwnOrder) this.#noteTaking(taker, price, quantity, maker instanceof Maker);
  }

  #noteTaking(own: OwnOrder, price: Ticks, quantity: Lots, isFromBackground: boolean): void {
    const last = this.#fills.at(-1);
    if (isFromBackground && last?.own === own && last.price === price) {
      last.quantity = (last.quantity + quantity) as Lots;
    } else {
      this.#fills.push({ own, price, quantity, role: 'TAKER' });
    }
  }

  #endRun(): void {
    const run = this.#run;
    if (run.taker === null) return;
    const { taker, price, quantity } = run;
    run.taker = null;
    run.quantity = 0;
    this.#listener.traded(taker, price as Ticks, quantity as Lots, this.#atMs);
  }

  #tellFills(): void {
    if (this.#fills.length === 0) return;
    const fills = this.#fills;
    this.#fills = [];
    for (const { own, price, quantity, role } of fills) this.#listener.filled(own, price, quantity, role, this.#atMs);
  }
}

/** Whether a taker of this side and limit accepts the price. */
function isWithin(side: Side, price: Ticks, limit: Ticks): boolean {
  if (limit === ANY_PRICE) return true;
  return side === 'BUY' ? price <= limit : price >= limit;
}
