import { ENTRY_ALIGNMENT_BYTES, readEntry } from './entry.js';
import type { SegmentFolder } from './segment-folder.js';
import { readSegmentHeader, SEGMENT_HEADER_BYTES } from './segment-header.js';

/** What lies in the journal behind a position at which no whole entry lies. */
export interface Remains {
  /** Highest seq that something behind the position proves to have been synced; 0 when nothing does. */
  readonly syncedSeq: number;
  /** False when there are only zeros. */
  readonly isWritten: boolean;
}

/**
 * Looks for proof that the journal was synced beyond a position. Every entry says how far it was synced before its
 * turn was written, and a segment begins only when all before it is synced. So a bad entry with later proof was on
 * the disk once and is damage; without proof it is what a crash left of the last turn.
 */
export function remainsAfter(folder: SegmentFolder, position: number): Remains {
  const number = folder.numberOf(position);
  let syncedSeq = 0;
  let isWritten = false;
  for (const other of folder.numbers().filter((candidate) => candidate >= number)) {
    const bytes = folder.load(other);
    if (bytes === null) continue;
    const from = other === number ? folder.offsetOf(position) : 0;
    isWritten ||= !isZero(bytes, from);
    const header = other > number ? readSegmentHeader(bytes) : null;
    syncedSeq = Math.max(syncedSeq, header === null ? 0 : header.firstSeq - 1, syncedSeqIn(bytes, from));
  }
  return { syncedSeq, isWritten };
}

/** Highest syncedSeq of the entries that lie anywhere on the alignment from an offset on. */
function syncedSeqIn(bytes: Buffer, from: number): number {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2);
  let syncedSeq = 0;
  let offset = Math.max(from, SEGMENT_HEADER_BYTES);
  for (; offset < bytes.length; offset += ENTRY_ALIGNMENT_BYTES) {
    if (words[offset >>> 2] === 0) continue;
    const entry = readEntry(bytes, offset);
    if (entry !== null) syncedSeq = Math.max(syncedSeq, entry.syncedSeq);
  }
  return syncedSeq;
}

function isZero(bytes: Buffer, from: number): boolean {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2);
  for (let word = from >>> 2; word < words.length; word++) if (words[word] !== 0) return false;
  return true;
}
