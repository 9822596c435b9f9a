import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { assert } from '../domain/rejection.js';
import { SEGMENT_BYTES } from '../domain/limits/process.js';
import { crc32c } from '../storage/crc32c.js';
import { isMissing, namesIn } from '../storage/data-directory.js';
import { SEGMENT_MAGIC } from '../storage/data-format.js';
import { type Disk, nodeDisk } from '../storage/disk.js';
import { type DataFormat, PRESENT_FORMAT } from '../storage/format/format-steps.js';
import { ENTRY_ALIGNMENT_BYTES } from './entry.js';
import { wrongSegmentSize } from './journal-damage.js';

const SEGMENT_NAME = /^(\d{10})\.segment$/;
const DRAFT_NAME = /\.draft-\d+-\d+$/;
const ZEROS = Buffer.alloc(1024 * 1024);

/** The first segment of a journal. */
export const FIRST_SEGMENT = 1;

/**
 * The folder of segments. A position names a byte of the whole journal: segment number × segment bytes + offset. All
 * segments have the same size and are filled with zeros before use. So the sync of an append never writes a file's
 * size or extents.
 */
export class SegmentFolder {
  readonly path: string;
  readonly segmentBytes: number;
  /** Format of new segments. Entries of segments of earlier formats are lifted to it. */
  readonly format: DataFormat;
  readonly #disk: Disk;

  constructor(path: string, segmentBytes: number, disk: Disk = nodeDisk, format: DataFormat = PRESENT_FORMAT) {
    assert(segmentBytes % ENTRY_ALIGNMENT_BYTES === 0, 'segments are a whole number of aligned words');
    assert(segmentBytes > SEGMENT_HEADER_BYTES, 'a segment has room after its header');
    this.path = path;
    this.segmentBytes = segmentBytes;
    this.format = format;
    this.#disk = disk;
  }

  /** The folder, with the size of its existing segments, or `segmentBytes` when it has none. */
  static at(
    path: string,
    segmentBytes = SEGMENT_BYTES,
    disk: Disk = nodeDisk,
    format: DataFormat = PRESENT_FORMAT,
  ): SegmentFolder {
    const folder = new SegmentFolder(path, segmentBytes, disk, format);
    const header = folder
      .numbers()
      .map((number) => folder.header(number))
      .find((found) => found !== null);
    return header === undefined ? folder : new SegmentFolder(path, header.segmentBytes, disk, format);
  }

  numberOf(position: number): number {
    return Math.floor(position / this.segmentBytes);
  }

  offsetOf(position: number): number {
    return position % this.segmentBytes;
  }

  /** Bytes for entries from a position to the end of its segment. */
  roomAt(position: number): number {
    return this.segmentBytes - Math.max(this.offsetOf(position), SEGMENT_HEADER_BYTES);
  }

  startOf(number: number): number {
    return number * this.segmentBytes;
  }

  fileOf(number: number): string {
    return join(this.path, `${String(number).padStart(10, '0')}.segment`);
  }

  /**
   * Position at which the next turn may be written after the last one. A segment has entries of one format only, so
   * after an upgrade it is the start of the next segment.
   */
  writePositionAfter(end: number): number {
    const number = this.numberOf(end);
    return this.formatOf(number) === this.format.number ? end : this.startOf(number + 1);
  }

  /** Numbers of the existing segments, ascending. */
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
   * Creates a synced segment of zeros, unless it exists. A segment with its final name is always complete. The keeper
   * and the journal thread may both try to create it; one of them succeeds.
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

  /** Opens a segment for reading. Returns its descriptor, or null when it is missing. */
  open(number: number): number | null {
    try {
      return openSync(this.fileOf(number), 'r');
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** Reads a whole segment. Returns null when it is missing. Throws JournalDamage when its size is wrong. */
  load(number: number): SegmentContent | null {
    const descriptor = this.open(number);
    if (descriptor === null) return null;
    try {
      const { size } = fstatSync(descriptor);
      if (size !== this.segmentBytes) throw wrongSegmentSize(this.fileOf(number), size, this.segmentBytes);
      return readContent(descriptor, size);
    } finally {
      closeSync(descriptor);
    }
  }

  /** Returns null when the segment is missing or unused, or its header is damaged. */
  header(number: number): SegmentHeader | null {
    const file = this.open(number);
    if (file === null) return null;
    const bytes = Buffer.alloc(SEGMENT_HEADER_BYTES);
    readSync(file, bytes, 0, bytes.length, 0);
    closeSync(file);
    return readSegmentHeader(bytes);
  }

  /** Format of a segment's entries. The present format for a segment without entries. */
  formatOf(number: number): number {
    return this.header(number)?.format ?? this.format.number;
  }

  /** Fills everything after a position with zeros, synced, and removes later segments. */
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

  /** Removes unfinished segments of processes that ended during `create`. */
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

/** The bytes of a segment. */
export interface SegmentContent {
  readonly bytes: Buffer;
  /** Only zeros follow. */
  readonly writtenBytes: number;
}

/**
 * Most of a segment is zeros at most starts. They are not copied: a new buffer has them, and takes no memory for them.
 */
function readContent(file: number, segmentBytes: number): SegmentContent {
  const bytes = Buffer.alloc(segmentBytes);
  const part = Buffer.allocUnsafe(Math.min(ZEROS.length, segmentBytes));
  let writtenBytes = 0;
  for (let at = 0, read = 1; at < segmentBytes && read > 0; at += read) {
    read = readSync(file, part, 0, Math.min(part.length, segmentBytes - at), at);
    if (part.compare(ZEROS, 0, read, 0, read) === 0) continue;
    part.copy(bytes, at, 0, read);
    writtenBytes = at + read;
  }
  return { bytes, writtenBytes };
}

/*
 *  A segment begins with (little-endian):
 *
 *    0         8          12       16              24              32                40        64
 *    ├─────────┼──────────┼────────┼───────────────┼───────────────┼─────────────────┼─────────┤
 *    │ magic   │ format   │ crc32c │ number (f64)  │ firstSeq (f64)│ bytes (f64)     │ zeros   │
 *    └─────────┴──────────┴────────┴───────────────┴───────────────┴─────────────────┴─────────┘
 *
 *  The header is written together with the segment's first turn. Until then a prepared segment is all zeros.
 */
export const SEGMENT_HEADER_BYTES = 64;
const CHECKED_FROM = 16;
const CHECKED_TO = 40;

interface SegmentHeader {
  /** Format of the segment's entries. */
  readonly format: number;
  readonly number: number;
  readonly firstSeq: number;
  readonly segmentBytes: number;
}

export function writeSegmentHeader(target: Buffer, header: SegmentHeader): void {
  target.fill(0, 0, SEGMENT_HEADER_BYTES);
  target.write(SEGMENT_MAGIC, 0, 'latin1');
  target.writeUInt32LE(header.format, 8);
  target.writeDoubleLE(header.number, 16);
  target.writeDoubleLE(header.firstSeq, 24);
  target.writeDoubleLE(header.segmentBytes, 32);
  target.writeUInt32LE(crc32c(target, CHECKED_FROM, CHECKED_TO, header.format), 12);
}

/** Returns null when the bytes are no intact header: the segment is unused, or its first turn was never complete. */
export function readSegmentHeader(source: Buffer): SegmentHeader | null {
  if (source.length < SEGMENT_HEADER_BYTES || source.toString('latin1', 0, 8) !== SEGMENT_MAGIC) return null;
  const format = source.readUInt32LE(8);
  if (crc32c(source, CHECKED_FROM, CHECKED_TO, format) !== source.readUInt32LE(12)) return null;
  return {
    format,
    number: source.readDoubleLE(16),
    firstSeq: source.readDoubleLE(24),
    segmentBytes: source.readDoubleLE(32),
  };
}
