import type { Side } from '../../domain/order.js';
import type { Lots, Ticks } from '../../domain/quantity.js';
import type { EpochMs } from '../../domain/time.js';
import { type BacktestOrder, BacktestRestingOrders } from './backtest-order.js';
import { type QueueModel, QueuePosition } from './queue-model.js';
import { isBetter, type RemainingBook, type ShownBook } from './shown-book.js';

/** How one of our orders traded. */
export type MatchCause = 'take' | 'trade' | 'crossing';

export interface Match {
  readonly order: BacktestOrder;
  readonly cause: MatchCause;
  readonly quantity: Lots;
  readonly price: Ticks;
  readonly atMs: EpochMs;
}

export interface BacktestMatchingParts {
  readonly shown: ShownBook;
  readonly remaining: RemainingBook;
  readonly queueModel: QueueModel;
  /** Books the match and reduces the order's leaves before it returns. */
  readonly onMatch: (match: Match) => void;
}

/**
 * Matches our orders against a recorded market that does not react to them. An order can trade in three ways, never for
 * more than the recorded quantity:
 *
 *   take       a crossing order takes the remaining quantity of the opposite levels
 *   trade      a recorded trade fills our resting orders: at once when it passed their price; at their price only after
 *              the queue ahead of them has traded; in total at most the trade's quantity
 *   crossing   the opposite side reaches our price: at most the remaining quantity there
 *
 * Resting orders trade at their own price. Our orders never trade with each other.
 */
export class BacktestMatching {
  readonly resting = new BacktestRestingOrders();
  readonly #parts: BacktestMatchingParts;

  constructor(parts: BacktestMatchingParts) {
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
  take(order: BacktestOrder, atMs: EpochMs): void {
    this.#matchOpposite(order, 'take', null, atMs);
  }

  /** Puts the order at the end of its level's queue. */
  rest(order: BacktestOrder, price: Ticks): void {
    const shown = this.#parts.shown.quantityAt(order.side, price);
    this.resting.add(order, new QueuePosition(this.#parts.queueModel, shown));
  }

  remove(order: BacktestOrder): void {
    this.resting.remove(order);
  }

  /** Applies a recorded trade; returns the quantity that our orders received. */
  onTrade(price: Ticks, quantity: Lots, takerSide: Side, atMs: EpochMs): Lots {
    const makerSide = opposite(takerSide);
    let left = quantity;
    for (const { order, price: own, queue } of this.resting.side(makerSide)) {
      if (left === 0 || isBetter(makerSide, price, own)) break;
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
    this.#parts.remaining.refresh();
    if (this.resting.count === 0) return;
    this.#follow('BUY', atMs);
    this.#follow('SELL', atMs);
  }

  #follow(side: Side, atMs: EpochMs): void {
    for (const { order, price, queue } of this.resting.side(side)) {
      queue.onShown(this.#parts.shown.quantityAt(side, price));
      if (this.isCrossing(side, price)) this.#matchOpposite(order, 'crossing', price, atMs);
    }
  }

  /** Matches with the remaining opposite levels, at the levels' prices or at the order's own. */
  #matchOpposite(order: BacktestOrder, cause: MatchCause, ownPrice: Ticks | null, atMs: EpochMs): void {
    const { remaining } = this.#parts;
    const side = opposite(order.side);
    remaining.walk(side, (level, left) => {
      if (!order.accepts(level)) return false;
      const quantity = Math.min(left, order.leaves) as Lots;
      remaining.take(side, level, quantity);
      this.#match({ order, cause, quantity, price: ownPrice ?? level, atMs });
      return order.leaves > 0;
    });
  }

  #match(match: Match): void {
    this.#parts.onMatch(match);
    if (match.order.leaves === 0) this.resting.remove(match.order);
  }
}

export function opposite(side: Side): Side {
  return side === 'BUY' ? 'SELL' : 'BUY';
}
