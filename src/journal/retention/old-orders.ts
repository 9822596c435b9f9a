import type { InstrumentIndex } from '../../domain/instrument.js';
import { RETENTION_KEPT_ORDERS_MAX, RETENTION_PAGE_ORDERS } from '../../domain/limits/process.js';
import { isTerminal } from '../../domain/order.js';
import type { ParentState } from '../../domain/order-state.js';
import { stateIn } from '../state/order-row.js';
import { readCarriedTo, type StateTables } from '../state/state-tables.js';
import { pause, removeRows, rowsOf } from './row-removal.js';

const FIRST_KEY = Buffer.alloc(8);

/** True when the order ended before the instant. False for an open order. */
export function isRetired(state: ParentState, endedBeforeMs: number): boolean {
  return isTerminal(state.status) && state.endedAtMs !== null && state.endedAtMs < endedBeforeMs;
}

/** Creation of the oldest remaining order of each instrument. */
export type OldestByInstrument = ReadonlyMap<InstrumentIndex, number>;

/**
 * Removes orders that ended long ago. Order ids increase in time, so a pass over the orders ends at the first one that
 * was created too late. Open orders remain and are read again in each pass. So one call reads a bounded number of
 * them, and the next call continues there.
 */
export class OldOrders {
  readonly #tables: StateTables;
  /** Key of the order before the next one of the pass. */
  #key: Buffer = FIRST_KEY;
  #passing = new Map<InstrumentIndex, number>();
  #oldest: OldestByInstrument | null = null;

  constructor(tables: StateTables) {
    this.#tables = tables;
  }

  /** By the last complete pass: remaining orders that were created before its instant. null: no pass is complete. */
  get oldest(): OldestByInstrument | null {
    return this.#oldest;
  }

  /** Continues the pass. Returns the number of orders removed. */
  async remove(endedBeforeMs: number): Promise<number> {
    let [removed, kept] = [0, 0];
    while (kept < RETENTION_KEPT_ORDERS_MAX) {
      const { states, isLast } = this.#page(endedBeforeMs);
      const retired = states.filter((state) => isRetired(state, endedBeforeMs));
      const carriedTo = readCarriedTo(this.#tables);
      await removeRows(
        this.#tables,
        retired.flatMap((state) => rowsOf(this.#tables, state, carriedTo)),
      );
      removed += retired.length;
      kept += states.length - retired.length;
      for (const state of states) if (!retired.includes(state)) this.#note(state);
      if (isLast) {
        this.#completePass();
        return removed;
      }
      if (retired.length === 0) await pause();
    }
    return removed;
  }

  #page(createdBeforeMs: number): { readonly states: readonly ParentState[]; readonly isLast: boolean } {
    const range = { start: this.#key, exclusiveStart: true, limit: RETENTION_PAGE_ORDERS };
    const rows = [...this.#tables.table.orders.getRange(range)];
    const last = rows.at(-1);
    if (last === undefined) return { states: [], isLast: true };
    this.#key = last.key;
    const states = rows.map(({ value }) => stateIn(value));
    const young = states.findIndex(({ order }) => order.createdAtMs >= createdBeforeMs);
    return young === -1 ? { states, isLast: false } : { states: states.slice(0, young), isLast: true };
  }

  #note({ order }: ParentState): void {
    for (const { instrument } of order.legs) {
      const oldest = this.#passing.get(instrument) ?? Infinity;
      this.#passing.set(instrument, Math.min(oldest, order.createdAtMs));
    }
  }

  #completePass(): void {
    this.#oldest = this.#passing;
    this.#passing = new Map();
    this.#key = FIRST_KEY;
  }
}
