import type { Side } from '../../domain/order.js';
import type { Lots, Ticks } from '../../domain/quantity.js';
import { ABSENT } from '../table/columns.js';
import { RowBuffer } from '../table/row-buffer.js';
import { receivedMs } from './recorded-streams.js';
import { BID, DEPTH, SNAPSHOT } from './recording-format.js';

/**
 * The recorded order book: a snapshot and the updates after it, connected by their ids.
 *
 *   updates  ── wait ──┐                ┌── the next id does not follow: a gap, the book is unknown again
 *                      ▼                │
 *   snapshot ─▶ updates after its id ─▶ synchronised ─▶ update ─▶ update ─▶ …
 *
 * Snapshots arrive some hundred ms after the first updates, so the updates wait. Spot updates carry consecutive ranges
 * of ids; futures updates name the id of the previous update.
 */
export class RecordedBook {
  readonly bids = new RecordedSide('BUY');
  readonly asks = new RecordedSide('SELL');
  /** Id of the latest applied change; -1 while the book is unknown. */
  updateId = ABSENT;
  /** Counts of applied updates, of gaps between updates, and of updates that left the bid at or above the ask. */
  updateCount = 0;
  gapCount = 0;
  crossedCount = 0;
  /** Line and receive time of the latest update that did not follow the one before. */
  gapLine = 0;
  gapAtMs = 0;
  /** Line of the first update that left the bid at or above the ask; 0: none did. */
  crossedLine = 0;
  /** True until the first update after the snapshot, which may begin before the snapshot's id. */
  #isFirstUpdate = false;
  #waiting = new RowBuffer(DEPTH.line + 1);

  get isSynchronised(): boolean {
    return this.updateId !== ABSENT;
  }

  /** Rows of updates that wait for a snapshot. */
  get waitingCount(): number {
    return this.#waiting.count;
  }

  /** Line of the first of them; 0: none. */
  get waitingLine(): number {
    return this.#waiting.count > 0 ? this.#waiting.at(0, DEPTH.line) : 0;
  }

  side(side: Side): RecordedSide {
    return side === 'BUY' ? this.bids : this.asks;
  }

  /** Restarts the book from the snapshot, unless the book is newer. */
  onSnapshot(rows: RowBuffer, count: number): void {
    const id = rows.at(0, SNAPSHOT.updateId);
    if (id <= this.updateId) return;
    this.#reset();
    for (let row = 0; row < count; row += 1) {
      this.#set(rows.at(row, SNAPSHOT.side), rows.at(row, SNAPSHOT.price), rows.at(row, SNAPSHOT.quantity));
    }
    this.updateId = id;
    this.#isFirstUpdate = true;
    this.#catchUp();
  }

  onUpdate(rows: RowBuffer, count: number): void {
    if (!this.isSynchronised) return this.#wait(rows, count);
    if (rows.at(0, DEPTH.lastId) <= this.updateId) return undefined;
    if (this.#isFirstUpdate ? overlaps(rows, this.updateId) : follows(rows, this.updateId))
      return this.#apply(rows, count);
    this.gapCount += 1;
    this.gapLine = rows.at(0, DEPTH.line);
    this.gapAtMs = receivedMs(rows, 0);
    this.#reset();
    return this.#wait(rows, count);
  }

  /** Applies the updates that waited for the snapshot; skips those that the snapshot includes. */
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
    this.#isFirstUpdate = false;
    this.updateCount += 1;
    if (this.#isCrossed) {
      this.crossedCount += 1;
      if (this.crossedLine === 0) this.crossedLine = rows.at(0, DEPTH.line);
    }
  }

  #set(side: number, price: number, quantity: number): void {
    (side === BID ? this.bids : this.asks).set(price as Ticks, quantity as Lots);
  }

  #wait(rows: RowBuffer, count: number): void {
    this.#waiting.appendFrom(rows, count);
  }

  #reset(): void {
    this.bids.clear();
    this.asks.clear();
    this.updateId = ABSENT;
  }

  get #isCrossed(): boolean {
    const [bid, ask] = [this.bids.price(0), this.asks.price(0)];
    return bid > 0 && ask > 0 && bid >= ask;
  }
}

/** True when the update starts directly after the book's id. */
function follows(rows: RowBuffer, id: number): boolean {
  const previous = rows.at(0, DEPTH.previousId);
  return previous === ABSENT ? rows.at(0, DEPTH.firstId) === id + 1 : previous === id;
}

/** True when the update starts at or before the snapshot's id. */
function overlaps(rows: RowBuffer, id: number): boolean {
  const previous = rows.at(0, DEPTH.previousId);
  return previous === ABSENT ? rows.at(0, DEPTH.firstId) <= id + 1 : previous <= id;
}

const LEVELS_AT_FIRST = 1024;

/**
 * One side of a recorded book: prices and quantities. Sorted with the best price at the end, where most changes happen,
 * so that a change moves few entries.
 */
export class RecordedSide {
  /** +1 for bids, -1 for asks: a better price times this sign is a larger number. */
  readonly #sign: 1 | -1;
  #keys = new Float64Array(LEVELS_AT_FIRST);
  #quantities = new Float64Array(LEVELS_AT_FIRST);
  #count = 0;

  constructor(side: Side) {
    this.#sign = side === 'BUY' ? 1 : -1;
  }

  get count(): number {
    return this.#count;
  }

  /** Price of a level; rank 0 is the best. Returns 0 when the level does not exist. */
  price(rank: number): Ticks {
    return (rank < this.#count ? this.#keys[this.#count - 1 - rank]! * this.#sign : 0) as Ticks;
  }

  quantity(rank: number): Lots {
    return (rank < this.#count ? this.#quantities[this.#count - 1 - rank]! : 0) as Lots;
  }

  quantityAt(price: Ticks): Lots {
    const key = price * this.#sign;
    const index = this.#find(key);
    return (index < this.#count && this.#keys[index] === key ? this.#quantities[index]! : 0) as Lots;
  }

  /** The first rank whose price is no better than `price`. */
  rankOf(price: Ticks): number {
    const key = price * this.#sign;
    const index = this.#find(key);
    const isThere = index < this.#count && this.#keys[index] === key;
    return this.#count - index - (isThere ? 1 : 0);
  }

  /** Sets the quantity at a price; 0 removes the level. */
  set(price: Ticks, quantity: Lots): void {
    const key = price * this.#sign;
    const index = this.#find(key);
    const isThere = index < this.#count && this.#keys[index] === key;
    if (quantity === 0) {
      if (isThere) this.#remove(index);
    } else if (isThere) this.#quantities[index] = quantity;
    else this.#insert(index, key, quantity);
  }

  clear(): void {
    this.#count = 0;
  }

  /** The first index whose key is not below `key`. */
  #find(key: number): number {
    const keys = this.#keys;
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (keys[middle]! < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #insert(index: number, key: number, quantity: number): void {
    if (this.#count === this.#keys.length) {
      this.#keys = doubled(this.#keys);
      this.#quantities = doubled(this.#quantities);
    }
    this.#keys.copyWithin(index + 1, index, this.#count);
    this.#quantities.copyWithin(index + 1, index, this.#count);
    this.#keys[index] = key;
    this.#quantities[index] = quantity;
    this.#count += 1;
  }

  #remove(index: number): void {
    this.#keys.copyWithin(index, index + 1, this.#count);
    this.#quantities.copyWithin(index, index + 1, this.#count);
    this.#count -= 1;
  }
}

function doubled(values: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(values.length * 2);
  larger.set(values);
  return larger;
}
