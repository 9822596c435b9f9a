import { REPLAY_ROWS_BEFORE_SNAPSHOT_MAX } from '../../model/limits.js';
import type { Side } from '../../model/order.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import { DepthSide } from './depth-side.js';
import { BID, DEPTH, SNAPSHOT } from './recorded-columns.js';
import { RecordingError } from './recording-error.js';
import { ABSENT } from './row-reader.js';
import { RowBuffer } from './row-buffer.js';

/**
 * The recorded order book: a snapshot with the updates that belong behind it, tied together by their ids.
 *
 *   updates  ── wait ──┐                ┌── the next one does not follow: a gap, the book is unknown again
 *                      ▼                │
 *   snapshot ─▶ those behind its id ─▶ synchronised ─▶ update ─▶ update ─▶ …
 *
 * Snapshots come some hundred ms after the first updates, which therefore wait. Spot updates carry the range of ids they
 * cover, one behind the other; futures updates name the id of the one before.
 */
export class RecordedBook {
  readonly bids = new DepthSide('BUY');
  readonly asks = new DepthSide('SELL');
  /** Id of the latest change that the book has in it; -1 while it is unknown. */
  updateId = ABSENT;
  /** Updates taken in, places where one did not follow the other, and updates that left the bid at or above the ask. */
  updateCount = 0;
  gapCount = 0;
  crossedCount = 0;
  /** Nothing has come behind the snapshot yet: the first update may begin before it. */
  #isFresh = false;
  #waiting = new RowBuffer(Object.keys(DEPTH).length);

  get isSynchronised(): boolean {
    return this.updateId !== ABSENT;
  }

  side(side: Side): DepthSide {
    return side === 'BUY' ? this.bids : this.asks;
  }

  /** Starts the book anew, unless it knows what is newer. */
  onSnapshot(rows: RowBuffer, count: number): void {
    const id = rows.at(0, SNAPSHOT.updateId);
    if (id <= this.updateId) return;
    this.#forget();
    for (let row = 0; row < count; row += 1) {
      this.#set(rows.at(row, SNAPSHOT.side), rows.at(row, SNAPSHOT.price), rows.at(row, SNAPSHOT.quantity));
    }
    this.updateId = id;
    this.#countCrossing();
    this.#isFresh = true;
    this.#catchUp();
  }

  onUpdate(rows: RowBuffer, count: number): void {
    if (!this.isSynchronised) return this.#wait(rows, count);
    if (rows.at(0, DEPTH.lastId) <= this.updateId) return undefined;
    if (this.#isFresh ? overlaps(rows, this.updateId) : follows(rows, this.updateId)) return this.#apply(rows, count);
    this.gapCount += 1;
    this.#forget();
    return this.#wait(rows, count);
  }

  /** Takes in what waited for the snapshot; what it holds already is passed over. */
  #catchUp(): void {
    const waiting = this.#waiting;
    this.#waiting = new RowBuffer(waiting.width);
    while (waiting.count > 0) {
      const count = waiting.runLength(DEPTH.lastId);
      this.onUpdate(waiting, count);
      waiting.drop(count);
    }
  }

  #apply(rows: RowBuffer, count: number): void {
    for (let row = 0; row < count; row += 1) {
      this.#set(rows.at(row, DEPTH.side), rows.at(row, DEPTH.price), rows.at(row, DEPTH.quantity));
    }
    this.updateId = rows.at(0, DEPTH.lastId);
    this.#isFresh = false;
    this.updateCount += 1;
    this.#countCrossing();
  }

  #set(side: number, price: number, quantity: number): void {
    (side === BID ? this.bids : this.asks).set(price as Ticks, quantity as Lots);
  }

  #wait(rows: RowBuffer, count: number): void {
    if (this.#waiting.count + count > REPLAY_ROWS_BEFORE_SNAPSHOT_MAX) {
      const message = `${REPLAY_ROWS_BEFORE_SNAPSHOT_MAX} rows of depth have come without a snapshot to put them behind`;
      throw new RecordingError(message);
    }
    this.#waiting.appendFrom(rows, count);
  }

  #forget(): void {
    this.bids.clear();
    this.asks.clear();
    this.updateId = ABSENT;
  }

  #countCrossing(): void {
    const [bid, ask] = [this.bids.price(0), this.asks.price(0)];
    if (bid > 0 && ask > 0 && bid >= ask) this.crossedCount += 1;
  }
}

/** The update begins where the book ends. */
function follows(rows: RowBuffer, id: number): boolean {
  const previous = rows.at(0, DEPTH.previousId);
  return previous === ABSENT ? rows.at(0, DEPTH.firstId) === id + 1 : previous === id;
}

/** The update begins no later than where the snapshot ends. */
function overlaps(rows: RowBuffer, id: number): boolean {
  const previous = rows.at(0, DEPTH.previousId);
  return previous === ABSENT ? rows.at(0, DEPTH.firstId) <= id + 1 : previous <= id;
}
