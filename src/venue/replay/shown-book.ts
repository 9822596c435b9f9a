import type { Side } from '../../model/order.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import type { RecordedBook } from './recorded-book.js';
import { TICKER } from './recorded-columns.js';
import { ABSENT } from './row-reader.js';
import type { RowBuffer } from './row-buffer.js';

/** Is told a level, best first; returns whether it wants the next one. */
export type LevelVisitor = (price: Ticks, quantity: Lots) => boolean;

interface Touch {
  price: Ticks;
  quantity: Lots;
}

/**
 * What the venue shows: the recorded depth under the recorded ticker. Depth comes in steps and lags behind the trades;
 * the ticker is at once. Their update ids say which is newer, whatever their order of arrival. While the ticker is, it
 * is the lid: depth better than its touch is gone already, the touch itself holds what the ticker says.
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
    return this.#isUnderLid ? this.#lid(side).price : this.#depth.side(side).price(0);
  }

  quantityAt(side: Side, price: Ticks): Lots {
    if (!this.#isUnderLid) return this.#depth.side(side).quantityAt(price);
    const lid = this.#lid(side);
    if (price === lid.price) return lid.quantity;
    return isBetter(side, price, lid.price) ? (0 as Lots) : this.#depth.side(side).quantityAt(price);
  }

  walk(side: Side, visit: LevelVisitor): void {
    const depth = this.#depth.side(side);
    let rank = 0;
    if (this.#isUnderLid) {
      const { price, quantity } = this.#lid(side);
      if (price > 0 && !visit(price, quantity)) return;
      rank = depth.rankOf(price);
      if (depth.price(rank) === price) rank += 1;
    }
    while (rank < depth.count && visit(depth.price(rank), depth.quantity(rank))) rank += 1;
  }

  get #isUnderLid(): boolean {
    return this.#quoteId > this.#depth.updateId;
  }

  #lid(side: Side): Touch {
    return side === 'BUY' ? this.#bid : this.#ask;
  }
}

/** True when an order of that side is served before one at the other price. */
export function isBetter(side: Side, price: Ticks, other: Ticks): boolean {
  return side === 'BUY' ? price > other : price < other;
}
