import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { assert } from '../model/assert.js';
import { SEGMENT_BYTES } from '../model/limits.js';
import { isMissing, namesIn, syncPath } from './data-folder.js';
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

  constructor(path: string, segmentBytes: number) {
    assert(segmentBytes % ENTRY_ALIGNMENT_BYTES === 0, 'segments are a whole number of aligned words');
    assert(segmentBytes > SEGMENT_HEADER_BYTES, 'a segment has room behind its header');
    this.path = path;
    this.segmentBytes = segmentBytes;
  }

  /** The folder with the size its segments have; `segmentBytes` when it has none yet. */
  static at(path: string, segmentBytes = SEGMENT_BYTES): SegmentFolder {
    const folder = new SegmentFolder(path, segmentBytes);
    const header = folder
      .numbers()
      .map((number) => folder.header(number))
      .find((found) => found !== null);
    return header === undefined ? folder : new SegmentFolder(path, header.segmentBytes);
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
      writeZeros(draft, this.segmentBytes);
      linkSync(draft, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(draft, { force: true });
    }
    syncPath(this.path);
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
    for (const later of this.numbers()
      .filter((other) => other > number)
      .toReversed())
      unlinkSync(this.fileOf(later));
    if (this.has(number)) {
      const file = openSync(this.fileOf(number), 'r+');
      fillZeros(file, this.offsetOf(position), this.segmentBytes);
      fsyncSync(file);
      closeSync(file);
    }
    syncPath(this.path);
  }

  remove(number: number): void {
    unlinkSync(this.fileOf(number));
    syncPath(this.path);
  }

  /** What processes that died while preparing a segment left behind. */
  removeDrafts(): void {
    for (const name of namesIn(this.path)) if (DRAFT_NAME.test(name)) unlinkSync(join(this.path, name));
  }
}

function writeZeros(path: string, bytes: number): void {
  const file = openSync(path, 'w', 0o600);
  try {
    fillZeros(file, 0, bytes);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function fillZeros(file: number, from: number, to: number): void {
  let at = from;
  while (at < to) at += writeSync(file, ZEROS, 0, Math.min(ZEROS.length, to - at), at);
}
