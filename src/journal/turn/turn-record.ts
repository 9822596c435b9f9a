import {
  ACCOUNT_TOPICS,
  type AccountTopic,
  type FeedMark,
  topicsOf,
  type UnnumberedEvent,
} from '../../domain/event.js';
import { type Venue, VENUES } from '../../domain/exchange.js';
import { InvariantViolation } from '../../domain/rejection.js';
import { RING_MESSAGE_BYTES_MAX } from '../../domain/limits/process.js';
import { entryBytes } from '../entry.js';

/*
 *  A producer hands each turn over in one or more records of its ring:
 *
 *    ┌───────────┬─────────────────────┬────────────────── for each event ──────────────────────────────┐
 *    │ kind (u8) │ journal bytes (u32) │ payload bytes (u32) │ feeds (u8) │ topic, venue … │ account │ payload │
 *    └───────────┴─────────────────────┴────────────────────────────────────────────────────────────────┘
 *
 *  The journal bytes are those of the record's entries in a segment. The account is its length (u8) and its UTF-8
 *  bytes; it is absent without feeds. The journal thread answers with one record of float64 numbers: the seq of the
 *  turn's first event, then the number of each frame, in order.
 */

/**
 * Kinds of records. `turn` and `quiet` end a turn; the places of a quiet turn do not wake the producer. `open`: a new
 * thread took the producer's place. `wake`: wakes the producer when all turns before it have their places.
 */
export const RECORD = { turn: 1, continued: 2, open: 3, quiet: 4, wake: 5 } as const;
type RecordKind = (typeof RECORD)[keyof typeof RECORD];

/** First number of the answer to `RECORD.open`. Every other number is positive. */
const OPENED = 0;
const RECORD_HEAD_BYTES = 5;
const ENTRY_HEAD_BYTES = 5;
const FEED_BYTES = 2;
const INITIAL_BYTES = 64 * 1024;

const TOPIC_INDEX = Object.fromEntries(ACCOUNT_TOPICS.map((topic, index) => [topic, index])) as Record<
  AccountTopic,
  number
>;
const VENUE_INDEX = Object.fromEntries(VENUES.map((venue, index) => [venue, index])) as Record<Venue, number>;
/** Feeds that an account may have. */
export const FEEDS_PER_ACCOUNT = ACCOUNT_TOPICS.length * VENUES.length;

/** Index of a feed within its account: 0 to FEEDS_PER_ACCOUNT − 1. */
export function feedIndexOf(topic: AccountTopic, venue: Venue): number {
  return TOPIC_INDEX[topic] * VENUES.length + VENUE_INDEX[venue];
}

/** A frame of an event whose number is not known yet. */
export interface UnnumberedMark {
  readonly topic: AccountTopic;
  readonly venue: Venue;
  /** True when the frame is published at the venue of the order's other leg. */
  readonly isElsewhere: boolean;
}

type EventVenues = Pick<UnnumberedEvent, 'event' | 'venue' | 'otherVenue'>;

/** The frames of an event. Order frames of a pair are published at both of its venues. The list is shared. */
export function unnumberedMarks({ event, venue, otherVenue }: EventVenues): readonly UnnumberedMark[] {
  const topics = topicsOf(event);
  if (otherVenue === null || !topics.includes('order')) return ownMarks(topics, venue);
  return [...ownMarks(topics, venue), { topic: 'order', venue: otherVenue, isElsewhere: true }];
}

/** The frames of events at one venue, by their topics. There are only a few lists of topics. */
const marksOfTopics = new Map<readonly AccountTopic[], Map<Venue, readonly UnnumberedMark[]>>();

function ownMarks(topics: readonly AccountTopic[], venue: Venue): readonly UnnumberedMark[] {
  let byVenue = marksOfTopics.get(topics);
  if (byVenue === undefined) marksOfTopics.set(topics, (byVenue = new Map()));
  let marks = byVenue.get(venue);
  if (marks === undefined) {
    byVenue.set(venue, (marks = topics.map((topic) => ({ topic, venue, isElsewhere: false }))));
  }
  return marks;
}

/** The mark of a frame that has its number now. */
export function markOf({ topic, venue, isElsewhere }: UnnumberedMark, n: number): FeedMark {
  return isElsewhere ? { topic, n, venue } : { topic, n };
}

/** Writes the records of a turn. The memory is reused. */
export class TurnWriter {
  readonly #bytesMax: number;
  readonly #send: (record: Uint8Array) => void;
  #bytes = Buffer.alloc(INITIAL_BYTES);
  #end = RECORD_HEAD_BYTES;
  #journalBytes = 0;

  /** `send` gets each complete record. The record is valid only inside the call. */
  constructor(capacityBytes: number, send: (record: Uint8Array) => void) {
    this.#bytesMax = Math.min(RING_MESSAGE_BYTES_MAX, capacityBytes / 4);
    this.#send = send;
  }

  add(payload: Uint8Array, account: string, marks: readonly UnnumberedMark[]): void {
    const accountBytes = marks.length === 0 ? 0 : Buffer.byteLength(account);
    const bytes = ENTRY_HEAD_BYTES + marks.length * FEED_BYTES + (accountBytes > 0 ? 1 : 0) + accountBytes;
    const isBegun = this.#end > RECORD_HEAD_BYTES;
    if (isBegun && this.#end + bytes + payload.length > this.#bytesMax) this.#flush(RECORD.continued);
    this.#reserve(this.#end + bytes + payload.length);
    const target = this.#bytes;
    let at = target.writeUInt32LE(payload.length, this.#end);
    target[at++] = marks.length;
    for (const { topic, venue } of marks) {
      target[at++] = TOPIC_INDEX[topic];
      target[at++] = VENUE_INDEX[venue];
    }
    if (marks.length > 0) {
      if (accountBytes > 0xff) throw new InvariantViolation(`an account id of ${accountBytes} bytes`);
      target[at++] = accountBytes;
      at += target.write(account, at, 'utf8');
    }
    target.set(payload, at);
    this.#end = at + payload.length;
    this.#journalBytes += entryBytes(payload.length);
  }

  /** Sends the rest of the turn. `isAwaited` false: its places do not wake the producer. */
  end(isAwaited: boolean): void {
    this.#flush(isAwaited ? RECORD.turn : RECORD.quiet);
  }

  #flush(kind: RecordKind): void {
    this.#bytes[0] = kind;
    this.#bytes.writeUInt32LE(this.#journalBytes, 1);
    const record = this.#bytes.subarray(0, this.#end);
    this.#end = RECORD_HEAD_BYTES;
    this.#journalBytes = 0;
    this.#send(record);
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#bytes.length) return;
    const grown = Buffer.alloc(Math.max(bytes, this.#bytes.length * 2));
    this.#bytes.copy(grown);
    this.#bytes = grown;
  }
}

/** Upper bound of the record of a turn with one event. */
export function recordBytesOf(payload: Uint8Array, account: string, marks: readonly UnnumberedMark[]): number {
  const accountBytes = 1 + 3 * account.length;
  return RECORD_HEAD_BYTES + ENTRY_HEAD_BYTES + marks.length * FEED_BYTES + accountBytes + payload.length;
}

export function openRecord(): Uint8Array {
  return Uint8Array.of(RECORD.open);
}

export function wakeRecord(): Uint8Array {
  return Uint8Array.of(RECORD.wake);
}

/** One event of a turn, as a view of the record. */
export interface RecordedEntry {
  readonly payload: Uint8Array;
  readonly account: Uint8Array;
  /** Indices of its feeds within the account. */
  readonly feeds: readonly number[];
}

/** Bytes of the record's entries in a segment. */
export function journalBytesOf(record: Uint8Array): number {
  return lengthAt(record, 1);
}

/** A number of 32 bits, without a view of the record. */
function lengthAt(record: Uint8Array, at: number): number {
  return (record[at]! | (record[at + 1]! << 8) | (record[at + 2]! << 16) | (record[at + 3]! << 24)) >>> 0;
}

const NO_ACCOUNT = new Uint8Array(0);

/** Calls `handle` with each event of a record; `isLast`: no other one follows in the record. */
export function readEntries(record: Uint8Array, handle: (entry: RecordedEntry, isLast: boolean) => void): void {
  for (let at = RECORD_HEAD_BYTES; at < record.length;) {
    const payloadBytes = lengthAt(record, at);
    const feedCount = record[at + 4]!;
    at += ENTRY_HEAD_BYTES;
    const feeds: number[] = [];
    for (let feed = 0; feed < feedCount; feed += 1, at += FEED_BYTES) {
      feeds.push(record[at]! * VENUES.length + record[at + 1]!);
    }
    const accountBytes = feedCount === 0 ? 0 : record[at++]!;
    const payloadAt = at + accountBytes;
    const end = payloadAt + payloadBytes;
    const account = accountBytes === 0 ? NO_ACCOUNT : record.subarray(at, payloadAt);
    handle({ payload: record.subarray(payloadAt, end), account, feeds }, end === record.length);
    at = end;
  }
}

/** Numbers of one record of places. */
const NUMBERS_PER_RECORD_MAX = 8_192;

/** The records of a durable turn. `numbers`: seq of its first event, then the number of each frame. */
export function placeRecords(numbers: readonly number[]): Uint8Array[] {
  if (numbers.length <= NUMBERS_PER_RECORD_MAX) return [bytesOf(numbers)];
  const records: Uint8Array[] = [];
  for (let from = 0; from < numbers.length; from += NUMBERS_PER_RECORD_MAX) {
    records.push(bytesOf(numbers.slice(from, from + NUMBERS_PER_RECORD_MAX)));
  }
  return records;
}

/** The answer to `RECORD.open`. */
export function openedRecord(durableSeq: number): Uint8Array {
  return bytesOf([OPENED, durableSeq]);
}

function bytesOf(numbers: readonly number[]): Uint8Array {
  // Float64Array.from copies an array into a list of its own first.
  const values = new Float64Array(numbers.length);
  for (let index = 0; index < numbers.length; index += 1) values[index] = numbers[index]!;
  return new Uint8Array(values.buffer);
}

/** Returns the numbers of a record of places. */
export function numbersIn(record: Uint8Array): Float64Array {
  return new Float64Array(record.buffer, record.byteOffset, record.byteLength / Float64Array.BYTES_PER_ELEMENT);
}

/** Returns the durable seq when the numbers answer `RECORD.open`. Frames and events count from 1. */
export function openedSeqOf(numbers: Float64Array): number | null {
  return numbers[0] === OPENED ? numbers[1]! : null;
}
