import type { Side } from '../../domain/order.js';
import type { Lots, Ticks } from '../../domain/quantity.js';
import { assert } from '../../domain/rejection.js';
import type { RecordedBook } from './recorded-book.js';
import { TICKER } from './recorded-streams.js';
import { ABSENT, type RowBuffer } from './row-reader.js';

/** Receives a level, best first; returns true to get the next one. */
type LevelVisitor = (price: Ticks, quantity: Lots) => boolean;

interface Touch {
  price: Ticks;
  quantity: Lots;
}

/**
 * The book that the venue shows: recorded depth combined with the recorded ticker. Depth comes in batches and lags the
 * trades; the ticker does not. The update ids show which is newer, in any order of arrival. While the ticker is newer,
 * depth better than the ticker's touch is removed, and the touch has the ticker's quantity.
 */
export class ShownBook {
  readonly #depth: RecordedBook;
  readonly #bid: Touch = { price: 0 as Ticks, quantity: 0 as Lots };
  readonly #ask: Touch = { price: 0 as Ticks, quantity: 0 as Lots };
  #quoteId = ABSENT;

  constructor(depth: RecordedBook) {
    this.#depth = depth;
  }

  onQuote(rows: RowBuffer): void {
    const id = rows.at(0, TICKER.updateId);
    if (id <= this.#quoteId) return;
    this.#quoteId = id;
    this.#bid.price = rows.at(0, TICKER.bid) as Ticks;
    this.#bid.quantity = rows.at(0, TICKER.bidQuantity) as Lots;
    this.#ask.price = rows.at(0, TICKER.ask) as Ticks;
    this.#ask.quantity = rows.at(0, TICKER.askQuantity) as Lots;
  }

  /** Best price of a side; 0 while it is empty or unknown. */
  best(side: Side): Ticks {
    return this.#isTickerNewer ? this.#ticker(side).price : this.#depth.side(side).price(0);
  }

  quantityAt(side: Side, price: Ticks): Lots {
    if (!this.#isTickerNewer) return this.#depth.side(side).quantityAt(price);
    const ticker = this.#ticker(side);
    if (price === ticker.price) return ticker.quantity;
    return isBetter(side, price, ticker.price) ? (0 as Lots) : this.#depth.side(side).quantityAt(price);
  }

  walk(side: Side, visit: LevelVisitor): void {
    const depth = this.#depth.side(side);
    let rank = 0;
    if (this.#isTickerNewer) {
      const { price, quantity } = this.#ticker(side);
      if (price > 0 && !visit(price, quantity)) return;
      rank = depth.rankOf(price);
      if (depth.price(rank) === price) rank += 1;
    }
    while (rank < depth.count && visit(depth.price(rank), depth.quantity(rank))) rank += 1;
  }

  get #isTickerNewer(): boolean {
    return this.#quoteId > this.#depth.updateId;
  }

  #ticker(side: Side): Touch {
    return side === 'BUY' ? this.#bid : this.#ask;
  }
}

/** True when an order of that side at `price` is served before one at `other`. */
export function isBetter(side: Side, price: Ticks, other: Ticks): boolean {
  return side === 'BUY' ? price > other : price < other;
}

/** Quantity that we took from a level, and the level's shown quantity at that time. */
interface Take {
  readonly side: Side;
  readonly price: Ticks;
  readonly shown: Lots;
  taken: number;
}

/**
 * The shown book minus our own takes. A recording does not react to us, so a take stays subtracted until the level shows
 * another quantity, as in nautilus_trader's liquidity consumption. So we never buy the same lots twice, and a change by
 * other participants restores the level.
 */
export class RemainingBook {
  readonly #shown: ShownBook;
  /** By price; asks are negative. */
  readonly #takes = new Map<number, Take>();

  constructor(shown: ShownBook) {
    this.#shown = shown;
  }

  /** Best price with a remaining quantity; 0 when there is none. */
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

  /** Levels with a remaining quantity, best first. */
  walk(side: Side, visit: LevelVisitor): void {
    this.#shown.walk(side, (price, quantity) => {
      const left = this.#left(side, price, quantity);
      return left === 0 || visit(price, left);
    });
  }

  /** Takes at most the remaining quantity. */
  take(side: Side, price: Ticks, quantity: Lots): void {
    const shown = this.#shown.quantityAt(side, price);
    assert(quantity <= this.#left(side, price, shown), 'a take is at most the remaining quantity of its level');
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
