import { FEED_FRAMES_KEPT_MAX } from '../model/limits.js';
import type { OrderId } from '../model/ids.js';
import { decodeState } from '../wire/codec/index.js';
import { positionOf } from './observation-row.js';
import { isRetired } from './retention.js';
import { feedOf, firstInteger, lastInteger, orderKey } from './row-key.js';
import { decodeClientIdEntry, decodeNumber } from './row-value.js';
import { readRetired, type RetiredBounds, type Snapshot, type StateTables, type TableName } from './state-tables.js';
import type { Row } from './table-difference.js';

/** Tells which rows that the journal gives may be missing in the state, because retention has taken them out. */
export class RetiredRows {
  readonly #rebuilt: StateTables;
  readonly #bounds: RetiredBounds;

  constructor(rebuilt: StateTables, live: StateTables, snapshot: Snapshot) {
    this.#rebuilt = rebuilt;
    this.#bounds = readRetired(live, snapshot);
  }

  includes(table: TableName, row: Row): boolean {
    const { key, value } = row;
    switch (table) {
      case 'orders':
      case 'by_order':
      case 'trades':
        return this.#isOrderRetired(firstInteger(key) as OrderId);
      case 'by_time':
        return this.#isOrderRetired(lastInteger(key) as OrderId);
      case 'by_client_id':
        return this.#isOrderRetired(decodeClientIdEntry(value).orderId);
      case 'feed':
        return decodeNumber(value) < this.#bounds.position || lastInteger(key) <= this.#excessFrames(key);
      case 'tape':
        return positionOf(row) < this.#bounds.position;
      case 'open':
      case 'feed_heads':
      case 'meta':
        return false;
    }
  }

  #isOrderRetired(orderId: OrderId): boolean {
    const bytes = this.#rebuilt.table.orders.get(orderKey(orderId));
    return bytes !== undefined && isRetired(decodeState(bytes), this.#bounds.endedBeforeMs);
  }

  #excessFrames(frameKey: Buffer): number {
    const head = this.#rebuilt.table.feed_heads.get(feedOf(frameKey));
    return head === undefined ? 0 : decodeNumber(head) - FEED_FRAMES_KEPT_MAX;
  }
}
