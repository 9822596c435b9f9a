import { assert } from '../model/assert.js';
import { nodeDisk, type JournalDisk } from './disk.js';
import type { SegmentFolder } from './segment-folder.js';
import { SEGMENT_HEADER_BYTES, writeSegmentHeader } from './segment-header.js';
import type { TurnBuffer } from './turn-buffer.js';

const NO_SEGMENT = -1;

/** Appends whole turns: one write and one sync each. Its caller holds the journal's lock. */
export class Appender {
  readonly #folder: SegmentFolder;
  readonly #disk: JournalDisk;
  #number = NO_SEGMENT;
  #file = -1;

  constructor(folder: SegmentFolder, disk: JournalDisk = nodeDisk) {
    this.#folder = folder;
    this.#disk = disk;
  }

  /**
   * Writes the turn where the journal ends, or at the start of the next segment when it does not fit there, and syncs
   * it. Returns the position of its first entry. Throws what the disk throws; the journal's end then has not moved.
   */
  append(end: number, turn: TurnBuffer): number {
    const position = this.#place(end, turn.entriesBytes);
    const number = this.#folder.numberOf(position);
    const offset = this.#folder.offsetOf(position);
    this.#open(number);
    if (offset === SEGMENT_HEADER_BYTES) {
      const { segmentBytes } = this.#folder;
      writeSegmentHeader(turn.bytes, { number, firstSeq: turn.firstSeq, segmentBytes });
      this.#write(turn.bytes, 0, SEGMENT_HEADER_BYTES + turn.entriesBytes, 0);
    } else {
      this.#write(turn.bytes, SEGMENT_HEADER_BYTES, turn.entriesBytes, offset);
    }
    this.#disk.datasync(this.#file);
    return position;
  }

  close(): void {
    if (this.#number !== NO_SEGMENT) this.#disk.close(this.#file);
    this.#number = NO_SEGMENT;
  }

  #place(end: number, bytes: number): number {
    const { segmentBytes } = this.#folder;
    assert(SEGMENT_HEADER_BYTES + bytes <= segmentBytes, `a turn of ${bytes} bytes exceeds a journal segment`);
    const offset = this.#folder.offsetOf(end);
    if (offset === 0) return end + SEGMENT_HEADER_BYTES;
    if (offset + bytes <= segmentBytes) return end;
    return this.#folder.startOf(this.#folder.numberOf(end) + 1) + SEGMENT_HEADER_BYTES;
  }

  #open(number: number): void {
    if (number === this.#number) return;
    this.close();
    this.#folder.create(number);
    this.#file = this.#disk.open(this.#folder.fileOf(number));
    this.#number = number;
  }

  #write(bytes: Buffer, from: number, length: number, position: number): void {
    let done = 0;
    while (done < length) {
      const written = this.#disk.write(this.#file, bytes, from + done, length - done, position + done);
      if (written === 0) throw new Error('the disk takes no more bytes');
      done += written;
    }
  }
}
