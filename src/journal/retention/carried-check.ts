import type { OrderId, Seq } from '../../domain/ids.js';
import { decodeEvent } from '../../wire/codec/envelope.js';
import { CodecError } from '../../wire/codec/message.js';
import type { SegmentReader } from '../segment-reader.js';
import { type EventPlace, eventPlaces, stateIn } from '../state/order-row.js';
import { firstInteger, positionKey } from '../state/rows.js';
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
    const after = (envelope.seq - 1) as Seq;
    const read = (): EventPlace[] => eventPlaces({ table }, orderId!, { after, limit: 1, snapshot });
    const [place] = orderId === null ? [] : (readable(read) ?? []);
    if (place?.seq !== envelope.seq || place.position !== position) {
      yield `the carried entry of position ${position} is no event of an order`;
    }
    const journalled = entries.payload(position);
    if (journalled !== null && !value.equals(journalled)) {
      yield `the carried entry of position ${position} differs from the journal`;
    }
  }
}

function* missingEntries({ tables: { table }, snapshot, journalFrom, endedBeforeMs }: CarriedCheck): Generator<string> {
  for (const { key, value } of table.orders.getRange({ ...snapshot })) {
    const orderId = firstInteger(key) as OrderId;
    const places = readable(() => eventPlaces({ table }, orderId, { snapshot }));
    const missing = places?.filter(
      ({ position }) => position < journalFrom && table.carried.get(positionKey(position), snapshot) === undefined,
    );
    if (missing === undefined) yield `the row of order ${orderId} is damaged`;
    else if (missing.length > 0 && !isRetired(stateIn(value), endedBeforeMs)) {
      for (const { seq } of missing) yield `event ${seq} of order ${orderId} is neither in the journal nor carried`;
    }
  }
}

/** Returns undefined when the row cannot be decoded. */
function readable<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof CodecError) return undefined;
    throw error;
  }
}
