import type { Seq } from '../domain/ids.js';
import { ENTRY_ALIGNMENT_BYTES, entryBytes, readEntry } from './entry.js';
import { damagedEntry, missingBeginning, missingSegment } from './journal-damage.js';
import { readSegmentHeader, SEGMENT_HEADER_BYTES, type SegmentContent, type SegmentFolder } from './segments.js';

export interface PlacedEntry {
  readonly seq: Seq;
  readonly position: number;
  /** In the present format. */
  readonly payload: Uint8Array;
}

/** Entries that were written and synced together. Recovery keeps all of them or none. */
export interface JournalTurn {
  readonly entries: readonly PlacedEntry[];
  readonly end: number;
}

interface ScanStart {
  /** Position of the first turn: an entry, or the start of a segment. */
  readonly position: number;
  /** Seq of the first entry. */
  readonly seq: number;
  /** The journal is proven to be synced up to this seq. */
  readonly syncedSeq: number;
}

export interface ScanEnd {
  /** Position after the last whole turn. */
  readonly position: number;
  readonly lastSeq: number;
  /** True when unsynced bytes of an incomplete turn follow. */
  readonly isTorn: boolean;
}

/**
 * Reads complete turns in order of seq, across segments, until no complete turn follows. Throws JournalDamage when
 * synced entries are lost. An incomplete last turn is no damage.
 */
export class JournalScan {
  readonly #folder: SegmentFolder;
  readonly #start: ScanStart;
  #number: number;
  #offset: number;
  #bytes: Buffer | null;
  /** Format of the segment's entries. */
  #format: number;
  #seq: number;
  #end: ScanEnd | null = null;

  constructor(folder: SegmentFolder, start: ScanStart) {
    this.#folder = folder;
    this.#start = start;
    this.#number = folder.numberOf(start.position);
    this.#offset = folder.offsetOf(start.position);
    this.#bytes = folder.load(this.#number)?.bytes ?? null;
    this.#format = folder.formatOf(this.#number);
    this.#seq = start.seq;
  }

  *turns(): Generator<JournalTurn, void, void> {
    let turn: PlacedEntry[] = [];
    let turnEnd: Pick<ScanEnd, 'position' | 'lastSeq'> = { position: this.#start.position, lastSeq: this.#seq - 1 };
    if (this.#offset === 0 && !this.#enter(this.#number)) return this.#stop(turnEnd);
    for (;;) {
      const entry = this.#bytes === null ? null : readEntry(this.#bytes, this.#offset);
      if (entry?.seq === this.#seq) {
        const payload = this.#folder.format.liftEntry(this.#format, entry.payload);
        turn.push({ seq: entry.seq, position: this.#position(), payload });
        this.#offset += entryBytes(entry.payload.length);
        this.#seq += 1;
        if (!entry.endsTurn) continue;
        turnEnd = { position: this.#position(), lastSeq: entry.seq };
        yield { entries: turn, end: turnEnd.position };
        turn = [];
      } else if (turn.length > 0 || !this.#enter(this.#number + 1)) {
        return this.#stop(turnEnd);
      }
    }
  }

  /** How the scan ended. Throws before `turns` has run to its end. */
  get end(): ScanEnd {
    if (this.#end === null) throw new Error('the scan has not ended');
    return this.#end;
  }

  #position(): number {
    return this.#folder.startOf(this.#number) + this.#offset;
  }

  /** Continues at the start of a segment if the next entry is there. */
  #enter(number: number): boolean {
    const bytes = this.#folder.load(number)?.bytes ?? null;
    const header = bytes === null ? null : readSegmentHeader(bytes);
    if (header?.firstSeq !== this.#seq) return false;
    this.#number = number;
    this.#bytes = bytes;
    this.#format = header.format;
    this.#offset = SEGMENT_HEADER_BYTES;
    return true;
  }

  #stop(turnEnd: Pick<ScanEnd, 'position' | 'lastSeq'>): void {
    const { syncedSeq, isWritten } = remainsAfter(this.#folder, this.#position());
    const known = Math.max(syncedSeq, this.#start.syncedSeq);
    if (this.#seq <= known) throw this.#loss(known);
    this.#end = { ...turnEnd, isTorn: isWritten || this.#position() !== turnEnd.position };
  }

  #loss(syncedSeq: number): Error {
    const folder = this.#folder;
    const file = folder.fileOf(this.#number);
    if (this.#bytes === null) return missingSegment(file, this.#seq);
    const header = readSegmentHeader(this.#bytes);
    if (this.#offset === 0 && header !== null) return missingBeginning(file, header.firstSeq, this.#seq);
    const next = this.#number + 1;
    const isAtEnd = this.#offset >= folder.segmentBytes || this.#bytes.readUInt32LE(this.#offset) === 0;
    if (isAtEnd && !folder.has(next) && folder.numbers().some((number) => number > next)) {
      return missingSegment(folder.fileOf(next), this.#seq);
    }
    return damagedEntry(file, this.#offset, this.#seq, syncedSeq);
  }
}

/** Classifies the bytes after the last complete entry. */
interface Remains {
  /** Highest seq that later bytes prove to be synced; 0 without such a proof. */
  readonly syncedSeq: number;
  /** False when only zeros follow. */
  readonly isWritten: boolean;
}

/**
 * Searches for proof that the journal was synced beyond a position. Every entry states how far the journal was synced
 * before its turn was written. A segment begins only after everything before it is synced. So a damaged entry with
 * later proof is real damage. Without proof it is the incomplete last turn of a crash.
 */
function remainsAfter(folder: SegmentFolder, position: number): Remains {
  const number = folder.numberOf(position);
  let syncedSeq = 0;
  let isWritten = false;
  for (const other of folder.numbers().filter((candidate) => candidate >= number)) {
    const content = folder.load(other);
    const from = other === number ? folder.offsetOf(position) : 0;
    if (content === null || isZero(content, from)) continue;
    isWritten = true;
    const header = other > number ? readSegmentHeader(content.bytes) : null;
    syncedSeq = Math.max(syncedSeq, header === null ? 0 : header.firstSeq - 1, syncedSeqIn(content, from));
  }
  return { syncedSeq, isWritten };
}

/** Highest syncedSeq of all entries at aligned offsets, from an offset on. */
function syncedSeqIn({ bytes, writtenBytes }: SegmentContent, from: number): number {
  const words = wordsOf(bytes);
  let syncedSeq = 0;
  let offset = Math.max(from, SEGMENT_HEADER_BYTES);
  for (; offset < writtenBytes; offset += ENTRY_ALIGNMENT_BYTES) {
    if (words[offset >>> 2] === 0) continue;
    const entry = readEntry(bytes, offset);
    if (entry !== null) syncedSeq = Math.max(syncedSeq, entry.syncedSeq);
  }
  return syncedSeq;
}

function isZero({ bytes, writtenBytes }: SegmentContent, from: number): boolean {
  const words = wordsOf(bytes);
  for (let word = from >>> 2; word < writtenBytes >>> 2; word++) if (words[word] !== 0) return false;
  return true;
}

function wordsOf(bytes: Buffer): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2);
}
