import { assert } from '../../domain/rejection.js';

/** The LMDB stores of a data directory. */
export const STORES = ['identity', 'state', 'venue'] as const;
export type StoreName = (typeof STORES)[number];

/** A row of a store with its stored bytes. `table` is empty in a store without named tables. */
export interface StoredRow {
  readonly table: string;
  readonly key: Buffer;
  readonly value: Buffer;
}

/** Tables of the state whose values are payloads of journal entries. The step for an entry lifts them. */
const ENTRY_TABLES: ReadonlySet<string> = new Set(['carried']);

/** Returns the rows of the next format that replace one row. The tables of the rows need not exist before. */
type RowStep = (row: StoredRow) => Iterable<StoredRow>;

/** Turns stored data of one format into data of the next format. A part that is absent changes nothing. */
export interface FormatStep {
  /** Lifts the payload of one journal entry. */
  readonly entry?: (payload: Uint8Array) => Uint8Array;
  /** The state's rows that are journal entries are lifted by `entry`. */
  readonly rows?: { readonly [Store in StoreName]?: RowStep };
}

/**
 * The steps from format 1 to the format of this release, in order. Every change of stored data adds a step, which
 * raises the format number by 1. A step never changes after its release. It must not use code that later releases
 * change, such as the generated messages: it keeps its own copy of what it needs (adr/0061).
 */
export const FORMAT_STEPS: readonly FormatStep[] = [];

/** A format of the stored data, with the steps that lift data of every earlier format to it. */
export class DataFormat {
  /** One number for the journal, all stores and backups. The first format is 1. */
  readonly number: number;
  readonly #steps: readonly FormatStep[];

  constructor(steps: readonly FormatStep[]) {
    this.#steps = steps;
    this.number = steps.length + 1;
  }

  /** Returns the payload of a journal entry in this format. `from`: the format of its segment. */
  liftEntry(from: number, payload: Uint8Array): Uint8Array {
    if (from === this.number) return payload;
    let lifted = payload;
    for (const { entry } of this.#after(from)) if (entry !== undefined) lifted = entry(lifted);
    return lifted;
  }

  /** True when rows of the store have other bytes in this format than in format `from`. */
  changesRows(store: StoreName, from: number): boolean {
    return this.#after(from).some((step) => stepOf(step, store) !== undefined);
  }

  /** Returns the rows of this format that replace a row of format `from`. */
  liftRow(store: StoreName, from: number, row: StoredRow): StoredRow[] {
    let lifted = [row];
    for (const step of this.#after(from)) {
      const rowStep = stepOf(step, store);
      if (rowStep !== undefined) lifted = lifted.flatMap((one) => [...rowStep(one)]);
    }
    return lifted;
  }

  #after(from: number): readonly FormatStep[] {
    assert(
      Number.isSafeInteger(from) && from >= 1 && from <= this.number,
      `data of format ${from}, but this release reads formats 1 to ${this.number}`,
    );
    return this.#steps.slice(from - 1);
  }
}

/**
 * Lifts the rows of a store, with the entries among them. Returns undefined when the step does not change the store.
 */
function stepOf({ entry, rows }: FormatStep, store: StoreName): RowStep | undefined {
  const step = rows?.[store];
  if (store !== 'state' || entry === undefined) return step;
  return (row) => {
    if (ENTRY_TABLES.has(row.table)) return [{ ...row, value: Buffer.from(entry(row.value)) }];
    return step === undefined ? [row] : step(row);
  };
}

/** The format that this release reads and writes. */
export const PRESENT_FORMAT = new DataFormat(FORMAT_STEPS);
