import { OrderBook as NpmOrderBook, type SelfTradePreventionMode, Side } from 'nodejs-order-book';
import type { SelfTradePrevention } from '../../src/domain/instrument.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import { BookOrder } from '../../src/sim/matching/book-order.js';
import { type BookListener, OrderBook } from '../../src/sim/matching/order-book.js';
import { BACKGROUND, type BookOrderTerms, type BookTimeInForce } from '../../src/sim/matching/book-order.js';

/** Our book. The player keeps the orders by their ids, which are small. */
export class OwnPlayer implements MatchingPlayer, BookListener {
  readonly book = new OrderBook(this);
  readonly #orders: (BookOrder | null)[] = [];
  readonly #sink: FillSink;

  constructor(sink: FillSink) {
    this.#sink = sink;
  }

  isResting(id: number): boolean {
    return (this.#orders[id] ?? null) !== null;
  }

  play(operation: MatchingOperation): void {
    switch (operation.kind) {
      case 'limit':
        return this.#limit(operation);
      case 'market':
        this.book.market(new BookOrder(operation), operation.stp);
        return;
      case 'cancel':
        return this.#cancel(operation);
      default:
        operation.kind satisfies never;
    }
  }

  traded(taker: BookOrder, maker: BookOrder, price: Ticks, quantity: Lots): void {
    if (!maker.isResting) this.#orders[maker.id] = null;
    this.#sink(taker.id, maker.id, price, quantity);
  }

  prevented(order: BookOrder): void {
    if (!order.isResting) this.#orders[order.id] = null;
  }

  #limit(operation: MatchingOperation): void {
    const order = new BookOrder(operation);
    const result = this.book.limit(order, operation.timeInForce, operation.postOnly, operation.stp);
    this.#orders[operation.id] = result === 'RESTING' ? order : null;
  }

  #cancel({ id }: MatchingOperation): void {
    const order = this.#orders[id] ?? null;
    if (order === null) return;
    this.book.cancel(order);
    this.#orders[id] = null;
  }
}

/**
 * One operation on an order book, independent of the book's interface. `limit` and `market` place a new order. `cancel`
 * names an earlier order and has no effect after that order has left the book.
 */
export interface MatchingOperation extends BookOrderTerms {
  readonly kind: 'limit' | 'market' | 'cancel';
  readonly timeInForce: BookTimeInForce;
  readonly postOnly: boolean;
  readonly stp: SelfTradePrevention;
}

/** Receives each fill, in order. */
export type FillSink = (taker: number, maker: number, price: number, quantity: number) => void;

/** A book that plays operations. */
export interface MatchingPlayer {
  play(operation: MatchingOperation): void;
}

type LimitTerms = Parameters<NpmOrderBook['limit']>[0];
type MarketTerms = Parameters<NpmOrderBook['market']>[0];
type Processed = ReturnType<NpmOrderBook['limit']>;

/** Plays the operations on npm nodejs-order-book. It has neither DECREMENT nor market orders with a worst price. */
export class PeerPlayer implements MatchingPlayer {
  readonly book = new NpmOrderBook();
  readonly #sink: FillSink;

  constructor(sink: FillSink) {
    this.#sink = sink;
  }

  play(operation: MatchingOperation): void {
    switch (operation.kind) {
      case 'limit':
        return this.#report(operation.id, this.book.limit(limitTerms(operation)));
      case 'market':
        return this.#report(operation.id, this.book.market(marketTerms(operation)));
      case 'cancel':
        this.book.cancel(String(operation.id));
        return;
      default:
        operation.kind satisfies never;
    }
  }

  /** `done` and `partial` contain the filled makers and also the taker. */
  #report(taker: number, { done, partial, partialQuantityProcessed }: Processed): void {
    for (const order of done) {
      const maker = Number(order.id);
      if (maker !== taker && 'price' in order) this.#sink(taker, maker, order.price, order.size);
    }
    if (partial === null) return;
    const maker = Number(partial.id);
    if (maker !== taker) this.#sink(taker, maker, partial.price, partialQuantityProcessed);
  }
}

// Plain literals, because a spread would slow the peer.

function limitTerms({
  id,
  participant,
  side,
  price,
  leaves,
  timeInForce,
  postOnly,
  stp,
}: MatchingOperation): LimitTerms {
  return {
    id: String(id),
    side: side === 'BUY' ? Side.BUY : Side.SELL,
    size: leaves,
    price,
    timeInForce: timeInForce as NonNullable<LimitTerms['timeInForce']>,
    postOnly,
    accountId: participant === BACKGROUND ? '' : String(participant),
    stpMode: stp as SelfTradePreventionMode,
  };
}

function marketTerms({ id, participant, side, leaves, stp }: MatchingOperation): MarketTerms {
  return {
    id: String(id),
    side: side === 'BUY' ? Side.BUY : Side.SELL,
    size: leaves,
    accountId: participant === BACKGROUND ? '' : String(participant),
    stpMode: stp as SelfTradePreventionMode,
  };
}
