import type { Side } from '../../model/order.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import type { EpochMs } from '../../model/time.js';
import { MARKET_TRADE, TRADE, UNTYPED_TRADE, type RecordedStream } from './recorded-columns.js';
import { RecordedBook } from './recorded-book.js';
import { RecordingError } from './recording-error.js';
import type { RowBuffer } from './row-buffer.js';
import { ShownBook } from './shown-book.js';
import { receivedMs, Tape, type TapeStream } from './tape.js';

/** Is told what happens in a recorded market, each thing once the book has it. */
export interface RecordedMarketListener {
  onBook(atMs: EpochMs): void;
  onTrade(price: Ticks, quantity: Lots, takerSide: Side, atMs: EpochMs): void;
}

/** The recorded market of one instrument as it was, without us: its book and its trades, played from the tape. */
export class RecordedMarket {
  readonly book = new RecordedBook();
  readonly shown = new ShownBook(this.book);
  readonly tape: Tape;
  readonly #listener: RecordedMarketListener;

  constructor(streams: readonly TapeStream[], listener: RecordedMarketListener) {
    this.#listener = listener;
    this.tape = new Tape(streams, (stream, rows, count) => this.#onMessage(stream, rows, count));
  }

  /** Lets everything happen that was received up to then; the tape reaches beyond it. */
  play(untilMs: EpochMs): void {
    this.tape.play(untilMs);
  }

  #onMessage(stream: RecordedStream, rows: RowBuffer, count: number): void {
    switch (stream) {
      case 'snapshot':
        this.book.onSnapshot(rows, count);
        break;
      case 'depth':
        this.#onDepth(rows, count);
        break;
      case 'trades':
        return this.#onTrade(rows);
      case 'bookticker':
        this.shown.onQuote(rows);
        break;
      default:
        stream satisfies never;
    }
    this.#listener.onBook(receivedMs(rows, 0));
  }

  /** A book that lost its place can go on from a later snapshot alone. */
  #onDepth(rows: RowBuffer, count: number): void {
    const gapCount = this.book.gapCount;
    this.book.onUpdate(rows, count);
    if (this.book.gapCount === gapCount || this.tape.hasSnapshotAhead) return;
    const at = new Date(receivedMs(rows, 0)).toISOString();
    throw new RecordingError(`the depth has a gap at ${at}, and no snapshot follows from which the book could go on`);
  }

  /** What an insurance fund takes over is no trade of the order book. */
  #onTrade(rows: RowBuffer): void {
    const type = rows.at(0, TRADE.type);
    if (type !== MARKET_TRADE && type !== UNTYPED_TRADE) return;
    const price = rows.at(0, TRADE.price) as Ticks;
    const quantity = rows.at(0, TRADE.quantity) as Lots;
    const takerSide = rows.at(0, TRADE.isBuyerMaker) === 1 ? 'SELL' : 'BUY';
    this.#listener.onTrade(price, quantity, takerSide, receivedMs(rows, 0));
  }
}
