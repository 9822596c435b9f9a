import { closeSync, openSync, readSync } from 'node:fs';
import type { EventEnvelope } from '../model/event.js';
import { SEGMENT_FILES_OPEN_MAX } from '../model/limits.js';
import { decodeEvent } from '../wire/codec/index.js';
import { isMissing } from './data-folder.js';
import { ENTRY_HEADER_BYTES, entryBytesAt, readEntry } from './entry.js';
import type { SegmentFolder } from './segment-folder.js';
import { SEGMENT_HEADER_BYTES } from './segment-header.js';

/** Most entries are smaller: one read is enough. */
const FIRST_READ_BYTES = 2048;

/** Reads single entries of the journal by position. */
export class SegmentReader {
  readonly #folder: SegmentFolder;
  /** In order of last use. */
  readonly #files = new Map<number, number>();
  #bytes = Buffer.alloc(FIRST_READ_BYTES);

  constructor(folder: SegmentFolder) {
    this.#folder = folder;
  }

  /** null when retention has removed the segment. Throws when the entry is damaged. */
  read(position: number): EventEnvelope | null {
    const number = this.#folder.numberOf(position);
    const offset = this.#folder.offsetOf(position);
    const file = this.#open(number);
    if (file === null) return null;
    const read = readSync(file, this.#bytes, 0, this.#bytes.length, offset);
    const needed = read < ENTRY_HEADER_BYTES ? 0 : entryBytesAt(this.#bytes, 0);
    if (needed > this.#bytes.length && offset + needed <= this.#folder.segmentBytes) {
      this.#bytes = Buffer.alloc(needed);
      return this.read(position);
    }
    const entry = readEntry(this.#bytes.subarray(0, read), 0);
    if (entry === null) throw new Error(`journal entry in ${this.#folder.fileOf(number)} at ${offset} is damaged`);
    return decodeEvent(entry.payload);
  }

  /** The first entry of a segment; null when the segment is missing or has not been used yet. */
  readFirst(number: number): EventEnvelope | null {
    if (this.#folder.header(number) === null) return null;
    return this.read(this.#folder.startOf(number) + SEGMENT_HEADER_BYTES);
  }

  close(): void {
    for (const file of this.#files.values()) closeSync(file);
    this.#files.clear();
  }

  #open(number: number): number | null {
    const known = this.#files.get(number);
    if (known !== undefined) {
      this.#files.delete(number);
      this.#files.set(number, known);
      return known;
    }
    try {
      const file = openSync(this.#folder.fileOf(number), 'r');
      if (this.#files.size >= SEGMENT_FILES_OPEN_MAX) this.#closeOldest();
      this.#files.set(number, file);
      return file;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  #closeOldest(): void {
    const [number, file] = this.#files.entries().next().value!;
    closeSync(file);
    this.#files.delete(number);
  }
}
