import type { Seq } from '../model/ids.js';
import type { EpochMs } from '../model/time.js';

/** How far the state has come in the journal: one row, written in the transaction of every turn. */
export interface JournalHead {
  /** Last event in the state; 0 when there is none. */
  readonly lastSeq: Seq | 0;
  /** Position after it. */
  readonly end: number;
  /** First event of the last turn, and its position: a start reads this turn again, to see that it is on the disk. */
  readonly turnSeq: number;
  readonly turnPosition: number;
  /** recordedAtMs of the last event; 0 when there is none. */
  readonly recordedAtMs: EpochMs;
}

const FIELD_BYTES = 8;
const HEAD_BYTES = 5 * FIELD_BYTES;

/** A journal without an event begins at the start of its first segment. */
export function emptyHead(start: number): JournalHead {
  return { lastSeq: 0, end: start, turnSeq: 1, turnPosition: start, recordedAtMs: 0 as EpochMs };
}

export function encodeHead(head: JournalHead): Buffer {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES);
  const fields = [head.lastSeq, head.end, head.turnSeq, head.turnPosition, head.recordedAtMs];
  for (const [index, field] of fields.entries()) bytes.writeDoubleLE(field, index * FIELD_BYTES);
  return bytes;
}

export function decodeHead(bytes: Buffer): JournalHead {
  const field = (index: number): number => bytes.readDoubleLE(index * FIELD_BYTES);
  return {
    lastSeq: field(0) as Seq,
    end: field(1),
    turnSeq: field(2),
    turnPosition: field(3),
    recordedAtMs: field(4) as EpochMs,
  };
}
