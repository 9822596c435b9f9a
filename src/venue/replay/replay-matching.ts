import type { Side } from '../../model/order.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import type { EpochMs } from '../../model/time.js';
import type { QueueModel } from './queue-model.js';
import { QueuePosition } from './queue-position.js';
import type { RemainingBook } from './remaining-book.js';
import type { ReplayOrder } from './replay-order.js';
import { RestingOrders } from './resting-orders.js';
import { isBetter, type ShownBook } from './shown-book.js';

/** How an order of ours came to trade. */
export type MatchCause = 'take' | 'trade' | 'crossing';

export interface Match {
  readonly order: ReplayOrder;
  readonly cause: MatchCause;
  readonly quantity: Lots;
  readonly price: Ticks;
  readonly atMs: EpochMs;
}

export interface ReplayMatchingParts {
  readonly shown: ShownBook;
  readonly remaining: RemainingBook;
  readonly queueModel: QueueModel;
  /** Books the match, which lowers what is left of the order, before it returns. */
  readonly onMatch: (match: Match) => void;
}

/**
 * Our orders against a recorded market, which goes on as if we were not there. Three ways to trade, none of which gives
 * us more than the recording had to give:
 *
 *   take       an order that crosses takes what is left of the levels it meets
 *   trade      a recorded trade comes to our waiting orders: at once when it went through their price, at their price
 *              when what was ahead of them is used up; in sum at most the trade's quantity
 *   crossing   what the other side shows at our price or beyond would have met us: at most what is left there
 *
 * Waiting orders trade at their own price. Our orders never meet each other.
 */
export class ReplayMatching {
  readonly resting = new RestingOrders();
  readonly #parts: ReplayMatchingParts;

  constructor(parts: ReplayMatchingParts) {
    this.#parts = parts;
  }

  /** Best price that an order of this side would meet; 0 when nobody is there. */
  touch(side: Side): Ticks {
    return this.#parts.remaining.best(opposite(side));
  }

  /** True when an order at this price would trade at once. */
  isCrossing(side: Side, price: Ticks): boolean {
    const touch = this.touch(side);
    return touch > 0 && (side === 'BUY' ? touch <= price : touch >= price);
  }

  /** Trades what can be traded at once. */
  take(order: ReplayOrder, atMs: EpochMs): void {
    this.#meet(order, 'take', null, atMs);
  }

  /** Lets the rest wait behind all that its level shows. */
  rest(order: ReplayOrder, price: Ticks): void {
    const shown = this.#parts.shown.quantityAt(order.side, price);
    this.resting.add(order, new QueuePosition(this.#parts.queueModel, shown));
  }

  remove(order: ReplayOrder): void {
    this.resting.remove(order);
  }

  /** A recorded trade; returns how much of it came to us. */
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

  /** The shown book may have changed. */
  onBook(atMs: EpochMs): void {
    this.#parts.remaining.refresh();
    if (this.resting.count === 0) return;
    this.#follow('BUY', atMs);
    this.#follow('SELL', atMs);
  }

  #follow(side: Side, atMs: EpochMs): void {
    for (const { order, price, queue } of this.resting.side(side)) {
      queue.onShown(this.#parts.shown.quantityAt(side, price));
      if (this.isCrossing(side, price)) this.#meet(order, 'crossing', price, atMs);
    }
  }

  /** Matches with what is left of the other side, at the levels' prices or at the order's own. */
  #meet(order: ReplayOrder, cause: MatchCause, ownPrice: Ticks | null, atMs: EpochMs): void {
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
