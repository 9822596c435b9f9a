import { assert } from '../../src/domain/rejection.js';
import type { Fill } from '../../src/domain/event.js';
import type { Side } from '../../src/domain/order.js';

/** Every fill in the journal. */
export class FillLedger {
  readonly #fills = new Map<string, Map<number, Fill>>();

  /**
   * 5. Fills are idempotent by venue trade id, and every price is within the limit. `name`: client id of the child.
   * `limitPrice`: limit price of its order; null when any price is valid.
   */
  record(name: string, fill: Fill, side: Side, limitPrice: number | null): void {
    const fills = this.#fills.get(name) ?? new Map<number, Fill>();
    this.#fills.set(name, fills);
    assert(!fills.has(fill.tradeId), `fill ${fill.tradeId} of child ${name} is recorded once`);
    const isInside = side === 'BUY' ? fill.price <= (limitPrice ?? Infinity) : fill.price >= (limitPrice ?? 0);
    assert(isInside, `fill ${fill.tradeId} of child ${name} at ${fill.price} is inside the limit`);
    fills.set(fill.tradeId, fill);
  }

  /** The fills of a child, named by its client id, by trade id. */
  of(name: string): ReadonlyMap<number, Fill> {
    return this.#fills.get(name) ?? NO_FILLS;
  }

  /** After a restore: the fills of the backup are recorded anew. */
  clear(): void {
    this.#fills.clear();
  }
}

const NO_FILLS: ReadonlyMap<number, Fill> = new Map();
