import type { Seq } from '../model/ids.js';
import { entryBytes, readEntry } from './entry.js';
import { damagedEntry, missingBeginning, missingSegment } from './journal-damage.js';
import type { SegmentFolder } from './segment-folder.js';
import { readSegmentHeader, SEGMENT_HEADER_BYTES } from './segment-header.js';
import { remainsAfter } from './sync-evidence.js';

export interface PlacedEntry {
  readonly seq: Seq;
  readonly position: number;
  readonly payload: Uint8Array;
}

/** The entries that were written and synced together: they count all or none. */
export interface JournalTurn {
  readonly entries: readonly PlacedEntry[];
  readonly end: number;
}

export interface ScanStart {
  /** Where the first turn lies: an entry, or the start of a segment. */
  readonly position: number;
  /** The first entry's seq. */
  readonly seq: number;
  /** Up to here the journal is known to have been synced. */
  readonly syncedSeq: number;
}

export interface ScanEnd {
  /** Position after the last whole turn. */
  readonly position: number;
  readonly lastSeq: number;
  /** True when a turn that never was synced left something there. */
  readonly isTorn: boolean;
}

/**
 * Reads whole turns in order of seq, over segments, until nothing whole follows.
 * Throws JournalDamage when what follows is not the torn end of the last turn but a loss.
 */
export class JournalScan {
  readonly #folder: SegmentFolder;
  readonly #start: ScanStart;
  #number: number;
  #offset: number;
  #bytes: Buffer | null;
  #seq: number;
  #end: ScanEnd | null = null;

  constructor(folder: SegmentFolder, start: ScanStart) {
    this.#folder = folder;
    this.#start = start;
    this.#number = folder.numberOf(start.position);
    this.#offset = folder.offsetOf(start.position);
    this.#bytes = folder.load(this.#number);
    this.#seq = start.seq;
  }

  *turns(): Generator<JournalTurn, void, void> {
    let turn: PlacedEntry[] = [];
    let turnEnd: Pick<ScanEnd, 'position' | 'lastSeq'> = { position: this.#start.position, lastSeq: this.#seq - 1 };
    if (this.#offset === 0 && !this.#enter(this.#number)) return this.#stop(turnEnd);
    for (;;) {
      const entry = this.#bytes === null ? null : readEntry(this.#bytes, this.#offset);
      if (entry?.seq === this.#seq) {
        turn.push({ seq: entry.seq, position: this.#position(), payload: entry.payload });
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

  /** How it ended; only after `turns` has run to its end. */
  get end(): ScanEnd {
    if (this.#end === null) throw new Error('the scan has not ended');
    return this.#end;
  }

  #position(): number {
    return this.#folder.startOf(this.#number) + this.#offset;
  }

  /** Goes on at the start of a segment, if that is where the next entry is. */
  #enter(number: number): boolean {
    const bytes = this.#folder.load(number);
    const header = bytes === null ? null : readSegmentHeader(bytes);
    if (header?.firstSeq !== this.#seq) return false;
    this.#number = number;
    this.#bytes = bytes;
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
