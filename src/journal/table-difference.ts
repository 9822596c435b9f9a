import type { Snapshot, Table, TableName } from './state-tables.js';

export interface Row {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** How two tables that should be equal differ in one row. */
export type Difference =
  | { readonly kind: 'missing'; readonly expected: Row }
  | { readonly kind: 'surplus'; readonly found: Row }
  | { readonly kind: 'different'; readonly expected: Row; readonly found: Row };

/** Walks both tables in key order and tells every row in which they differ. `found` is read in a fixed snapshot. */
export function* differences(expected: Table, found: Table, snapshot: Snapshot): Generator<Difference> {
  const expectedRows = expected.getRange({})[Symbol.iterator]();
  const foundRows = found.getRange({ ...snapshot })[Symbol.iterator]();
  let ours = next(expectedRows);
  let theirs = next(foundRows);
  while (ours !== null || theirs !== null) {
    const order = compareKeys(ours, theirs);
    if (order < 0) yield { kind: 'missing', expected: ours! };
    else if (order > 0) yield { kind: 'surplus', found: theirs! };
    else if (!ours!.value.equals(theirs!.value)) yield { kind: 'different', expected: ours!, found: theirs! };
    if (order <= 0) ours = next(expectedRows);
    if (order >= 0) theirs = next(foundRows);
  }
}

export function describe(table: TableName, difference: Difference): string {
  const { key } = difference.kind === 'missing' ? difference.expected : difference.found;
  const row = `row ${key.toString('hex')} of table ${table}`;
  switch (difference.kind) {
    case 'missing':
      return `${row} is in the journal but not in the state`;
    case 'surplus':
      return `${row} is in the state but not in the journal`;
    case 'different':
      return `${row} is not what the journal gives`;
  }
}

function next(rows: Iterator<Row>): Row | null {
  const step = rows.next();
  return step.done === true ? null : step.value;
}

/** A table that has ended sorts behind every row. */
function compareKeys(left: Row | null, right: Row | null): number {
  if (left === null) return 1;
  if (right === null) return -1;
  return Buffer.compare(left.key, right.key);
}
