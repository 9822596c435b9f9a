import { CodecError } from './message.js';

/*
 * Integers from 0 to 2^53 - 1 in as few bytes as they need: seven bits a byte, the lowest first. Bit 7 says that
 * another byte follows. These are the varints of protobuf.
 */
const GROUP = 0x80;
/** Smaller numbers are computed as integers of 32 bits. */
const SMALL = 2 ** 31;

/** Bytes of the largest number. */
export const PACKED_BYTES_MAX = 8;

/** Bytes of a number. */
export function packedBytes(value: number): number {
  let [rest, bytes] = [value, 1];
  for (; rest >= GROUP; rest = Math.floor(rest / GROUP)) bytes += 1;
  return bytes;
}

/** Writes a number at an offset. Returns the offset after it. */
export function writePacked(target: Uint8Array, offset: number, value: number): number {
  let [rest, at] = [value, offset];
  while (rest >= SMALL) {
    target[at++] = (rest % GROUP) | GROUP;
    rest = Math.floor(rest / GROUP);
  }
  while (rest >= GROUP) {
    target[at++] = (rest & 0x7f) | GROUP;
    rest >>>= 7;
  }
  target[at++] = rest;
  return at;
}

/** Reads numbers one after another. */
export class PackedReader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #at: number;

  constructor(bytes: Uint8Array, from = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = from;
    this.#end = end;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#end;
  }

  /** Throws CodecError after the last number. */
  next(): number {
    let [value, scale] = [0, 1];
    for (;;) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new CodecError('a packed number: truncated');
      if (byte < GROUP) return value + byte * scale;
      value += (byte - GROUP) * scale;
      scale *= GROUP;
    }
  }
}
