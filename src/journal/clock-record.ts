import { closeSync, fdatasyncSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { ClockRecord } from '../model/clock-judgement.js';
import { crc32c } from './crc32c.js';
import { isMissing, syncPath } from './data-folder.js';
import { currentBootId } from './trust-stamp.js';

const FILE = 'clock';
const SLOT_BYTES = 512;
const SLOT_COUNT = 2;
const CHECKSUM_CHARACTERS = 8;
const UPTIME_FILE = '/proc/uptime';

interface Slot {
  readonly count: number;
  readonly record: ClockRecord;
}

/**
 * The last known clocks of a data folder: a small file that is overwritten in place, its two slots in turn, each with a
 * checksum. A write that is torn leaves the other slot, and a full disk still takes it.
 */
export class ClockFile {
  readonly #path: string;

  constructor(dataDir: string) {
    this.#path = join(dataDir, FILE);
  }

  /** null when there is none. */
  read(): ClockRecord | null {
    return this.#latest()?.record ?? null;
  }

  /** Synced when it returns. */
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
 * Makes the present time the last known one, for a folder that an operator has just restored: the age of its backup is
 * no step of the clock. A wall clock that lags the record stays for the start to refuse. Synced when it returns.
 */
export function renewClock(dataDir: string, wallMs: number, bootId = currentBootId()): void {
  const file = new ClockFile(dataDir);
  const record = file.read();
  if (record === null || wallMs < record.wallMs) return;
  const leadMs = Math.max(0, record.leadMs - (wallMs - record.wallMs));
  file.write({ ...record, wallMs, leadMs, bootId, uptimeMs: uptimeMs() });
}

/** Milliseconds since the machine's boot, suspends included; null where the system has no such file. */
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
