import type { OrderId, Seq } from '../../domain/ids.js';
import type { ParentState } from '../../domain/order-state.js';
import { orderInState } from '../../wire/codec/encoded-order.js';
import { decodeState } from '../../wire/codec/state.js';
import { ENTRY_ALIGNMENT_BYTES } from '../entry.js';
import { PACKED_BYTES_MAX, PackedReader, writePacked } from '../../wire/codec/packed-numbers.js';
import { integersAfter, lastInteger, orderKey, orderSeqKey } from './rows.js';
import type { Snapshot, StateTables } from './state-tables.js';

/*
 *  A row of `orders` has the latest events of the order and its state, so that most events cost no row of their own:
 *
 *    0         2
 *    ├─────────┼─────────────────┼─────────────┤
 *    │ length  │ places          │ ParentState │
 *    └─────────┴─────────────────┴─────────────┘
 *
 *  Places are packed numbers: seq and position / 8 of the first event, then the differences to the event before. When
 * PLACES_PER_ROW events are collected, they move to a row of `by_order`. So the rows do not depend on the transactions.
 */
const LENGTH_BYTES = 2;
export const PLACES_PER_ROW = 32;
const PLACES_BYTES_MAX = PLACES_PER_ROW * 2 * PACKED_BYTES_MAX;

/** Number and journal position of an event. */
export interface EventPlace {
  readonly seq: Seq;
  readonly position: number;
}

/** Places of an order's latest events that are not in `by_order` yet. */
export class LatestPlaces {
  /** Seq and position in turn. */
  readonly #numbers: number[];

  constructor(numbers: number[] = []) {
    this.#numbers = numbers;
  }

  get isFull(): boolean {
    return this.#numbers.length >= 2 * PLACES_PER_ROW;
  }

  get firstSeq(): Seq {
    return this.#numbers[0] as Seq;
  }

  add(seq: Seq, position: number): void {
    this.#numbers.push(seq, position);
  }

  clear(): void {
    this.#numbers.length = 0;
  }

  /** Writes the places at an offset. Returns the offset after them. */
  write(target: Uint8Array, offset: number): number {
    const numbers = this.#numbers;
    let [at, seq, position] = [offset, 0, 0];
    for (let index = 0; index < numbers.length; index += 2) {
      at = writePacked(target, at, numbers[index]! - seq);
      at = writePacked(target, at, (numbers[index + 1]! - position) / ENTRY_ALIGNMENT_BYTES);
      seq = numbers[index]!;
      position = numbers[index + 1]!;
    }
    return at;
  }

  /** The places as a row of `by_order`. */
  encoded(): Buffer {
    const bytes = Buffer.allocUnsafe(PLACES_BYTES_MAX);
    return bytes.subarray(0, this.write(bytes, 0));
  }
}

let scratch = Buffer.allocUnsafeSlow(4096);

/** The row of an order. It is valid until the next call. */
export function encodeOrderRow(places: LatestPlaces, state: Uint8Array): Buffer {
  const bytesMax = LENGTH_BYTES + PLACES_BYTES_MAX + state.length;
  if (scratch.length < bytesMax) scratch = Buffer.allocUnsafeSlow(2 * bytesMax);
  const placesEnd = places.write(scratch, LENGTH_BYTES);
  scratch.writeUInt16LE(placesEnd - LENGTH_BYTES, 0);
  scratch.set(state, placesEnd);
  return scratch.subarray(0, placesEnd + state.length);
}

/** The state in a row of `orders`. Throws CodecError. */
export function stateIn(row: Uint8Array): ParentState {
  return decodeState(stateBytesIn(row));
}

/** The encoded order in a row of `orders`. A view. */
export function encodedOrderIn(row: Uint8Array): Uint8Array {
  return orderInState(stateBytesIn(row));
}

export function latestPlacesIn(row: Uint8Array): LatestPlaces {
  return new LatestPlaces(
    placesIn(row, LENGTH_BYTES, placesEndOf(row)).flatMap(({ seq, position }) => [seq, position]),
  );
}

function stateBytesIn(row: Uint8Array): Uint8Array {
  return row.subarray(placesEndOf(row));
}

function placesEndOf(row: Uint8Array): number {
  return LENGTH_BYTES + row[0]! + (row[1]! << 8);
}

/** The places in a part of a row. Default: a row of `by_order`. */
function placesIn(row: Uint8Array, from = 0, end = row.length): EventPlace[] {
  const reader = new PackedReader(row, from, end);
  const places: EventPlace[] = [];
  let [seq, position] = [0, 0];
  while (!reader.isAtEnd) {
    seq += reader.next();
    position += reader.next() * ENTRY_ALIGNMENT_BYTES;
    places.push({ seq: seq as Seq, position });
  }
  return places;
}

interface PlacesWanted {
  /** Only events after this one. */
  readonly after?: Seq | 0;
  readonly limit?: number;
  readonly snapshot?: Snapshot;
}

/** Places of an order's events in their order. Empty for an unknown order. */
export function eventPlaces(
  { table }: Pick<StateTables, 'table'>,
  orderId: OrderId,
  { after = 0, limit = Infinity, snapshot = {} }: PlacesWanted = {},
): EventPlace[] {
  const row = table.orders.get(orderKey(orderId), snapshot);
  if (row === undefined) return [];
  const places: EventPlace[] = [];
  const add = (some: readonly EventPlace[]): void => {
    for (const place of some) if (place.seq > after && places.length < limit) places.push(place);
  };
  const key = orderKey(orderId);
  const { start, end } = integersAfter(
    key,
    blockBegin({ table }, orderId, after, snapshot),
    Number.MAX_SAFE_INTEGER - 1,
  );
  for (const { value } of table.by_order.getRange({ start, end, ...snapshot })) {
    add(placesIn(value));
    if (places.length >= limit) return places;
  }
  add(placesIn(row, LENGTH_BYTES, placesEndOf(row)));
  return places;
}

/** Place of the last event of an order with seq <= through; null: none. Reads one row of places at most. */
export function lastPlace(
  { table }: Pick<StateTables, 'table'>,
  orderId: OrderId,
  through: Seq | 0,
): EventPlace | null {
  const isBefore = ({ seq }: EventPlace): boolean => seq <= through;
  const row = table.orders.get(orderKey(orderId));
  if (row === undefined || through === 0) return null;
  const latest = placesIn(row, LENGTH_BYTES, placesEndOf(row)).findLast(isBefore);
  if (latest !== undefined) return latest;
  const range = { start: orderSeqKey(orderId, through), end: orderKey(orderId), reverse: true, limit: 1 };
  const [block] = table.by_order.getRange(range);
  return block === undefined ? null : (placesIn(block.value).findLast(isBefore) ?? null);
}

/** First seq of the row that may contain the event after `after`. */
function blockBegin(
  { table }: Pick<StateTables, 'table'>,
  orderId: OrderId,
  after: Seq | 0,
  snapshot: Snapshot,
): number {
  if (after === 0) return 1;
  const range = { start: orderSeqKey(orderId, after), end: orderKey(orderId), reverse: true, limit: 1 };
  const [key] = table.by_order.getKeys({ ...range, ...snapshot });
  return key === undefined ? 1 : lastInteger(key);
}
