import type { ColumnKind, TableColumn } from './columns.js';
import { numberOf, timeOf } from './plain-values.js';

/** How the reader reads a field. */
export const [SKIP, STEPS, INSTANT, WORD, TEXT] = [0, 1, 2, 3, 4];
const CODES = { steps: STEPS, instant: INSTANT, word: WORD, number: TEXT, time: TEXT } as const;

/** How one field of the file is read. All have the same members, because the loop over them is hot. */
export interface Field {
  readonly name: string;
  /** null: not a declared column. Its values are skipped. */
  readonly column: TableColumn | null;
  readonly code: number;
  readonly cell: number;
  readonly precision: number;
  readonly step: number;
  readonly min: number;
  readonly max: number;
  readonly isRounded: boolean;
  readonly words: readonly Uint8Array[];
  readonly isOptional: boolean;
  /** Smallest and largest difference from the row before. */
  readonly stepMin: number;
  readonly stepMax: number;
  /** Whether the first row has a value, for an optional column; null before the first row. */
  isGiven: boolean | null;
  /** True when a value on the grid and in the range needs no further check. */
  isPlain: boolean;
}

export function fieldOf(name: string, column: TableColumn | null, cell: number): Field {
  const values: ColumnKind | null = column?.values ?? null;
  const steps = values?.kind === 'steps' ? values : null;
  const words = values?.kind === 'word' ? values.words : [];
  const order = column?.order;
  return {
    name,
    column,
    code: values === null ? SKIP : CODES[values.kind],
    cell,
    precision: steps?.precision ?? 0,
    step: steps?.step ?? 1,
    min: steps?.min ?? 0,
    max: steps?.max ?? Number.MAX_SAFE_INTEGER,
    isRounded: steps?.isRounded === true,
    words: words.map((word) => new TextEncoder().encode(word)),
    isOptional: column?.isOptional === true,
    stepMin: order === 'rising' ? 0 : order === undefined ? -Infinity : order === 'distinct' ? Number.MIN_VALUE : 1,
    stepMax: order === 'consecutive' ? 1 : Infinity,
    isGiven: null,
    isPlain: steps !== null && (steps.step ?? 1) === 1 && column?.isOptional !== true,
  };
}

/** The index of the word in the bytes from `start` to `end`; -1: none. */
export function wordIn(words: readonly Uint8Array[], bytes: Uint8Array, start: number, end: number): number {
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]!;
    if (word.length !== end - start) continue;
    let at = 0;
    while (at < word.length && word[at] === bytes[start + at]) at += 1;
    if (at === word.length) return index;
  }
  return -1;
}

/** A value of the kinds that are read from text; negative: not as declared. */
export function textValueOf({ column }: Field, bytes: Uint8Array, start: number, end: number): number {
  const text = decoded(bytes.subarray(start, end));
  const { values } = column!;
  return values.kind === 'number' ? numberOf(text, values) : timeOf(text);
}

export function decoded(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
