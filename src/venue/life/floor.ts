import type { BookOrder, OrderBook } from '../matching/index.js';

/** Where the background trades: the book, and who must know of what is traded in it. */
export interface Floor {
  readonly book: OrderBook;
  /** Trades what the order crosses and rests what is left. */
  rest(order: BookOrder, atMs: number): void;
  /** Trades what the order crosses; what is left expires. */
  take(order: BookOrder, atMs: number): void;
}
