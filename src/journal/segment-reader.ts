import { closeSync, readSync } from 'node:fs';
import type { EventEnvelope } from '../domain/event.js';
import { SEGMENT_FILES_OPEN_MAX } from '../domain/limits/process.js';
import { decodeEvent } from '../wire/codec/envelope.js';
import { ENTRY_HEADER_BYTES, entryBytesAt, readEntry } from './entry.js';
import { SEGMENT_HEADER_BYTES, type SegmentFolder } from './segments.js';

/** Most entries are smaller, so one read is enough. */
const FIRST_READ_BYTES = 2048;

interface OpenSegment {
  readonly descriptor: number;
  /** Format of its entries. */
  readonly format: number;
}

/** Reads single entries of the journal by position. */
export class SegmentReader {
  readonly #folder: SegmentFolder;
  /** Open files by segment number, the least recently used one first. */
  readonly #files = new Map<number, OpenSegment>();
  #bytes = Buffer.alloc(FIRST_READ_BYTES);

  constructor(folder: SegmentFolder) {
    this.#folder = folder;
  }

  /**
   * Returns the event at a position, or null when retention has removed the segment. Throws when the entry is
   * damaged.
   */
  read(position: number): EventEnvelope | null {
    const payload = this.payload(position);
    return payload === null ? null : decodeEvent(payload);
  }

  /** The same, encoded. The bytes are valid until the next read. */
  payload(position: number): Uint8Array | null {
    const number = this.#folder.numberOf(position);
    const offset = this.#folder.offsetOf(position);
    const file = this.#open(number);
    if (file === null) return null;
    const read = readSync(file.descriptor, this.#bytes, 0, this.#bytes.length, offset);
    const needed = read < ENTRY_HEADER_BYTES ? 0 : entryBytesAt(this.#bytes, 0);
    if (needed > this.#bytes.length && offset + needed <= this.#folder.segmentBytes) {
      this.#bytes = Buffer.alloc(needed);
      return this.payload(position);
    }
    const entry = readEntry(this.#bytes.subarray(0, read), 0);
    if (entry === null) throw new Error(`journal entry in ${this.#folder.fileOf(number)} at ${offset} is damaged`);
    return this.#folder.format.liftEntry(file.format, entry.payload);
  }

  /** Returns the first event of a segment, or null when the segment is missing or unused. */
  readFirst(number: number): EventEnvelope | null {
    if (this.#folder.header(number) === null) return null;
    return this.read(this.#folder.startOf(number) + SEGMENT_HEADER_BYTES);
  }

  close(): void {
    for (const { descriptor } of this.#files.values()) closeSync(descriptor);
    this.#files.clear();
  }

  #open(number: number): OpenSegment | null {
    const known = this.#files.get(number);
    if (known !== undefined) {
      this.#files.delete(number);
      this.#files.set(number, known);
      return known;
    }
    const descriptor = this.#folder.open(number);
    if (descriptor === null) return null;
    const file = { descriptor, format: this.#folder.formatOf(number) };
    if (this.#files.size >= SEGMENT_FILES_OPEN_MAX) this.#closeOldest();
    this.#files.set(number, file);
    return file;
  }

  #closeOldest(): void {
    const [number, file] = this.#files.entries().next().value!;
    closeSync(file.descriptor);
    this.#files.delete(number);
  }
}
