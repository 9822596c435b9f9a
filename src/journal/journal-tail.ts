import { closeSync, openSync, readSync } from 'node:fs';
import { ENTRY_BYTES_MAX, TAIL_READ_BYTES } from '../domain/limits/process.js';
import { ENTRY_HEADER_BYTES, entryBytes, entryBytesAt, readEntry } from './entry.js';
import type { JournalTurn, PlacedEntry } from './journal-scan.js';
import { SEGMENT_HEADER_BYTES, type SegmentFolder } from './segments.js';

/** Where the tail begins: the seq of the next event, and the position after the event before it. */
export interface TailStart {
  readonly seq: number;
  readonly position: number;
}

/** Follows the end of the journal while the journal thread writes to it. Reads only durable events. */
export class JournalTail {
  readonly #folder: SegmentFolder;
  #seq: number;
  #position: number;
  #bytes = Buffer.alloc(TAIL_READ_BYTES);
  /** Part of the buffer that is read and not yet used. */
  #from = 0;
  #to = 0;
  #file = -1;
  #number = -1;
  /** Format of the open segment's entries. */
  #format: number;
  #durableEnd = 0;

  constructor(folder: SegmentFolder, { seq, position }: TailStart) {
    this.#folder = folder;
    this.#format = folder.format.number;
    this.#seq = seq;
    this.#position = position;
  }

  /**
   * Yields the turns up to and including `durableSeq`, which ends a turn. `durableEnd`: a position after it up to which
   * the journal is durable. Throws when an entry is damaged.
   */
  *turns(durableSeq: number, durableEnd: number): Generator<JournalTurn, void, void> {
    this.#durableEnd = durableEnd;
    let entries: PlacedEntry[] = [];
    while (this.#seq <= durableSeq) {
      const entry = this.#next();
      const payload = this.#folder.format.liftEntry(this.#format, entry.payload);
      entries.push({ seq: entry.seq, position: this.#position, payload });
      this.#skip(entryBytes(entry.payload.length));
      this.#seq += 1;
      if (!entry.endsTurn) continue;
      yield { entries, end: this.#position };
      entries = [];
    }
  }

  close(): void {
    if (this.#file !== -1) closeSync(this.#file);
    this.#file = -1;
    this.#number = -1;
  }

  #next(): NonNullable<ReturnType<typeof readEntry>> {
    if (this.#folder.offsetOf(this.#position) === 0) this.#skip(SEGMENT_HEADER_BYTES);
    const entry = this.#read();
    if (entry?.seq === this.#seq) return entry;
    // The next turn did not fit into the rest of the segment.
    const before = this.#position;
    this.#position = this.#folder.startOf(this.#folder.numberOf(before) + 1) + SEGMENT_HEADER_BYTES;
    this.#from = this.#to = 0;
    const first = this.#read();
    if (first?.seq === this.#seq) return first;
    const file = this.#folder.fileOf(this.#folder.numberOf(before));
    throw new Error(
      `durable journal entry seq ${this.#seq} after ${file} at ${this.#folder.offsetOf(before)} is damaged`,
    );
  }

  #read(): ReturnType<typeof readEntry> {
    if (this.#to - this.#from < ENTRY_HEADER_BYTES) this.#fill(ENTRY_HEADER_BYTES);
    if (this.#to - this.#from < ENTRY_HEADER_BYTES) return null;
    const needed = entryBytesAt(this.#bytes, this.#from);
    if (needed > entryBytes(ENTRY_BYTES_MAX)) return null;
    if (this.#to - this.#from < needed) this.#fill(needed);
    return readEntry(this.#bytes.subarray(this.#from, this.#to), 0);
  }

  /**
   * Reads on from the position, but only durable bytes: later ones may still change. Earlier entries of the buffer are
   * in use, so it takes a new one.
   */
  #fill(bytesMin: number): void {
    const offset = this.#folder.offsetOf(this.#position);
    const number = this.#folder.numberOf(this.#position);
    const isLast = number === this.#folder.numberOf(this.#durableEnd);
    const end = isLast ? this.#folder.offsetOf(this.#durableEnd) : this.#folder.segmentBytes;
    const length = Math.min(Math.max(TAIL_READ_BYTES, bytesMin), end - offset);
    if (length <= 0) return;
    this.#open(number);
    this.#bytes = Buffer.allocUnsafe(length);
    this.#from = 0;
    this.#to = readSync(this.#file, this.#bytes, 0, length, offset);
  }

  #open(number: number): void {
    if (number === this.#number) return;
    this.close();
    this.#file = openSync(this.#folder.fileOf(number), 'r');
    this.#number = number;
    this.#format = this.#folder.formatOf(number);
  }

  #skip(bytes: number): void {
    this.#position += bytes;
    this.#from = Math.min(this.#from + bytes, this.#to);
  }
}
