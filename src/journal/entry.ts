import { InvariantViolation } from '../domain/rejection.js';
import type { Seq } from '../domain/ids.js';
import { ENTRY_BYTES_MAX } from '../domain/limits/process.js';
import { crc32c } from '../storage/crc32c.js';

/*
 *  An entry, little-endian, padded with zeros to a multiple of 8 bytes:
 *
 *    0        4        8                16               24
 *    ├────────┼────────┼────────────────┼────────────────┼──────────────┤
 *    │ length │ crc32c │ seq (f64)      │ syncedSeq (f64)│ payload      │
 *    └────────┴────────┴────────────────┴────────────────┴──────────────┘
 *
 *  Bit 31 of `length` is set when more entries of the same turn follow. Recovery keeps a whole turn or drops it. The
 *  checksum covers everything else. `syncedSeq` is the last seq on the disk before this turn was written. Recovery uses
 *  it to distinguish a torn tail from damage.
 */
export const ENTRY_HEADER_BYTES = 24;
export const ENTRY_ALIGNMENT_BYTES = 8;
const CONTINUES = 0x8000_0000;
const LENGTH_MASK = 0x7fff_ffff;

export interface JournalEntry {
  readonly seq: Seq;
  readonly syncedSeq: number;
  readonly endsTurn: boolean;
  /** An encoded EventEnvelope; a view of the source. */
  readonly payload: Uint8Array;
}

/** Bytes of an entry with such a payload in a segment. */
export function entryBytes(payloadBytes: number): number {
  const bytes = ENTRY_HEADER_BYTES + payloadBytes;
  return Math.ceil(bytes / ENTRY_ALIGNMENT_BYTES) * ENTRY_ALIGNMENT_BYTES;
}

/** Bytes of the entry at an offset, as its header states. The header is not checked. */
export function entryBytesAt(source: Buffer, offset: number): number {
  return entryBytes(source.readUInt32LE(offset) & LENGTH_MASK);
}

/** Writes the entry at an offset. The target must have room for it. Returns the offset after it. */
export function writeEntry(target: Buffer, offset: number, entry: JournalEntry): number {
  const { payload } = entry;
  if (payload.length === 0 || payload.length > ENTRY_BYTES_MAX) {
    throw new InvariantViolation(`a journal entry has ${payload.length} bytes`);
  }
  const word = (payload.length | (entry.endsTurn ? 0 : CONTINUES)) >>> 0;
  const payloadEnd = offset + ENTRY_HEADER_BYTES + payload.length;
  const end = offset + entryBytes(payload.length);
  target.writeUInt32LE(word, offset);
  target.writeDoubleLE(entry.seq, offset + 8);
  target.writeDoubleLE(entry.syncedSeq, offset + 16);
  target.set(payload, offset + ENTRY_HEADER_BYTES);
  target.fill(0, payloadEnd, end);
  target.writeUInt32LE(crc32c(target, offset + 8, payloadEnd, word), offset + 4);
  return end;
}

/** Returns the entry at an offset, or null when it is incomplete or damaged. */
export function readEntry(source: Buffer, offset: number): JournalEntry | null {
  if (offset + ENTRY_HEADER_BYTES > source.length) return null;
  const word = source.readUInt32LE(offset);
  const payloadBytes = word & LENGTH_MASK;
  const end = offset + ENTRY_HEADER_BYTES + payloadBytes;
  if (payloadBytes === 0 || payloadBytes > ENTRY_BYTES_MAX || end > source.length) return null;
  const seq = source.readDoubleLE(offset + 8);
  const syncedSeq = source.readDoubleLE(offset + 16);
  // This cheap check avoids nearly all checksums in a search for entries.
  if (!Number.isSafeInteger(seq) || !Number.isSafeInteger(syncedSeq) || syncedSeq < 0 || seq <= syncedSeq) return null;
  if (crc32c(source, offset + 8, end, word) !== source.readUInt32LE(offset + 4)) return null;
  return {
    seq: seq as Seq,
    syncedSeq,
    endsTurn: word < CONTINUES,
    payload: source.subarray(offset + ENTRY_HEADER_BYTES, end),
  };
}
