import type { Side } from '../../domain/order.js';
import type { Lots, Ticks } from '../../domain/quantity.js';
import { isBetter, type LevelVisitor, type ShownLevels } from '../../venue/matching/remaining-book.js';
import type { RecordedBook } from './recorded-book.js';
import { ABSENT } from '../table/columns.js';
import type { RowBuffer } from '../table/row-buffer.js';
import { TICKER } from './recording-format.js';

interface Touch {
  price: Ticks;
  quantity: Lots;
}

/**
 * The book that the venue shows: recorded depth combined with the recorded ticker. Depth comes in batches and lags the
 * trades; the ticker does not. The update ids show which is newer, in any order of arrival. While the ticker is newer,
 * depth better than the ticker's touch is removed, and the touch has the ticker's quantity.
 */
export class ShownBook implements ShownLevels {
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
