import { assert } from '../../model/assert.js';
import { ZERO_LOTS, type Lots, type Ticks } from '../../model/quantity.js';
import type { SelfTradePrevention } from '../../model/self-trade-prevention.js';
import { OrderBook, type BookOrder } from '../matching/index.js';
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
  /** Self-trade prevention took lots from one of our orders; a resting one with none left has left the book. */
  prevented(own: OwnOrder, quantity: Lots, atMs: number): void;
  /** A maker's order was traded to the last lot. */
  exhausted(maker: Maker): void;
}

interface OwnFill {
  readonly kind: 'fill';
  readonly own: OwnOrder;
  readonly price: Ticks;
  readonly role: 'MAKER' | 'TAKER';
  quantity: Lots;
}

interface OwnPrevention {
  readonly kind: 'prevention';
  readonly own: OwnOrder;
  readonly quantity: Lots;
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
  #news: (OwnFill | OwnPrevention)[] = [];

  constructor(listener: FloorListener) {
    this.#listener = listener;
    this.book = new OrderBook({
      traded: (taker, maker, price, quantity) => this.#match(taker, maker, price, quantity),
      prevented: (maker, quantity) => this.#prevent(maker, quantity),
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

  /** One that self-trade prevention ends has nothing left. */
  take(order: BookOrder, atMs: number, prevention: SelfTradePrevention = 'NONE'): void {
    this.#atMs = atMs;
    while (this.#resting.size > 0 && order.leaves > 0 && this.#meetFirst(order, prevention)) this.#tellNews();
    // What is within reach by now is the background's.
    if (order.leaves > 0) this.book.market(order, 'NONE');
    this.#endRun();
    this.#tellNews();
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

  /** Meets the first in line alone; false when that is out of reach. */
  #meetFirst(order: BookOrder, prevention: SelfTradePrevention): boolean {
    const wanted = order.leaves;
    const meeting = this.book.meet(order, prevention);
    if (meeting === 'OUT_OF_REACH') return false;
    if (meeting === 'TRADED') return true;
    if (meeting === 'ENDED') order.leaves = ZERO_LOTS;
    const quantity = (wanted - order.leaves) as Lots;
    if (order instanceof OwnOrder && quantity > 0) this.#news.push({ kind: 'prevention', own: order, quantity });
    return true;
  }

  #prevent(maker: BookOrder, quantity: Lots): void {
    assert(maker instanceof OwnOrder, 'only orders of ours are kept from trading with their own account');
    if (maker.leaves === 0) this.#resting.delete(maker.order);
    this.#news.push({ kind: 'prevention', own: maker, quantity });
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
      this.#news.push({ kind: 'fill', own: maker, price, quantity, role: 'MAKER' });
    }
    if (taker instanceof OwnOrder) this.#noteTaking(taker, price, quantity, maker instanceof Maker);
  }

  #noteTaking(own: OwnOrder, price: Ticks, quantity: Lots, isFromBackground: boolean): void {
    const last = this.#news.at(-1);
    if (isFromBackground && last?.kind === 'fill' && last.own === own && last.price === price) {
      last.quantity = (last.quantity + quantity) as Lots;
    } else {
      this.#news.push({ kind: 'fill', own, price, quantity, role: 'TAKER' });
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

  #tellNews(): void {
    if (this.#news.length === 0) return;
    const news = this.#news;
    this.#news = [];
    for (const { own, quantity, ...what } of news) {
      if (what.kind === 'prevention') this.#listener.prevented(own, quantity, this.#atMs);
      else this.#listener.filled(own, what.price, quantity, what.role, this.#atMs);
    }
  }
}
