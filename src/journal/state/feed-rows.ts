import type { AccountTopic, FoldableEvent } from '../../domain/event.js';
import type { Venue } from '../../domain/exchange.js';
import type { AccountId } from '../../domain/ids.js';
import { FEEDS_NUMBERED_MAX } from '../../domain/limits/process.js';
import { ENTRY_ALIGNMENT_BYTES } from '../entry.js';
import { feedIndexOf, FEEDS_PER_ACCOUNT, unnumberedMarks } from '../turn/turn-record.js';
import { PACKED_BYTES_MAX, PackedReader, writePacked } from '../../wire/codec/packed-numbers.js';
import { decodeNumber, feedFrameKey, feedKey, integersAfter, lastInteger, type StateRow } from './rows.js';
import type { StateTables, Table } from './state-tables.js';

/*
 *  Frames of a feed have consecutive numbers, so their journal positions are stored in blocks. A row of `feed` has the
 *  positions of FRAMES_PER_ROW frames: position / 8 of the first one, then the differences, as packed numbers. Its key
 *  has the number of the first frame. The positions of the frames after the last whole block are in the row of
 *  `feed_heads`, after the number of the latest frame.
 */
export const FRAMES_PER_ROW = 64;
const HEAD_BYTES = 8;
const ROW_BYTES_MAX = HEAD_BYTES + FRAMES_PER_ROW * PACKED_BYTES_MAX;

/** Number and journal position of a frame. */
interface FramePlace {
  readonly n: number;
  readonly position: number;
}

/** Frames in a row of `feed`. */
function framesInRow(key: Buffer, value: Uint8Array): FramePlace[] {
  return framesFrom(lastInteger(key), positionsIn(value, 0));
}

/** The latest frame, and the frames that are in no row of `feed` yet. */
export function framesInHead(value: Buffer): { readonly n: number; readonly frames: readonly FramePlace[] } {
  const n = decodeNumber(value);
  const positions = positionsIn(value, HEAD_BYTES);
  return { n, frames: framesFrom(n - positions.length + 1, positions) };
}

/** Frames before a position are old, and frames up to a number. */
export interface FrameBounds {
  readonly position: number;
  readonly excessTo: number;
}

/** True when all frames of a row of `feed` are old. */
export function isOldRow({ key, value }: StateRow, { position, excessTo }: FrameBounds): boolean {
  const last = framesInRow(key, value).at(-1)!;
  return last.position < position || last.n <= excessTo;
}

/** The first frame of the row that may contain frame `n`. */
function firstFrameOfRow(n: number): number {
  return n - ((n - 1) % FRAMES_PER_ROW);
}

/** Frames of a feed from number `from` on, in their order. */
export function* framesOf({ table }: Pick<StateTables, 'table'>, feed: Buffer, from: number): Generator<FramePlace> {
  const range = integersAfter(feed, firstFrameOfRow(from), Number.MAX_SAFE_INTEGER - 1);
  for (const { key, value } of table.feed.getRange(range)) {
    for (const frame of framesInRow(key, value)) if (frame.n >= from) yield frame;
  }
  const head = table.feed_heads.get(feed);
  if (head === undefined) return;
  for (const frame of framesInHead(head).frames) if (frame.n >= from) yield frame;
}

function framesFrom(firstN: number, positions: readonly number[]): FramePlace[] {
  return positions.map((position, index) => ({ n: firstN + index, position }));
}

function positionsIn(bytes: Uint8Array, from: number): number[] {
  const reader = new PackedReader(bytes, from);
  const positions: number[] = [];
  let position = 0;
  while (!reader.isAtEnd) positions.push((position += reader.next() * ENTRY_ALIGNMENT_BYTES));
  return positions;
}

const scratch = Buffer.allocUnsafeSlow(ROW_BYTES_MAX);

/** Writes positions into the scratch memory. */
function encodePositions(positions: readonly number[], from: number): Buffer {
  let [at, before] = [from, 0];
  for (const position of positions) {
    at = writePacked(scratch, at, (position - before) / ENTRY_ALIGNMENT_BYTES);
    before = position;
  }
  return scratch.subarray(0, at);
}

interface FeedHead {
  readonly account: AccountId;
  readonly topic: AccountTopic;
  readonly venue: Venue;
  readonly key: Buffer;
  n: number;
  /** Positions of the frames that are in no row of `feed` yet. */
  positions: number[];
  isChanged: boolean;
}

/**
 * Numbers frames and puts their rows. Feeds have no gap, because the heads are read and written in the transactions of
 * the events. Only one object may write the feeds of a state.
 */
export class FeedNumbering {
  readonly #feed: Table;
  readonly #heads: Table;
  /** By account, then by the index of the feed within the account: no name of a feed is made for each frame. */
  readonly #known = new Map<AccountId, (FeedHead | undefined)[]>();
  #knownCount = 0;
  readonly #changed: FeedHead[] = [];

  constructor({ table }: StateTables) {
    this.#feed = table.feed;
    this.#heads = table.feed_heads;
  }

  /** Numbers the frames of the next event in the same order as the journal thread. */
  add(envelope: FoldableEvent, position: number): void {
    const marks = unnumberedMarks(envelope);
    if (marks.length === 0) return;
    const known = this.#knownOf(envelope.account);
    for (const { topic, venue } of marks) {
      const head = (known[feedIndexOf(topic, venue)] ??= this.#read(envelope.account, topic, venue));
      head.n += 1;
      head.positions.push(position);
      if (!head.isChanged) this.#changed.push(head);
      head.isChanged = true;
      if (head.n % FRAMES_PER_ROW === 0) this.#putBlock(head);
    }
  }

  /** Call it at the end of each transaction. */
  putHeads(): void {
    for (const head of this.#changed) {
      scratch.writeDoubleLE(head.n, 0);
      this.#heads.putSync(head.key, encodePositions(head.positions, HEAD_BYTES));
      head.isChanged = false;
    }
    this.#changed.length = 0;
    if (this.#knownCount <= FEEDS_NUMBERED_MAX) return;
    this.#known.clear();
    this.#knownCount = 0;
  }

  #putBlock(head: FeedHead): void {
    const firstN = head.n - FRAMES_PER_ROW + 1;
    const key = feedFrameKey(head.account, head.topic, head.venue, firstN);
    this.#feed.putSync(key, encodePositions(head.positions, 0));
    head.positions = [];
  }

  #knownOf(account: AccountId): (FeedHead | undefined)[] {
    let known = this.#known.get(account);
    if (known === undefined) this.#known.set(account, (known = Array.from({ length: FEEDS_PER_ACCOUNT })));
    return known;
  }

  #read(account: AccountId, topic: AccountTopic, venue: Venue): FeedHead {
    const key = feedKey(account, topic, venue);
    const stored = this.#heads.get(key);
    const { n, frames } = stored === undefined ? { n: 0, frames: [] } : framesInHead(stored);
    const positions = frames.map(({ position }) => position);
    this.#knownCount += 1;
    return { account, topic, venue, key, n, positions, isChanged: false };
  }
}
