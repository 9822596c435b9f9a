import type { Side } from '../../domain/order.js';
import type { Lots, Ticks } from '../../domain/quantity.js';
import type { EpochMs } from '../../domain/time.js';
import { type QueueModel, QueuePosition } from './queue-model.js';
import { isBetter, type RemainingBook, type ShownLevels } from './remaining-book.js';
import { accepts, type MatchedOrder, type RestingOrder, RestingOrders } from './resting-orders.js';

/** How one of our orders traded. */
export type MatchCause = 'take' | 'trade' | 'crossing';

export interface Match<Order> {
  readonly order: Order;
  readonly cause: MatchCause;
  readonly quantity: Lots;
  readonly price: Ticks;
  readonly atMs: EpochMs;
}

export interface MarketMatchingParts<Order> {
  readonly shown: ShownLevels;
  readonly remaining: RemainingBook;
  readonly queueModel: QueueModel;
  /** Books the match and reduces the order's leaves before it returns. It may remove other orders. */
  readonly onMatch: (match: Match<Order>) => void;
}

/**
 * Matches our orders against a market that does not react to them: a recorded one or a real one. An order can trade in
 * three ways, never for more than the quantity that the market shows or trades:
 *
 *   take       a crossing order takes the remaining quantity of the opposite levels
 *   trade      a trade of others fills our resting orders: at once when it passed their price; at it only after the
 *              queue ahead of them has traded; in total at most the trade's quantity
 *   crossing   the opposite side reaches our price: at most the remaining quantity there
 *
 * Resting orders trade at their own price. Our orders never trade with each other.
 */
export class MarketMatching<Order extends MatchedOrder> {
  readonly resting = new RestingOrders<Order>();
  readonly #parts: MarketMatchingParts<Order>;

  constructor(parts: MarketMatchingParts<Order>) {
    this.#parts = parts;
  }

  /** Best opposite price for an order of this side; 0 when that side is empty. */
  touch(side: Side): Ticks {
    return this.#parts.remaining.best(opposite(side));
  }

  /** True when an order at this price would trade at once. */
  isCrossing(side: Side, price: Ticks): boolean {
    const touch = this.touch(side);
    return touch > 0 && (side === 'BUY' ? touch <= price : touch >= price);
  }

  /** Trades the order against the remaining book. */
  take(order: Order, atMs: EpochMs): void {
    this.#parts.remaining.refresh(atMs);
    this.#matchOpposite(order, null, atMs);
  }

  /**
   * Trades the order against the part of the remaining book that comes before one of our own resting orders: all better
   * levels, and the quantity ahead of it at its price.
   */
  takeBefore(order: Order, { price, queue }: RestingOrder<Order>, atMs: EpochMs): void {
    const side = opposite(order.side);
    const ahead = Math.max(0, Math.ceil(queue.ahead) - this.#parts.remaining.takenAt(side, price));
    this.#matchOpposite(order, null, atMs, { price, ahead });
  }

  /** Puts the order at the end of its level's queue. */
  rest(order: Order, price: Ticks): void {
    const shown = this.#parts.shown.quantityAt(order.side, price);
    this.resting.add(order, new QueuePosition(this.#parts.queueModel, shown));
  }

  remove(order: Order): void {
    this.resting.remove(order);
  }

  /** Applies a trade of others; returns the quantity that our orders received. */
  onTrade(price: Ticks, quantity: Lots, takerSide: Side, atMs: EpochMs): Lots {
    const makerSide = opposite(takerSide);
    let left = quantity;
    for (const { order, price: own, queue } of this.resting.side(makerSide)) {
      if (left === 0 || isBetter(makerSide, price, own)) break;
      if (!order.isOpen) continue;
      const reaching = own === price ? queue.onTrade(left) : left;
      const matched = Math.min(reaching, order.leaves) as Lots;
      if (matched === 0) continue;
      left = (left - matched) as Lots;
      this.#match({ order, cause: 'trade', quantity: matched, price: own, atMs });
    }
    return (quantity - left) as Lots;
  }

  /** Called when the shown book may have changed. */
  onBook(atMs: EpochMs): void {
    this.#parts.remaining.refresh(atMs);
    if (this.resting.count === 0) return;
    this.#follow('BUY', atMs);
    this.#follow('SELL', atMs);
  }

  #follow(side: Side, atMs: EpochMs): void {
    for (const { order, price, queue } of this.resting.side(side)) {
      queue.onShown(this.#parts.shown.quantityAt(side, price));
      if (order.isOpen && this.isCrossing(side, price)) this.#matchOpposite(order, price, atMs);
    }
  }

  /**
   * Matches with the remaining opposite levels: at the price of a resting order, or at the levels' prices for an order
   * that takes (`ownPrice` null). `until`: stops there, after `ahead` lots at that price.
   */
  #matchOpposite(order: Order, ownPrice: Ticks | null, atMs: EpochMs, until?: Stop): void {
    const cause = ownPrice === null ? 'take' : 'crossing';
    const { remaining } = this.#parts;
    const side = opposite(order.side);
    remaining.walk(side, (level, left) => {
      if (!accepts(order, level)) return false;
      const isLast = until !== undefined && !isBetter(side, level, until.price);
      const reached = isLast ? (level === until.price ? Math.min(left, until.ahead) : 0) : left;
      const quantity = Math.min(reached, order.leaves) as Lots;
      if (quantity > 0) {
        remaining.take(side, level, quantity);
        this.#match({ order, cause, quantity, price: ownPrice ?? level, atMs });
      }
      return !isLast && order.isOpen && order.leaves > 0;
    });
  }

  #match(match: Match<Order>): void {
    this.#parts.onMatch(match);
    if (match.order.leaves === 0) this.resting.remove(match.order);
  }
}

/** Where a taker stops in the opposite side. */
interface Stop {
  readonly price: Ticks;
  readonly ahead: number;
}

export function opposite(side: Side): Side {
  return side === 'BUY' ? 'SELL' : 'BUY';
}
