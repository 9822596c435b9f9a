import { assert } from '../model/assert.js';
import type { Seq } from '../model/ids.js';
import { ENTRY_BYTES_MAX } from '../model/limits.js';
import { crc32c } from './crc32c.js';

/*
 *  An entry, little-endian, padded with zeros to a multiple of 8 bytes:
 *
 *    0        4        8                16               24
 *    ├────────┼────────┼────────────────┼────────────────┼──────────────┤
 *    │ length │ crc32c │ seq (f64)      │ syncedSeq (f64)│ payload      │
 *    └────────┴────────┴────────────────┴────────────────┴──────────────┘
 *
 *  Bit 31 of `length` is set when more entries of the same turn follow: a turn counts whole or not at all. The checksum
 *  covers everything else. `syncedSeq` is the last seq that was on the disk before this turn was written, which lets
 *  recovery tell a torn tail from damage exactly.
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

/** Bytes that an entry with such a payload takes in a segment. */
export function entryBytes(payloadBytes: number): number {
  const bytes = ENTRY_HEADER_BYTES + payloadBytes;
  return Math.ceil(bytes / ENTRY_ALIGNMENT_BYTES) * ENTRY_ALIGNMENT_BYTES;
}

/** Bytes of the entry whose header lies at an offset, as that header claims. */
export function entryBytesAt(source: Buffer, offset: number): number {
  return entryBytes(source.readUInt32LE(offset) & LENGTH_MASK);
}

/** Writes the entry at an offset that has room for it; returns the offset after it. */
export function writeEntry(target: Buffer, offset: number, entry: JournalEntry): number {
  const { payload } = entry;
  assert(payload.length > 0 && payload.length <= ENTRY_BYTES_MAX, `a journal entry has ${payload.length} bytes`);
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

/** The entry at an offset; null when there is no whole and undamaged one. */
export function readEntry(source: Buffer, offset: number): JournalEntry | null {
  if (offset + ENTRY_HEADER_BYTES > source.length) return null;
  const word = source.readUInt32LE(offset);
  const payloadBytes = word & LENGTH_MASK;
  const end = offset + ENTRY_HEADER_BYTES + payloadBytes;
  if (payloadBytes === 0 || payloadBytes > ENTRY_BYTES_MAX || end > source.length) return null;
  const seq = source.readDoubleLE(offset + 8);
  const syncedSeq = source.readDoubleLE(offset + 16);
  // Cheap, and spares a search for entries nearly all checksums.
  if (!Number.isSafeInteger(seq) || !Number.isSafeInteger(syncedSeq) || syncedSeq < 0 || seq <= syncedSeq) return null;
  if (crc32c(source, offset + 8, end, word) !== source.readUInt32LE(offset + 4)) return null;
  return {
    seq: seq as Seq,
    syncedSeq,
    endsTurn: word < CONTINUES,
    payload: source.subarray(offset + ENTRY_HEADER_BYTES, end),
  };
}
