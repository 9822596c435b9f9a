import { closeSync, fdatasyncSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { ClockRecord } from '../domain/time.js';
import { crc32c } from './crc32c.js';
import { isMissing, syncPath } from './data-directory.js';

/** The file of the clocks in a data directory. */
export const CLOCK_FILE = 'clock';
const SLOT_BYTES = 512;
const SLOT_COUNT = 2;
const CHECKSUM_CHARACTERS = 8;
const UPTIME_FILE = '/proc/uptime';
const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id';

interface Slot {
  readonly count: number;
  readonly record: ClockRecord;
}

/**
 * Stores the last known clocks of a data folder in a small file of two slots. Writes go to the slots in turn, each
 * with a checksum. A torn write leaves the other slot intact. The file keeps its size, so a write succeeds on a full
 * disk.
 */
export class ClockFile {
  readonly #path: string;

  constructor(dataDir: string) {
    this.#path = join(dataDir, CLOCK_FILE);
  }

  /** Returns null when no slot is valid. */
  read(): ClockRecord | null {
    return this.#latest()?.record ?? null;
  }

  /** Writes and syncs the record. */
  write(record: ClockRecord): void {
    const count = (this.#latest()?.count ?? 0) + 1;
    const text = JSON.stringify({ count, record } satisfies Slot);
    const bytes = Buffer.alloc(SLOT_BYTES, ' ');
    bytes.write(checksumOf(text) + text);
    const file = this.#open();
    try {
      writeSync(file, bytes, 0, SLOT_BYTES, (count % SLOT_COUNT) * SLOT_BYTES);
      fdatasyncSync(file);
    } finally {
      closeSync(file);
    }
  }

  #open(): number {
    try {
      return openSync(this.#path, 'r+');
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    const file = openSync(this.#path, 'w+', 0o600);
    writeSync(file, Buffer.alloc(SLOT_COUNT * SLOT_BYTES, ' '));
    syncPath(join(this.#path, '..'));
    return file;
  }

  #latest(): Slot | null {
    try {
      const file = openSync(this.#path, 'r');
      const bytes = Buffer.alloc(SLOT_COUNT * SLOT_BYTES);
      readSync(file, bytes, 0, bytes.length, 0);
      closeSync(file);
      const slots = [0, 1].map((slot) => parse(bytes.toString('utf8', slot * SLOT_BYTES, (slot + 1) * SLOT_BYTES)));
      return slots.reduce((best, slot) => (slot !== null && slot.count > (best?.count ?? 0) ? slot : best), null);
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }
}

/**
 * Makes the present time the last known one in a folder that was just restored. Otherwise the age of the backup would
 * look like a step of the clock. A wall clock behind the record changes nothing here: the start refuses it. Synced
 * when it returns.
 */
export function renewClock(dataDir: string, wallMs: number, bootId = currentBootId()): void {
  const file = new ClockFile(dataDir);
  const record = file.read();
  if (record === null || wallMs < record.wallMs) return;
  const leadMs = Math.max(0, record.leadMs - (wallMs - record.wallMs));
  file.write({ ...record, wallMs, leadMs, bootId, uptimeMs: uptimeMs() });
}

/** Identifies the machine's boot. Returns '' on a system without boot ids. */
export function currentBootId(): string {
  try {
    return readFileSync(BOOT_ID_FILE, 'utf8').trim();
  } catch (error) {
    if (isMissing(error)) return '';
    throw error;
  }
}

/** Returns milliseconds since the machine's boot, suspends included. Returns null on a system without /proc/uptime. */
export function uptimeMs(): number | null {
  try {
    return Math.round(Number(readFileSync(UPTIME_FILE, 'utf8').split(' ', 1)[0]) * 1000);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

function parse(padded: string): Slot | null {
  const text = padded.slice(CHECKSUM_CHARACTERS).trimEnd();
  return padded.slice(0, CHECKSUM_CHARACTERS) === checksumOf(text) ? (JSON.parse(text) as Slot) : null;
}

function checksumOf(text: string): string {
  const bytes = Buffer.from(text);
  return crc32c(bytes, 0, bytes.length).toString(16).padStart(CHECKSUM_CHARACTERS, '0');
}
