import type { OrderId, Seq } from '../../domain/ids.js';
import { decodeEvent } from '../../wire/codec/envelope.js';
import { decodeState } from '../../wire/codec/state.js';
import type { SegmentReader } from '../segment-reader.js';
import { decodeNumber, firstInteger, lastInteger, orderKey, orderSeqKey, positionKey } from '../state/rows.js';
import type { Snapshot, StateTables } from '../state/state-tables.js';
import { orderOf } from './carried-entries.js';
import { isRetired } from './old-orders.js';

interface CarriedCheck {
  readonly tables: StateTables;
  readonly snapshot: Snapshot;
  readonly entries: SegmentReader;
  /** Position of the first segment. */
  readonly journalFrom: number;
  /** Orders that ended before may lack their entries. */
  readonly endedBeforeMs: number;
}

/**
 * Yields each difference between the carried entries and the events of the orders: an entry that no order has, one
 * that differs from the journal, and an event in a removed segment that was not carried.
 */
export function* carriedProblems(check: CarriedCheck): Generator<string> {
  yield* wrongEntries(check);
  yield* missingEntries(check);
}

function* wrongEntries({ tables: { table }, snapshot, entries }: CarriedCheck): Generator<string> {
  for (const { key, value } of table.carried.getRange({ ...snapshot })) {
    const position = firstInteger(key);
    const envelope = decodeEvent(value);
    const orderId = orderOf(envelope);
    const row = orderId === null ? undefined : table.by_order.get(orderSeqKey(orderId, envelope.seq), snapshot);
    if (row === undefined || decodeNumber(row) !== position) {
      yield `the carried entry of position ${position} is no event of an order`;
    }
    const journalled = entries.payload(position);
    if (journalled !== null && !value.equals(journalled)) {
      yield `the carried entry of position ${position} differs from the journal`;
    }
  }
}

function* missingEntries({ tables: { table }, snapshot, journalFrom, endedBeforeMs }: CarriedCheck): Generator<string> {
  for (const { key, value } of table.by_order.getRange({ ...snapshot })) {
    const position = decodeNumber(value);
    if (position >= journalFrom || table.carried.get(positionKey(position), snapshot) !== undefined) continue;
    const [orderId, seq] = [firstInteger(key) as OrderId, lastInteger(key) as Seq];
    const state = table.orders.get(orderKey(orderId), snapshot);
    if (state !== undefined && isRetired(decodeState(state), endedBeforeMs)) continue;
    yield `event ${seq} of order ${orderId} is neither in the journal nor carried`;
  }
}
