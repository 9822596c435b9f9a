import { closeSync, openSync, readSync } from 'node:fs';
import { isMissing } from './data-directory.js';

/*
 * LMDB's file begins with two meta pages. In each, the magic number and the format version follow a page header of 24
 * bytes. The page size is 24 bytes after the magic number, and the number of the transaction 128 bytes after it.
 */
const MAGIC_OFFSET = 24;
const PAGE_SIZE_OFFSET = 48;
const TRANSACTION_OFFSET = 152;
const MAGIC = 0xbeef_c0de;
const FORMAT = 2;
const PAGE_BYTES_MAX = 64 * 1024;

/**
 * True when a file begins like an LMDB environment. Call it before opening a file that may be damaged: lmdb-js does
 * not throw on such a file, it crashes the process.
 */
export function isEnvironmentFile(path: string): boolean {
  return readMetaPages(path) !== null;
}

/** Both meta pages of an environment's file. Returns null when the file is missing or does not begin with them. */
export function readMetaPages(path: string): Buffer | null {
  const bytes = Buffer.alloc(2 * PAGE_BYTES_MAX);
  let read: number;
  try {
    const file = openSync(path, 'r');
    read = readSync(file, bytes, 0, bytes.length, 0);
    closeSync(file);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  const pageBytes = bytes.readUInt32LE(PAGE_SIZE_OFFSET);
  const isComplete = pageBytes <= PAGE_BYTES_MAX && read >= 2 * pageBytes;
  return isComplete && hasMeta(bytes, 0) && hasMeta(bytes, pageBytes) ? bytes.subarray(0, 2 * pageBytes) : null;
}

/** Number of the last transaction, by both meta pages. */
export function lastTransactionOf(metaPages: Buffer): number {
  const [first, second] = [0, metaPages.length / 2].map((page) =>
    Number(metaPages.readBigUInt64LE(page + TRANSACTION_OFFSET)),
  ) as [number, number];
  return Math.max(first, second);
}

function hasMeta(bytes: Buffer, page: number): boolean {
  return bytes.readUInt32LE(page + MAGIC_OFFSET) === MAGIC && bytes.readUInt32LE(page + MAGIC_OFFSET + 4) === FORMAT;
}
