import { type EventEnvelope, isOrderEvent } from '../../domain/event.js';
import type { OrderId } from '../../domain/ids.js';
import { RETENTION_ENTRIES_READ } from '../../domain/limits/process.js';
import { assert } from '../../domain/rejection.js';
import { decodeEvent } from '../../wire/codec/envelope.js';
import type { PlacedEntry } from '../journal-scan.js';
import { JournalTail } from '../journal-tail.js';
import { SEGMENT_HEADER_BYTES, type SegmentFolder } from '../segments.js';
import { orderKey, positionKey } from '../state/rows.js';
import { putCarriedTo, type StateTables } from '../state/state-tables.js';
import { inBatches, pause } from './row-removal.js';

/** The order whose history has the event. null: the event belongs to no order. */
export function orderOf({ event, orderId }: EventEnvelope): OrderId | null {
  return isOrderEvent(event) ? orderId : null;
}

/**
 * Copies the entries of the orders that remain from a segment into the state, so that their history can be read after
 * the segment is removed. The segment must be complete, and the state must contain all of it. Returns the number of
 * entries.
 */
export async function carrySegment(tables: StateTables, folder: SegmentFolder, number: number): Promise<number> {
  const [header, next] = [folder.header(number), folder.header(number + 1)];
  assert(header !== null && next !== null, 'a complete segment and its successor have headers');
  const tail = new JournalTail(folder, {
    seq: header.firstSeq,
    position: folder.startOf(number) + SEGMENT_HEADER_BYTES,
  });
  let count = 0;
  try {
    let read: PlacedEntry[] = [];
    for (const { entries } of tail.turns(next.firstSeq - 1, folder.startOf(number + 1))) {
      read.push(...entries);
      if (read.length < RETENTION_ENTRIES_READ) continue;
      count += await carry(tables, read);
      read = [];
    }
    count += await carry(tables, read);
  } finally {
    tail.close();
  }
  tables.root.transactionSync(() => putCarriedTo(tables, folder.startOf(number + 1)));
  return count;
}

async function carry(tables: StateTables, entries: readonly PlacedEntry[]): Promise<number> {
  const remaining = new Map<OrderId, boolean>();
  const needed = entries.filter(({ payload }) => {
    const orderId = orderOf(decodeEvent(payload));
    if (orderId === null) return false;
    const known = remaining.get(orderId) ?? tables.table.orders.get(orderKey(orderId)) !== undefined;
    remaining.set(orderId, known);
    return known;
  });
  const { carried } = tables.table;
  await inBatches(tables.root, needed, ({ position, payload }) =>
    carried.putSync(positionKey(position), payload as Buffer),
  );
  await pause();
  return needed.length;
}
