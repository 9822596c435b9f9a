import type { Seq } from '../model/ids.js';
import { entryBytes, writeEntry } from './entry.js';
import { SEGMENT_HEADER_BYTES } from './segment-header.js';

const INITIAL_BYTES = 64 * 1024;

/** The bytes of one turn, kept from turn to turn. The first 64 are left free for a segment header. */
export class TurnBuffer {
  #bytes = Buffer.alloc(INITIAL_BYTES);
  #end = SEGMENT_HEADER_BYTES;
  #syncedSeq = 0;

  /** Starts a turn that follows `syncedSeq`, the last seq on the disk. */
  begin(syncedSeq: number): void {
    this.#end = SEGMENT_HEADER_BYTES;
    this.#syncedSeq = syncedSeq;
  }

  /** Adds an entry; returns its offset from the turn's first entry. */
  add(seq: Seq, payload: Uint8Array, endsTurn: boolean): number {
    const offset = this.#end;
    this.#reserve(offset + entryBytes(payload.length));
    this.#end = writeEntry(this.#bytes, offset, { seq, syncedSeq: this.#syncedSeq, endsTurn, payload });
    return offset - SEGMENT_HEADER_BYTES;
  }

  /** Header space and entries. */
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
