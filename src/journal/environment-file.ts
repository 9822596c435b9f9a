import { closeSync, openSync, readSync } from 'node:fs';
import { isMissing } from './data-folder.js';

/*
 * LMDB's file begins with two meta pages; behind a page header of 24 bytes each holds magic and format version, and
 * the page size 24 bytes further.
 */
const MAGIC_OFFSET = 24;
const PAGE_SIZE_OFFSET = 48;
const MAGIC = 0xbeef_c0de;
const FORMAT = 2;
const PAGE_BYTES_MAX = 64 * 1024;

/**
 * True when a file begins like an LMDB environment. To be asked before one is opened that may be damaged: lmdb-js does
 * not throw then, it takes the process down.
 */
export function isEnvironmentFile(path: string): boolean {
  const bytes = Buffer.alloc(PAGE_BYTES_MAX + MAGIC_OFFSET + 8);
  let read: number;
  try {
    const file = openSync(path, 'r');
    read = readSync(file, bytes, 0, bytes.length, 0);
    closeSync(file);
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
  const pageBytes = bytes.readUInt32LE(PAGE_SIZE_OFFSET);
  return pageBytes <= PAGE_BYTES_MAX && read >= 2 * pageBytes && hasMeta(bytes, 0) && hasMeta(bytes, pageBytes);
}

function hasMeta(bytes: Buffer, page: number): boolean {
  return bytes.readUInt32LE(page + MAGIC_OFFSET) === MAGIC && bytes.readUInt32LE(page + MAGIC_OFFSET + 4) === FORMAT;
}
