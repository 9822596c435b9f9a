import { assert } from '../../model/assert.js';
import type { Side } from '../../model/order.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import type { LevelVisitor, ShownBook } from './shown-book.js';

/** What we took from a level, and what the level showed when we did. */
interface Take {
  readonly side: Side;
  readonly price: Ticks;
  readonly shown: Lots;
  taken: number;
}

/**
 * What is left of the shown book after our own takes. A recording cannot be moved by us, so what we took from a level
 * stays taken until the level shows another quantity, as in nautilus_trader's liquidity consumption: the same lots are
 * never bought twice, and what others do to the level counts as news of it.
 */
export class RemainingBook {
  readonly #shown: ShownBook;
  /** By price, asks negative. */
  readonly #takes = new Map<number, Take>();

  constructor(shown: ShownBook) {
    this.#shown = shown;
  }

  /** Best price at which anything is left; 0 when nothing is. */
  best(side: Side): Ticks {
    if (this.#takes.size === 0) return this.#shown.best(side);
    let best = 0 as Ticks;
    this.walk(side, (price) => {
      best = price;
      return false;
    });
    return best;
  }

  quantityAt(side: Side, price: Ticks): Lots {
    return this.#left(side, price, this.#shown.quantityAt(side, price));
  }

  /** Levels at which anything is left, best first. */
  walk(side: Side, visit: LevelVisitor): void {
    this.#shown.walk(side, (price, quantity) => {
      const left = this.#left(side, price, quantity);
      return left === 0 || visit(price, left);
    });
  }

  /** No more than is left. */
  take(side: Side, price: Ticks, quantity: Lots): void {
    const shown = this.#shown.quantityAt(side, price);
    assert(quantity <= this.#left(side, price, shown), 'no more is taken from a level than is left of it');
    const key = keyOf(side, price);
    const take = this.#takes.get(key);
    if (take === undefined) this.#takes.set(key, { side, price, shown, taken: quantity });
    else take.taken += quantity;
  }

  /** Called when the shown book may have changed: levels with news are whole again. */
  refresh(): void {
    for (const [key, { side, price, shown }] of this.#takes) {
      if (this.#shown.quantityAt(side, price) !== shown) this.#takes.delete(key);
    }
  }

  #left(side: Side, price: Ticks, shown: Lots): Lots {
    const take = this.#takes.size === 0 ? undefined : this.#takes.get(keyOf(side, price));
    return (take === undefined ? shown : shown - take.taken) as Lots;
  }
}

function keyOf(side: Side, price: Ticks): number {
  return side === 'BUY' ? price : 0 - price;
}
