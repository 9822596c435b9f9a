import type { Side } from '../../../domain/order.js';
import type { Lots, Ticks } from '../../../domain/quantity.js';
import { isBetter, type LevelVisitor, type ShownLevels } from '../../matching/remaining-book.js';

/** One price level of a real book, on the grid of its instrument. */
export interface BookLevel {
  readonly price: Ticks;
  readonly quantity: Lots;
}

interface ShownSide {
  /** From the stream of the best bid and ask; null: unknown, or older than the depth. */
  touch: BookLevel | null;
  /** Best first; empty without a subscription to the depth. */
  depth: readonly BookLevel[];
}

const ZERO = 0 as Lots;

/**
 * The book of a real exchange as its streams show it: always the best bid and ask, and the depth while a strategy
 * subscribes it. The latest record decides: a new touch removes the depth that is better than it.
 */
export class LiveBook implements ShownLevels {
  readonly #sides: Readonly<Record<Side, ShownSide>> = {
    BUY: { touch: null, depth: [] },
    SELL: { touch: null, depth: [] },
  };

  /** True when at least one side shows a price. */
  get isKnown(): boolean {
    return this.best('BUY') > 0 || this.best('SELL') > 0;
  }

  /** A side without orders has quantity 0. */
  onTouch(bid: BookLevel, ask: BookLevel): void {
    this.#sides.BUY.touch = bid;
    this.#sides.SELL.touch = ask;
  }

  /** A whole book, best first. */
  onDepth(bids: readonly BookLevel[], asks: readonly BookLevel[]): void {
    this.#sides.BUY.depth = bids;
    this.#sides.SELL.depth = asks;
    this.#sides.BUY.touch = null;
    this.#sides.SELL.touch = null;
  }

  /** The depth is no longer delivered: keeps only its best levels, until the next touch. */
  dropDepth(): void {
    for (const side of [this.#sides.BUY, this.#sides.SELL]) {
      side.touch ??= side.depth[0] ?? null;
      side.depth = [];
    }
  }

  /** The streams are cut: nothing is known. */
  clear(): void {
    for (const side of [this.#sides.BUY, this.#sides.SELL]) {
      side.touch = null;
      side.depth = [];
    }
  }

  best(side: Side): Ticks {
    let best = 0 as Ticks;
    this.walk(side, (price) => {
      best = price;
      return false;
    });
    return best;
  }

  quantityAt(side: Side, price: Ticks): Lots | null {
    const { touch, depth } = this.#sides[side];
    if (touch !== null && touch.quantity > 0) {
      if (price === touch.price) return touch.quantity;
      if (isBetter(side, price, touch.price)) return ZERO;
    } else if (touch !== null) return ZERO;
    const last = depth.at(-1);
    if (last === undefined || isBetter(side, last.price, price)) return null;
    return depth.find((level) => level.price === price)?.quantity ?? ZERO;
  }

  walk(side: Side, visit: LevelVisitor): void {
    const { touch, depth } = this.#sides[side];
    if (touch !== null && (touch.quantity === 0 || !visit(touch.price, touch.quantity))) return;
    for (const { price, quantity } of depth) {
      const isSeen = touch !== null && !isBetter(side, touch.price, price);
      if (!isSeen && !visit(price, quantity)) return;
    }
  }
}
