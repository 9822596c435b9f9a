import { assert } from '../../model/assert.js';
import type { OrderId } from '../../model/ids.js';
import { ORDER_ID_BLOCK_IDS_MAX } from '../../model/limits.js';
import type { Table } from './database.js';

/** The ids with from ≤ id < to. */
export interface OrderIdBlock {
  readonly from: OrderId;
  readonly to: OrderId;
}

const HIGH_WATER = 'order-id-high-water';
const FLOOR_EPOCH_MS = Date.UTC(2025, 0, 1);
const FLOOR_IDS_PER_MS = 64;

/** Hands out blocks of order ids. A crash skips what is left of a block and never repeats an id. */
export class OrderIds {
  readonly #ids: Table;

  constructor(ids: Table) {
    this.#ids = ids;
  }

  /**
   * Reserves `count` ids (1 to 1,048,576), synced to disk before it returns. A block never starts below 64 ids for
   * each millisecond since 2025: a directory restored from an old backup has forgotten the ids used since, and time
   * has not. 2^53 is reached after 4,000 years.
   */
  reserveOrderIds(count: number, nowRealMs: number): OrderIdBlock {
    assert(Number.isSafeInteger(count) && count >= 1 && count <= ORDER_ID_BLOCK_IDS_MAX, 'a block of ids is bounded');
    return this.#ids.transactionSync(() => {
      const floor = Math.floor(nowRealMs - FLOOR_EPOCH_MS) * FLOOR_IDS_PER_MS;
      const from = Math.max(this.#highWater(), floor, 1);
      const to = from + count;
      assert(Number.isSafeInteger(to), 'order ids stay below 2^53');
      this.#ids.putSync(HIGH_WATER, Buffer.from(to.toString()));
      return { from: from as OrderId, to: to as OrderId };
    });
  }

  #highWater(): number {
    const bytes = this.#ids.get(HIGH_WATER);
    return bytes === undefined ? 0 : Number(bytes.toString());
  }
}
