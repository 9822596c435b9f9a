import { constants, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Disk } from '../../src/storage/disk.js';
import type { JournalLog, NumberedEvent } from '../../src/journal/port.js';
import type { RecoveredJournal } from '../../src/journal/open-journal.js';
import { recoverJournal, type RecoveryOptions } from '../../src/journal/recovery.js';
import { EVENT_TABLES, openStateTables } from '../../src/journal/state/state-tables.js';
import type { ShardJournal } from '../../src/journal/turn/turn-journal.js';
import { foldEnvelope } from '../../src/order/evolve.js';
import { JournalThreads } from './journal-threads.js';
import { unsyncedDisk } from './unsynced-disk.js';
import type { ScriptedOrders } from './scripted-orders.js';

/** Small enough that a few turns fill one. */
export const SMALL_SEGMENT_BYTES = 8 * 1024;

export const silentLog: JournalLog = { info: () => undefined, warn: () => undefined };

/** Data folders of one test file, removed at its end. */
export class Folders {
  readonly #paths: string[] = [];

  fresh(): string {
    const path = mkdtempSync(join(tmpdir(), 'sluice-journal-'));
    this.#paths.push(path);
    return path;
  }

  /** A copy of a data folder that no process uses. */
  copyOf(dataDir: string): string {
    const copy = this.fresh();
    cpSync(dataDir, copy, { recursive: true, mode: constants.COPYFILE_FICLONE });
    return copy;
  }

  /** A copy of the files as a killed process leaves them, while they are still open. */
  crashImage(dataDir: string): string {
    const image = this.fresh();
    cpSync(dataDir, image, { recursive: true, filter: (path) => !path.endsWith('lock.mdb') });
    rmSync(join(image, 'claim'), { recursive: true, force: true });
    return image;
  }

  removeAll(): void {
    for (const path of this.#paths.splice(0)) rmSync(path, { recursive: true, force: true });
  }
}

/** Recovers as a service does after all its threads are ready. */
export function recover(dataDir: string, options: Partial<RecoveryOptions> = {}): RecoveredJournal {
  const recovered = beginRecovery(dataDir, options);
  recovered.trustState();
  return recovered;
}

/** Recovers as a service does before its threads have read the state. */
export function beginRecovery(dataDir: string, options: Partial<RecoveryOptions> = {}): RecoveredJournal {
  return recoverJournal({
    dataDir,
    fold: foldEnvelope,
    log: silentLog,
    segmentBytes: SMALL_SEGMENT_BYTES,
    bootId: 'boot-1',
    disk: unsyncedDisk,
    ...options,
  });
}

type WorldOptions = Partial<RecoveryOptions> & { readonly disk?: Disk; readonly shardCount?: number };

/** A service's journal with its threads and one shard or more, all in this thread. */
export class JournalWorld {
  readonly dataDir: string;
  readonly main: RecoveredJournal;
  readonly threads: JournalThreads;
  readonly shard: ShardJournal;

  constructor(dataDir: string, options: WorldOptions = {}) {
    const { disk = unsyncedDisk, shardCount, ...recovery } = options;
    const { format, fold = foldEnvelope } = recovery;
    this.dataDir = dataDir;
    this.main = recover(dataDir, recovery);
    this.threads = new JournalThreads({
      dataDir,
      shared: this.main.shared,
      fold,
      disk,
      ...(shardCount === undefined ? {} : { shardCount }),
      ...(format === undefined ? {} : { format }),
    });
    this.shard = this.threads.openShard();
  }

  /** Commits the collected events of the script as one turn of a shard, durable and projected. */
  commit(orders: ScriptedOrders, shard: ShardJournal = this.shard): readonly NumberedEvent[] {
    const { events, touched } = orders.take();
    return this.threads.commit(shard, events, touched);
  }

  async close(): Promise<void> {
    this.shard.close();
    this.threads.close();
    await this.main.close();
  }
}

/** Every row of every table, as text: equal dumps are equal states. */
export function dump(dataDir: string): string[] {
  const tables = openStateTables(join(dataDir, 'state'));
  const rows = EVENT_TABLES.flatMap((name) =>
    [...tables.table[name].getRange({})].map(
      ({ key, value }) => `${name} ${key.toString('hex')} ${value.toString('hex')}`,
    ),
  );
  void tables.root.close();
  return rows;
}

/** Takes the state away, as if LMDB had been lost. */
export function loseState(dataDir: string): void {
  rmSync(join(dataDir, 'state'), { recursive: true, force: true });
}

/** Puts the state of one image under the journal of another. */
export function takeState(from: string, to: string): void {
  loseState(to);
  cpSync(join(from, 'state'), join(to, 'state'), { recursive: true });
}

/**
 * Gives a folder the files of an image. A file that is in both keeps its inode, as in a machine that lost its power.
 */
export function putBack(image: string, folder: string): void {
  const names = new Set(readdirSync(image));
  for (const name of readdirSync(folder)) {
    if (!names.has(name)) rmSync(join(folder, name), { recursive: true });
  }
  for (const entry of readdirSync(image, { withFileTypes: true })) {
    const [from, to] = [join(image, entry.name), join(folder, entry.name)];
    if (!entry.isDirectory()) writeFileSync(to, readFileSync(from), { mode: 0o600 });
    else {
      mkdirSync(to, { recursive: true, mode: 0o700 });
      putBack(from, to);
    }
  }
}

/** Lets `change` alter the bytes of a file. */
export function alter(path: string, change: (bytes: Buffer) => void): void {
  const bytes = readFileSync(path);
  change(bytes);
  writeFileSync(path, bytes);
}

export function segmentFile(dataDir: string, number: number): string {
  return join(dataDir, 'journal', `${String(number).padStart(10, '0')}.segment`);
}
