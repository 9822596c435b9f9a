import { assert } from '../domain/rejection.js';
import type { Seq } from '../domain/ids.js';
import { type Disk, nodeDisk } from '../storage/disk.js';
import { entryBytes, writeEntry } from './entry.js';
import { SEGMENT_HEADER_BYTES, type SegmentFolder, writeSegmentHeader } from './segments.js';

const NO_SEGMENT = -1;

/** Appends whole turns with one write and one sync. Only the leader uses its own. */
export class Appender {
  readonly #folder: SegmentFolder;
  readonly #disk: Disk;
  #number = NO_SEGMENT;
  #file = -1;

  constructor(folder: SegmentFolder, disk: Disk = nodeDisk) {
    this.#folder = folder;
    this.#disk = disk;
  }

  /**
   * Writes and syncs the turns at the journal's end, or at the start of the next segment if they do not fit. Returns
   * the position of their first entry. Throws the disk's errors; the journal's end then has not moved.
   */
  append(end: number, turn: TurnBuffer): number {
    const position = this.#place(end, turn.entriesBytes);
    const number = this.#folder.numberOf(position);
    const offset = this.#folder.offsetOf(position);
    this.#open(number);
    if (offset === SEGMENT_HEADER_BYTES) {
      const { segmentBytes, format } = this.#folder;
      writeSegmentHeader(turn.bytes, { format: format.number, number, firstSeq: turn.firstSeq, segmentBytes });
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
    assert(SEGMENT_HEADER_BYTES + bytes <= segmentBytes, `turns of ${bytes} bytes exceed a journal segment`);
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

const INITIAL_BYTES = 64 * 1024;

/**
 * Collects the entries of the turns of one write. The memory is reused for the next write. The first 64 bytes are for
 * a segment header.
 */
export class TurnBuffer {
  #bytes = Buffer.alloc(INITIAL_BYTES);
  #end = SEGMENT_HEADER_BYTES;
  #syncedSeq = 0;

  /** Starts a write that follows `syncedSeq`, the last seq on the disk. */
  begin(syncedSeq: number): void {
    this.#end = SEGMENT_HEADER_BYTES;
    this.#syncedSeq = syncedSeq;
  }

  add(seq: Seq, payload: Uint8Array, endsTurn: boolean): void {
    const offset = this.#end;
    this.#reserve(offset + entryBytes(payload.length));
    this.#end = writeEntry(this.#bytes, offset, { seq, syncedSeq: this.#syncedSeq, endsTurn, payload });
  }

  /** Bytes of the header space and the entries. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Bytes of the entries alone. */
  get entriesBytes(): number {
    return this.#end - SEGMENT_HEADER_BYTES;
  }

  get firstSeq(): number {
    return this.#syncedSeq + 1;
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#bytes.length) return;
    const grown = Buffer.alloc(Math.max(bytes, this.#bytes.length * 2));
    this.#bytes.copy(grown);
    this.#bytes = grown;
  }
}
