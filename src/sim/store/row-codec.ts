import { assert } from '../../domain/rejection.js';

const FIRST_BYTES = 4096;
const NUMBER_BYTES = 8;
const LENGTH_BYTES = 4;
const WORD_BITS = 64n;

/** Writes rows field by field into one reused buffer. Orders are stored too often for JSON. */
export class RowWriter {
  #bytes = Buffer.alloc(FIRST_BYTES);
  #at = 0;

  /** An integer of 0..255. */
  byte(value: number): this {
    const at = this.#reserve(1);
    this.#bytes[at] = value;
    return this;
  }

  number(value: number): this {
    const at = this.#reserve(NUMBER_BYTES);
    this.#bytes.writeDoubleLE(value, at);
    return this;
  }

  /** An integer of less than 2^127. */
  integer(value: bigint): this {
    const at = this.#reserve(2 * NUMBER_BYTES);
    this.#bytes.writeBigUInt64LE(BigInt.asUintN(64, value), at);
    this.#bytes.writeBigInt64LE(value >> WORD_BITS, at + NUMBER_BYTES);
    return this;
  }

  text(value: string): this {
    const lengthAt = this.#reserve(LENGTH_BYTES);
    const start = this.#reserve(Buffer.byteLength(value));
    this.#bytes.writeUInt32LE(this.#bytes.write(value, start), lengthAt);
    return this;
  }

  /** Returns a copy of the row; the next field starts a new row. */
  take(): Uint8Array {
    const row = Buffer.from(this.#bytes.subarray(0, this.#at));
    this.#at = 0;
    return row;
  }

  /** Reserves bytes and may replace the buffer, so callers use `this.#bytes` after the call. */
  #reserve(count: number): number {
    const start = this.#at;
    this.#at += count;
    if (this.#at > this.#bytes.length) {
      const larger = Buffer.alloc(this.#at * 2);
      this.#bytes.copy(larger);
      this.#bytes = larger;
    }
    return start;
  }
}

/** Reads the fields of a row in the order of writing. */
export class RowReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(row: Uint8Array) {
    this.#bytes = Buffer.from(row.buffer, row.byteOffset, row.byteLength);
  }

  byte(): number {
    return this.#bytes.readUInt8(this.#advance(1));
  }

  number(): number {
    return this.#bytes.readDoubleLE(this.#advance(NUMBER_BYTES));
  }

  integer(): bigint {
    const low = this.#bytes.readBigUInt64LE(this.#advance(NUMBER_BYTES));
    return (this.#bytes.readBigInt64LE(this.#advance(NUMBER_BYTES)) << WORD_BITS) + low;
  }

  text(): string {
    const length = this.#bytes.readUInt32LE(this.#advance(LENGTH_BYTES));
    const start = this.#advance(length);
    return this.#bytes.toString('utf8', start, start + length);
  }

  #advance(count: number): number {
    const start = this.#at;
    this.#at += count;
    assert(this.#at <= this.#bytes.length, 'a row has all its fields');
    return start;
  }
}

const decoder = new TextDecoder();

/** Encodes a row as JSON, for rows that are written seldom. */
export function encodeRow(content: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(content));
}

export function decodeRow(bytes: Uint8Array): unknown {
  return JSON.parse(decoder.decode(bytes));
}
