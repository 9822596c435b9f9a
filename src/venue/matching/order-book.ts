import { assert } from '../../model/assert.js';
import type { Side } from '../../model/order.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import type { SelfTradePrevention } from '../../model/self-trade-prevention.js';
import type { BookOrder } from './book-order.js';
import { BookSide } from './book-side.js';
import {
  ANY_PRICE,
  BACKGROUND,
  worstPrice,
  type BookTimeInForce,
  type Meeting,
  type SubmitResult,
} from './order-terms.js';

/** Told of what happens to orders, in the order it happens. It must not place, change or cancel any order meanwhile. */
export interface BookListener {
  /** One match at the maker's price. Both leaves are reduced already; a maker with none left has left the book. */
  traded(taker: BookOrder, maker: BookOrder, price: Ticks, quantity: Lots): void;
  /**
   * Self-trade prevention took lots from a resting order, which has left the book when it has none left. What the taker
   * lost by it is seen from the taker's own leaves and result.
   */
  prevented(order: BookOrder, quantity: Lots): void;
}

/** Limit order book of one instrument: the best price trades first, and at one price the order that came first. */
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

  /**
   * Matches what the order crosses; what is left rests or expires. A post-only order that would match is refused.
   * A FOK counts every order in its reach and self-trade prevention does not apply to it, as at Binance: else it could
   * end half filled.
   */
  limit(order: BookOrder, timeInForce: BookTimeInForce, postOnly: boolean, stp: SelfTradePrevention): SubmitResult {
    assert(!order.isResting && order.leaves > 0 && order.price > 0, 'a new order has lots and a price');
    if (postOnly && this.#isCrossing(order.side, order.price)) return 'WOULD_CROSS';
    if (timeInForce !== 'FOK') return this.#place(order, timeInForce === 'GTC', stp);
    const available = this.#opposite(order.side).available(order.leaves, order.price);
    return available < order.leaves ? 'NOT_FILLABLE' : this.#place(order, false, 'NONE');
  }

  /** Matches at once, at the order's price or better; what is left expires. */
  market(order: BookOrder, stp: SelfTradePrevention): SubmitResult {
    assert(!order.isResting && order.leaves > 0, 'a new order has lots');
    return this.#place(order, false, stp);
  }

  /** A taker meets the first in line, and nobody else. */
  meet(taker: BookOrder, stp: SelfTradePrevention): Meeting {
    assert(!taker.isResting && taker.leaves > 0, 'a taker has lots');
    const makers = this.#opposite(taker.side);
    const level = makers.best;
    if (level === null || !makers.isWithin(level.price, worstPrice(taker.side, taker.price))) return 'OUT_OF_REACH';
    const maker = level.front!;
    if (isGuarded(taker, stp) && maker.participant === taker.participant) {
      return this.#prevent(taker, maker, stp) ? 'PREVENTED' : 'ENDED';
    }
    this.#trade(taker, maker);
    return 'TRADED';
  }

  /** Takes out a resting order; its leaves stay as they are. */
  cancel(order: BookOrder): void {
    assert(order.isResting, 'only a resting order can be cancelled');
    this.#remove(order);
  }

  /**
   * Gives a resting order another price or quantity. Fewer lots at the same price keep its place; after any other change
   * it matches what it crosses, and what is left goes to the rear of its price. WOULD_CROSS: a post-only order would have
   * matched, and stays as it was.
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

  /** Highest price bid; 0 when there is none. */
  bestBid(): Ticks | 0 {
    return this.#bids.best?.price ?? 0;
  }

  /** Lowest price asked; 0 when there is none. */
  bestAsk(): Ticks | 0 {
    return this.#asks.best?.price ?? 0;
  }

  quantityAt(side: Side, price: Ticks): Lots {
    return this.#side(side).find(price)?.quantity ?? (0 as Lots);
  }

  /** First in line at a price; the others follow by `behind`. */
  frontOf(side: Side, price: Ticks): BookOrder | null {
    return this.#side(side).find(price)?.front ?? null;
  }

  /** Writes prices (ticks) and quantities (lots) of up to `count` levels, best first; returns how many it wrote. */
  depth(side: Side, prices: Float64Array, quantities: Float64Array, count: number): number {
    const levels = this.#side(side);
    const shown = Math.min(count, levels.levelCount);
    for (let index = 0; index < shown; index += 1) {
      const level = levels.at(index);
      prices[index] = level.price;
      quantities[index] = level.quantity;
    }
    return shown;
  }

  /** What taking `wanted` lots at `limit` or better (null: at any price) would trade; the notional in lots × ticks. */
  preview(takerSide: Side, wanted: Lots, limit: Ticks | null): { quantity: Lots; notional: bigint } {
    return this.#opposite(takerSide).preview(wanted, worstPrice(takerSide, limit ?? ANY_PRICE));
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

  #place(order: BookOrder, mayRest: boolean, stp: SelfTradePrevention): SubmitResult {
    if (!this.#match(order, stp)) return 'EXPIRED';
    if (order.leaves === 0) return 'FILLED';
    if (!mayRest) return 'EXPIRED';
    this.#side(order.side).rest(order);
    this.#orderCount += 1;
    return 'RESTING';
  }

  /** Matches the taker with all it crosses; false when self-trade prevention ended it. */
  #match(taker: BookOrder, stp: SelfTradePrevention): boolean {
    const makers = this.#opposite(taker.side);
    const worst = worstPrice(taker.side, taker.price);
    const isKeptApart = isGuarded(taker, stp);
    while (taker.leaves > 0) {
      const level = makers.best;
      if (level === null || !makers.isWithin(level.price, worst)) break;
      const maker = level.front!;
      if (!isKeptApart || maker.participant !== taker.participant) this.#trade(taker, maker);
      else if (!this.#prevent(taker, maker, stp)) return false;
    }
    return true;
  }

  #trade(taker: BookOrder, maker: BookOrder): void {
    const quantity = Math.min(taker.leaves, maker.leaves) as Lots;
    taker.leaves = (taker.leaves - quantity) as Lots;
    this.#take(maker, quantity);
    this.#listener.traded(taker, maker, maker.price, quantity);
  }

  /** Keeps a participant from trading with itself; false when that ends the taker. */
  #prevent(taker: BookOrder, maker: BookOrder, stp: SelfTradePrevention): boolean {
    if (stp === 'EXPIRE_TAKER') return false;
    const isDecrement = stp === 'DECREMENT';
    const quantity = isDecrement ? (Math.min(taker.leaves, maker.leaves) as Lots) : maker.leaves;
    if (isDecrement) taker.leaves = (taker.leaves - quantity) as Lots;
    this.#take(maker, quantity);
    this.#listener.prevented(maker, quantity);
    return stp !== 'EXPIRE_BOTH' && taker.leaves > 0;
  }

  /** Takes lots from a resting order, and the order out of the book when it has no more. */
  #take(maker: BookOrder, quantity: Lots): void {
    maker.level!.reduce(maker, quantity);
    if (maker.leaves === 0) this.#remove(maker);
  }

  #remove(order: BookOrder): void {
    this.#side(order.side).remove(order);
    this.#orderCount -= 1;
  }
}

/** Whether the taker is to be kept from trading with its own participant. */
function isGuarded({ participant }: BookOrder, stp: SelfTradePrevention): boolean {
  return stp !== 'NONE' && participant !== BACKGROUND;
}
