import { FIRST_ADDED_INDEX, type Instrument, type InstrumentIndex } from '../domain/instrument.js';
import { ADDED_INSTRUMENTS_MAX } from '../domain/limits/live.js';
import type { KeyTable } from './database.js';

/** Names an instrument of a real exchange. */
type ListedName = Pick<Instrument, 'venue' | 'assetCategory' | 'symbol'>;

/**
 * Row numbers of the instruments of real exchanges. Stored orders contain them, so an instrument keeps its number for
 * ever, also while its exchange does not list it, and no other instrument gets it.
 */
export class InstrumentRegistry {
  readonly #table: KeyTable;
  readonly #indices = new Map<string, InstrumentIndex>();
  #next = FIRST_ADDED_INDEX;

  constructor(table: KeyTable) {
    this.#table = table;
    for (const { key, value } of table.getRange()) {
      const index = Number(value.toString());
      this.#indices.set(key, index as InstrumentIndex);
      this.#next = Math.max(this.#next, index + 1);
    }
  }

  /**
   * Returns the row number of each instrument, new ones in the order of the list. They are on disk when it returns. null:
   * no number is left (ADDED_INSTRUMENTS_MAX).
   */
  indicesOf(instruments: readonly ListedName[]): (InstrumentIndex | null)[] {
    const added: [string, InstrumentIndex][] = [];
    const indices = instruments.map((instrument) => {
      const key = keyOf(instrument);
      const known = this.#indices.get(key);
      if (known !== undefined) return known;
      if (this.#next >= FIRST_ADDED_INDEX + ADDED_INSTRUMENTS_MAX) return null;
      const index = this.#next as InstrumentIndex;
      this.#next += 1;
      this.#indices.set(key, index);
      added.push([key, index]);
      return index;
    });
    if (added.length > 0) {
      this.#table.transactionSync(() => {
        for (const [key, index] of added) this.#table.putSync(key, Buffer.from(String(index)));
      });
    }
    return indices;
  }
}

function keyOf({ venue, assetCategory, symbol }: ListedName): string {
  return `${venue}|${assetCategory}|${symbol}`;
}
