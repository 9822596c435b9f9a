import { assert } from '../../domain/rejection.js';
import type { Side } from '../../domain/order.js';
import type { Lots, Ticks } from '../../domain/quantity.js';
import type { SelfTradePrevention } from '../../domain/instrument.js';
import {
  ANY_PRICE,
  BACKGROUND,
  type BookOrder,
  type BookTimeInForce,
  type MatchOutcome,
  type SubmitResult,
  worstPrice,
} from './book-order.js';
import { BookSide } from './book-side.js';

/** Receives events of orders in sequence. It must not place, change or cancel an order during a call. */
export interface BookListener {
  /** One match at the maker's price. Both leaves are already reduced; a maker without leaves has left the book. */
  traded(taker: BookOrder, maker: BookOrder, price: Ticks, quantity: Lots): void;
  /**
   * Self-trade prevention removed lots from a resting order, which has left the book when it has no leaves. The taker's
   * own loss appears in its leaves and result.
   */
  prevented(order: BookOrder, quantity: Lots): void;
}

/** Limit order book of one instrument with price-time priority. */
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
   * Matches the crossing part; the rest rests or expires. Refuses a post-only order that would match. A FOK order
   * counts every order in reach and ignores self-trade prevention, as at Binance: otherwise it could end partly filled.
   */
  limit(order: BookOrder, timeInForce: BookTimeInForce, postOnly: boolean, stp: SelfTradePrevention): SubmitResult {
    assert(!order.isResting && order.leaves > 0 && order.price > 0, 'a new order has lots and a price');
    if (postOnly && this.#isCrossing(order.side, order.price)) return 'WOULD_CROSS';
    if (timeInForce !== 'FOK') return this.#place(order, timeInForce === 'GTC', stp);
    const available = this.#opposite(order.side).available(order.leaves, order.price);
    return available < order.leaves ? 'NOT_FILLABLE' : this.#place(order, false, 'NONE');
  }

  /** Matches at once, at the order's price or better; the rest expires. */
  market(order: BookOrder, stp: SelfTradePrevention): SubmitResult {
    assert(!order.isResting && order.leaves > 0, 'a new order has lots');
    return this.#place(order, false, stp);
  }

  /** Matches a taker with the first maker only. */
  matchFirst(taker: BookOrder, stp: SelfTradePrevention): MatchOutcome {
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

  /** Removes a resting order; its leaves stay unchanged. */
  cancel(order: BookOrder): void {
    assert(order.isResting, 'only a resting order can be cancelled');
    this.#remove(order);
  }

  /** Highest bid price; 0 when there is none. */
  bestBid(): Ticks | 0 {
    return this.#bids.best?.price ?? 0;
  }

  /** Lowest ask price; 0 when there is none. */
  bestAsk(): Ticks | 0 {
    return this.#asks.best?.price ?? 0;
  }

  quantityAt(side: Side, price: Ticks): Lots {
    return this.#side(side).find(price)?.quantity ?? (0 as Lots);
  }

  /** First order at a price; the others follow by `behind`. */
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

  /** Result of taking `wanted` lots at `limit` or better (null: any price); the notional is in lots × ticks. */
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

  /** Matches the taker with all crossing makers; false when self-trade prevention ended it. */
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

  /** Applies self-trade prevention to the pair; false when it ends the taker. */
  #prevent(taker: BookOrder, maker: BookOrder, stp: SelfTradePrevention): boolean {
    if (stp === 'EXPIRE_TAKER') return false;
    const isDecrement = stp === 'DECREMENT';
    const quantity = isDecrement ? (Math.min(taker.leaves, maker.leaves) as Lots) : maker.leaves;
    if (isDecrement) taker.leaves = (taker.leaves - quantity) as Lots;
    this.#take(maker, quantity);
    this.#listener.prevented(maker, quantity);
    return stp !== 'EXPIRE_BOTH' && taker.leaves > 0;
  }

  /** Removes lots from a resting order. Removes the order when it has no leaves. */
  #take(maker: BookOrder, quantity: Lots): void {
    maker.level!.reduce(maker, quantity);
    if (maker.leaves === 0) this.#remove(maker);
  }

  #remove(order: BookOrder): void {
    this.#side(order.side).remove(order);
    this.#orderCount -= 1;
  }
}

/** True when self-trade prevention applies to the taker. */
function isGuarded({ participant }: BookOrder, stp: SelfTradePrevention): boolean {
  return stp !== 'NONE' && participant !== BACKGROUND;
}
