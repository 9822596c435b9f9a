import { assert } from '../../model/assert.js';
import type { Side } from '../../model/order.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import { BACKGROUND, type BookOrder } from './book-order.js';
import { BookSide } from './book-side.js';

/** What happens instead of a trade of a participant with itself; the taker's mode decides. */
export type SelfTradePrevention = 'NONE' | 'EXPIRE_TAKER' | 'EXPIRE_MAKER' | 'EXPIRE_BOTH' | 'DECREMENT';

export type BookTimeInForce = 'GTC' | 'IOC' | 'FOK';

/**
 * What became of an order. RESTING: in the book with what it has left. FILLED: traded to the last lot. EXPIRED: the rest
 * of an IOC or market order, or what self-trade prevention ended. WOULD_CROSS (post-only) and NOT_FILLABLE (FOK): refused,
 * and nothing has happened.
 */
export type SubmitResult = 'RESTING' | 'FILLED' | 'EXPIRED' | 'WOULD_CROSS' | 'NOT_FILLABLE';

/** The price of a market order that takes any. */
export const ANY_PRICE = 0 as Ticks;

/** Told of what happens to orders, in the order it happens. Must not call the book back. */
export interface BookListener {
  /** One match at the maker's price. Both leaves are reduced already; a maker with none left has left the book. */
  traded(taker: BookOrder, maker: BookOrder, price: Ticks, quantity: Lots): void;
  /**
   * Self-trade prevention took lots from a resting order, which has left the book unless it is still resting. What it
   * took from the taker shows in the taker's leaves.
   */
  prevented(order: BookOrder, quantity: Lots): void;
}

/** Limit order book of one instrument: price first, then time. */
export class OrderBook {
  readonly #bids = new BookSide('BUY');
  readonly #asks = new BookSide('SELL');
  readonly #listener: BookListener;
  #orderCount = 0;

  constructor(listener: BookListener) {
    this.#listener = listener;
  }

  /** Orders that rest in the book. */
  get orderCount(): number {
    return this.#orderCount;
  }

  /** Highest price bid; 0 when there is none. */
  bestBid(): Ticks | 0 {
    return this.#bids.best?.price ?? 0;
  }

  /** Lowest price asked; 0 when there is none. */
  bestAsk(): Ticks | 0 {
    return this.#asks.best?.price ?? 0;
  }

  /** Matches what crosses; the rest rests (GTC) or expires (IOC). FOK and post-only are refused whole. */
  limit(order: BookOrder, timeInForce: BookTimeInForce, postOnly: boolean, stp: SelfTradePrevention): SubmitResult {
    assert(!order.isResting && order.leaves > 0 && order.price > 0, 'an order comes with lots and a price');
    if (postOnly && this.#isCrossing(order.side, order.price)) return 'WOULD_CROSS';
    if (timeInForce === 'FOK' && this.#opposite(order.side).available(order.leaves, order.price) < order.leaves)
      return 'NOT_FILLABLE';
    return this.#place(order, timeInForce === 'GTC', stp);
  }

  /** Matches at once down to the order's price; what is left expires. */
  market(order: BookOrder, stp: SelfTradePrevention): SubmitResult {
    assert(!order.isResting && order.leaves > 0, 'an order comes with lots');
    return this.#place(order, false, stp);
  }

  /** Takes out a resting order; its leaves stay as they are. */
  cancel(order: BookOrder): void {
    assert(order.isResting, 'only a resting order is cancelled');
    this.#remove(order);
  }

  /**
   * Changes a resting order. Fewer lots at the same price keep its place; anything else puts it at the rear of its price,
   * after matching what crosses. Post-only: refused with WOULD_CROSS when it would match, and then unchanged.
   */
  amend(
    order: BookOrder,
    price: Ticks,
    leaves: Lots,
    postOnly = false,
    stp: SelfTradePrevention = 'NONE',
  ): SubmitResult {
    assert(order.isResting && leaves > 0 && price > 0, 'a resting order is amended to lots and a price');
    if (price === order.price && leaves <= order.leaves) {
      order.level!.reduce(order, (order.leaves - leaves) as Lots);
      return 'RESTING';
    }
    if (postOnly && this.#isCrossing(order.side, price)) return 'WOULD_CROSS';
    this.#remove(order);
    order.price = price;
    order.leaves = leaves;
    return this.#place(order, true, stp);
  }

  quantityAt(side: Side, price: Ticks): Lots {
    return this.#side(side).find(price)?.quantity ?? (0 as Lots);
  }

  /** First in line at a price; the others follow by `behind`. */
  frontOf(side: Side, price: Ticks): BookOrder | null {
    return this.#side(side).find(price)?.front ?? null;
  }

  /** Writes prices (ticks) and quantities (lots) of the best `count` levels, best first; returns how many there are. */
  depth(side: Side, prices: Float64Array, quantities: Float64Array, count: number): number {
    const levels = this.#side(side);
    const shown = Math.min(count, levels.levelCount);
    for (let rank = 0; rank < shown; rank += 1) {
      const level = levels.at(rank);
      prices[rank] = level.price;
      quantities[rank] = level.quantity;
    }
    return shown;
  }

  /** What taking `wanted` lots at `limit` or better (null: any price) would trade; notional in lots × ticks. */
  preview(takerSide: Side, wanted: Lots, limit: Ticks | null): { quantity: Lots; notional: bigint } {
    const makers = this.#opposite(takerSide);
    const worst = worstPrice(takerSide, limit ?? ANY_PRICE);
    let left: number = wanted;
    let notional = 0n;
    for (let rank = 0; rank < makers.levelCount && left > 0; rank += 1) {
      const level = makers.at(rank);
      if (!makers.isWithin(level.price, worst)) break;
      const quantity = Math.min(left, level.quantity);
      notional += BigInt(quantity) * BigInt(level.price);
      left -= quantity;
    }
    return { quantity: (wanted - left) as Lots, notional };
  }

  #side(side: Side): BookSide {
    return side === 'BUY' ? this.#bids : this.#asks;
  }

  #opposite(side: Side): BookSide {
    return side === 'BUY' ? this.#asks : this.#bids;
  }

  #isCrossing(side: Side, price: Ticks): boolean {
    const makers = this.#opposite(side);
    return makers.best !== null && makers.isWithin(makers.best.price, price);
  }

  #remove(order: BookOrder): void {
    this.#side(order.side).remove(order);
    this.#orderCount -= 1;
  }

  #place(order: BookOrder, mayRest: boolean, stp: SelfTradePrevention): SubmitResult {
    const isLive = this.#match(order, stp);
    if (!isLive) return 'EXPIRED';
    if (order.leaves === 0) return 'FILLED';
    if (!mayRest) return 'EXPIRED';
    this.#side(order.side).rest(order);
    this.#orderCount += 1;
    return 'RESTING';
  }

  /** Matches the order with what it crosses; false when self-trade prevention ended it. */
  #match(taker: BookOrder, stp: SelfTradePrevention): boolean {
    const makers = this.#opposite(taker.side);
    const limit = worstPrice(taker.side, taker.price);
    const isGuarded = stp !== 'NONE' && taker.participant !== BACKGROUND;
    while (taker.leaves > 0) {
      const level = makers.best;
      if (level === null || !makers.isWithin(level.price, limit)) break;
      const maker = level.front!;
      if (!isGuarded || maker.participant !== taker.participant) this.#trade(taker, maker, level.price);
      else if (!this.#prevent(taker, maker, stp)) return false;
    }
    return true;
  }

  #trade(taker: BookOrder, maker: BookOrder, price: Ticks): void {
    const quantity = Math.min(taker.leaves, maker.leaves) as Lots;
    taker.leaves = (taker.leaves - quantity) as Lots;
    this.#take(maker, quantity);
    this.#listener.traded(taker, maker, price, quantity);
  }

  /** Instead of a trade with itself; returns whether the taker may go on. */
  #prevent(taker: BookOrder, maker: BookOrder, stp: SelfTradePrevention): boolean {
    if (stp === 'EXPIRE_TAKER') return false;
    const quantity = stp === 'DECREMENT' ? (Math.min(taker.leaves, maker.leaves) as Lots) : maker.leaves;
    if (stp === 'DECREMENT') taker.leaves = (taker.leaves - quantity) as Lots;
    this.#take(maker, quantity);
    this.#listener.prevented(maker, quantity);
    return stp === 'EXPIRE_MAKER' || (stp === 'DECREMENT' && taker.leaves > 0);
  }

  /** Takes lots from a resting order, and the order out of the book when it has no more. */
  #take(maker: BookOrder, lots: Lots): void {
    maker.level!.reduce(maker, lots);
    if (maker.leaves === 0) this.#remove(maker);
  }
}

/** A taker's limit, for an order of any price too. */
function worstPrice(takerSide: Side, price: Ticks): Ticks {
  return price === ANY_PRICE && takerSide === 'BUY' ? (Number.MAX_SAFE_INTEGER as Ticks) : price;
}
