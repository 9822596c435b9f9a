import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { assert } from '../model/assert.js';
import { SEGMENT_BYTES } from '../model/limits.js';
import { isMissing, namesIn } from './data-folder.js';
import { nodeDisk, type JournalDisk } from './disk.js';
import { wrongSegmentSize } from './journal-damage.js';
import { ENTRY_ALIGNMENT_BYTES } from './entry.js';
import { readSegmentHeader, SEGMENT_HEADER_BYTES, type SegmentHeader } from './segment-header.js';

const SEGMENT_NAME = /^(\d{10})\.segment$/;
const DRAFT_NAME = /\.draft-\d+-\d+$/;
const ZEROS = Buffer.alloc(1024 * 1024);

/** The first segment of a journal. */
export const FIRST_SEGMENT = 1;

/**
 * The folder of segments. A position names a byte of the whole journal: segment number × segment bytes + offset.
 * Segments have one fixed size and are written full of zeros before they are used, so that syncing an append never
 * has to write a file's size or extents.
 */
export class SegmentFolder {
  readonly path: string;
  readonly segmentBytes: number;
  readonly #disk: JournalDisk;

  constructor(path: string, segmentBytes: number, disk: JournalDisk = nodeDisk) {
    assert(segmentBytes % ENTRY_ALIGNMENT_BYTES === 0, 'segments are a whole number of aligned words');
    assert(segmentBytes > SEGMENT_HEADER_BYTES, 'a segment has room behind its header');
    this.path = path;
    this.segmentBytes = segmentBytes;
    this.#disk = disk;
  }

  /** The folder with the size its segments have; `segmentBytes` when it has none yet. */
  static at(path: string, segmentBytes = SEGMENT_BYTES, disk: JournalDisk = nodeDisk): SegmentFolder {
    const folder = new SegmentFolder(path, segmentBytes, disk);
    const header = folder
      .numbers()
      .map((number) => folder.header(number))
      .find((found) => found !== null);
    return header === undefined ? folder : new SegmentFolder(path, header.segmentBytes, disk);
  }

  numberOf(position: number): number {
    return Math.floor(position / this.segmentBytes);
  }

  offsetOf(position: number): number {
    return position % this.segmentBytes;
  }

  startOf(number: number): number {
    return number * this.segmentBytes;
  }

  fileOf(number: number): string {
    return join(this.path, `${String(number).padStart(10, '0')}.segment`);
  }

  /** Numbers of the segments that are there, ascending. */
  numbers(): number[] {
    return namesIn(this.path).flatMap((name) => {
      const match = SEGMENT_NAME.exec(name);
      return match === null ? [] : [Number(match[1])];
    });
  }

  has(number: number): boolean {
    return statSync(this.fileOf(number), { throwIfNoEntry: false }) !== undefined;
  }

  /**
   * Makes a segment of zeros, synced, unless it is there already. Under its final name it is always complete:
   * a keeper that prepares it and a shard that needs it now may both try, and one of them wins.
   */
  create(number: number): void {
    const file = this.fileOf(number);
    if (this.has(number)) return;
    const draft = `${file}.draft-${process.pid}-${threadId}`;
    try {
      this.#writeZeros(draft);
      this.#disk.link(draft, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      this.#disk.removeTree(draft);
    }
    this.#disk.sync(this.path);
  }

  /** A whole segment, or null when there is none. Throws JournalDamage when it has another size. */
  load(number: number): Buffer | null {
    const file = this.fileOf(number);
    try {
      const bytes = readFileSync(file);
      if (bytes.length !== this.segmentBytes) throw wrongSegmentSize(file, bytes.length, this.segmentBytes);
      return bytes;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** null when the segment is missing, unused or its header is damaged. */
  header(number: number): SegmentHeader | null {
    const bytes = Buffer.alloc(SEGMENT_HEADER_BYTES);
    try {
      const file = openSync(this.fileOf(number), 'r');
      readSync(file, bytes, 0, bytes.length, 0);
      closeSync(file);
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
    return readSegmentHeader(bytes);
  }

  /** Fills everything behind a position with zeros and removes later segments, synced. */
  cutAt(position: number): void {
    const number = this.numberOf(position);
    const later = this.numbers().filter((other) => other > number);
    for (const other of later.toReversed()) this.#disk.remove(this.fileOf(other));
    if (this.has(number)) {
      const file = this.#disk.open(this.fileOf(number));
      this.#fillZeros(file, this.offsetOf(position));
      this.#disk.datasync(file);
      this.#disk.close(file);
    }
    this.#disk.sync(this.path);
  }

  remove(number: number): void {
    this.#disk.remove(this.fileOf(number));
    this.#disk.sync(this.path);
  }

  /** Removes the drafts that processes left that died while they prepared a segment. */
  removeDrafts(): void {
    for (const name of namesIn(this.path)) if (DRAFT_NAME.test(name)) this.#disk.remove(join(this.path, name));
  }

  #writeZeros(path: string): void {
    const file = this.#disk.create(path);
    try {
      this.#fillZeros(file, 0);
    } finally {
      this.#disk.close(file);
    }
    this.#disk.sync(path);
  }

  #fillZeros(file: number, from: number): void {
    let at = from;
    while (at < this.segmentBytes) {
      at += this.#disk.write(file, ZEROS, 0, Math.min(ZEROS.length, this.segmentBytes - at), at);
    }
  }
}
