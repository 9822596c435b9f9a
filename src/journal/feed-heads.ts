/// <reference lib="es2024.sharedmemory" />
import { FEED_HEADS_BYTES_MAX } from '../domain/limits/process.js';
import { assert } from '../domain/rejection.js';
import { FEEDS_PER_ACCOUNT } from './turn/turn-record.js';

/*
 * Number of the latest frame of each feed, in memory that the leaders of the journal share. Cells have 8 bytes:
 *
 *    cell 0        1 …                     rows, one for each account
 *    ┌────────────┬───────────────────────┬──────────────────────────────────┬─────────────┬───────────────────┐
 *    │ cells used │ buckets (i32): a cell │ next row of the bucket │ bytes   │ account     │ a number (f64)    │
 *    │ (i32)      │ of a row, or 0        │ (i32): a cell, or 0    │ (i32)   │ (padded)    │ for each feed     │
 *    └────────────┴───────────────────────┴──────────────────────────────────┴─────────────┴───────────────────┘
 *
 * A row never moves and never leaves. The memory grows in place, so that views of it stay valid in all threads. Plain
 * reads and writes are enough: only the leader calls it, and the leader's word orders what one leader wrote before the
 * reads of the next one (journal/lead).
 */
const CELL_BYTES = 8;
const BUCKETS = 2 ** 15;
const ROWS_FROM = 1 + BUCKETS / 2;
const FIRST_BYTES = 1024 * 1024;

export function createFeedHeads(): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(FIRST_BYTES, { maxByteLength: FEED_HEADS_BYTES_MAX });
  new Int32Array(memory)[0] = ROWS_FROM;
  return memory;
}

/** Numbers the frames. Only the leader of the journal calls it, or the start before there is one. */
export class FeedHeads {
  readonly #memory: SharedArrayBuffer;
  /** These views grow with the memory. */
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;
  /** The account of the latest frames and its numbers. No account has an empty id. */
  #latestAccount = Buffer.alloc(0);
  #latestHeads: Float64Array = new Float64Array(0);

  constructor(memory: SharedArrayBuffer) {
    this.#memory = memory;
    this.#words = new Int32Array(memory);
    this.#bytes = new Uint8Array(memory);
  }

  set(account: Uint8Array, feed: number, n: number): void {
    this.#headsOf(account)[feed] = n;
  }

  /** Adds the numbers of the next frames of the account's feeds. */
  number(account: Uint8Array, feeds: readonly number[], numbers: number[]): void {
    const heads = this.#headsOf(account);
    for (const feed of feeds) numbers.push((heads[feed]! += 1));
  }

  #headsOf(account: Uint8Array): Float64Array {
    if (this.#latestAccount.equals(account)) return this.#latestHeads;
    const bucket = 2 + (hashOf(account) & (BUCKETS - 1));
    let row = this.#words[bucket]!;
    while (row !== 0 && !this.#isOf(row, account)) row = this.#words[2 * row]!;
    if (row === 0) row = this.#add(account, bucket);
    this.#latestHeads = new Float64Array(this.#memory, headsAt(row, account.length) * CELL_BYTES, FEEDS_PER_ACCOUNT);
    // A copy, because the account is a view of the record.
    this.#latestAccount = Buffer.from(account);
    return this.#latestHeads;
  }

  #isOf(row: number, account: Uint8Array): boolean {
    if (this.#words[2 * row + 1] !== account.length) return false;
    const from = (row + 1) * CELL_BYTES;
    for (let index = 0; index < account.length; index += 1) {
      if (this.#bytes[from + index] !== account[index]) return false;
    }
    return true;
  }

  #add(account: Uint8Array, bucket: number): number {
    const row = this.#words[0]!;
    const end = headsAt(row, account.length) + FEEDS_PER_ACCOUNT;
    this.#reserve(end * CELL_BYTES);
    this.#words[2 * row] = this.#words[bucket]!;
    this.#words[2 * row + 1] = account.length;
    this.#bytes.set(account, (row + 1) * CELL_BYTES);
    this.#words[bucket] = row;
    this.#words[0] = end;
    return row;
  }

  #reserve(bytes: number): void {
    const { byteLength } = this.#memory;
    if (bytes <= byteLength) return;
    assert(bytes <= FEED_HEADS_BYTES_MAX, `the feeds of all accounts fit into ${FEED_HEADS_BYTES_MAX} bytes`);
    this.#memory.grow(Math.min(FEED_HEADS_BYTES_MAX, byteLength * 2));
  }
}

/** The cell of an account's first number. */
function headsAt(row: number, accountBytes: number): number {
  return row + 1 + Math.ceil(accountBytes / CELL_BYTES);
}

/** FNV-1a. */
function hashOf(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash ^ (hash >>> 15);
}
