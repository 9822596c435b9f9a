import { closeSync, fdatasyncSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { AccountId, OrderId } from '../../../src/domain/ids.js';
import { SEGMENT_BYTES, SYNC_POINT_EVENTS_MIN } from '../../../src/domain/limits/process.js';
import type { EpochMs } from '../../../src/domain/time.js';
import { Keeper } from '../../../src/journal/keeper.js';
import type { RecoveredJournal } from '../../../src/journal/open-journal.js';
import type { ShardJournal } from '../../../src/journal/turn/turn-journal.js';
import { distrustState } from '../../../src/journal/trust-stamp.js';
import { checkpointFolder, journalFolder, stateFolder } from '../../../src/storage/data-directory.js';
import { type Disk, nodeDisk } from '../../../src/storage/disk.js';
import { JournalThreads } from '../journal-threads.js';
import { recover, silentLog } from '../journal-world.js';
import { ScriptedOrders } from '../scripted-orders.js';
import { OrderCopies } from './order-copies.js';

const DAY_MS = 24 * 3600 * 1000;
/** Service time between two rounds of the keeper. */
const ROUND_MS = 600_000;
const ORDERS_PER_TURN = 20;
const TURNS_PER_COMMIT = 20;
/** Order ids of the copies. The old order has a smaller one. */
const FIRST_COPY_ID = 1_000_000;
/** Sync points that are measured after each day, at the size of the transactions of a real rate. */
const MEASURED_SYNCS = 10;
const BOOTS = ['boot-1', 'boot-2'] as const;
const BLOCK_BYTES = 512;

/** Figures of one day. Bytes are those on the disk. */
interface DayFigures {
  readonly day: number;
  readonly orders: number;
  readonly journalMb: number;
  readonly stateMb: number;
  readonly checkpointMb: number;
  readonly carried: number;
  /** Processor time of the keeper's rounds in the day: sync points, checkpoints, retention; share of a core, in %. */
  readonly keeperPercent: number;
  /** One sync point after SYNC_POINT_EVENTS_MIN events in small transactions. */
  readonly syncCpuMs: number;
  readonly syncWallMs: number;
  readonly trustedStartMs: number;
  readonly powerLossStartMs: number;
}

/** A journal, its projector and its keeper in one thread, on simulated service time. */
export class Soak {
  readonly #dataDir: string;
  readonly #gapMs: number;
  readonly #orders = new ScriptedOrders();
  #process: Life;
  readonly #patient: OrderId;
  #patientEvents = 0;
  #nextId = FIRST_COPY_ID;

  /** `rate`: orders a second. */
  constructor(dataDir: string, rate: number) {
    this.#dataDir = dataDir;
    this.#gapMs = 1000 / rate;
    this.#process = new Life(dataDir, BOOTS[0]);
    this.#patient = this.#orders.create('demo' as AccountId, 'patient');
    this.#orders.accept(this.#patient);
    this.#commit();
  }

  async day(day: number): Promise<DayFigures> {
    const endMs = this.#orders.nowMs + DAY_MS;
    let [count, keeperUs] = [0, 0];
    while (this.#orders.nowMs < endMs) {
      const roundMs = this.#orders.nowMs + ROUND_MS;
      while (this.#orders.nowMs < roundMs) count += this.#trade(TURNS_PER_COMMIT * ORDERS_PER_TURN, ORDERS_PER_TURN);
      keeperUs += await cpuUs(async () => this.#process.keeper.runRound(this.#orders.nowMs));
      this.#process.main.releaseVersions();
    }
    this.#amendPatient();
    const sync = await this.#measureSyncs();
    const figures = {
      day,
      orders: count,
      journalMb: megabytes(journalFolder(this.#dataDir)),
      stateMb: megabytes(stateFolder(this.#dataDir)),
      checkpointMb: megabytes(checkpointFolder(this.#dataDir)),
      carried: this.#patientEvents,
      keeperPercent: (100 * keeperUs) / 1000 / DAY_MS,
      ...sync,
    };
    const trustedStartMs = await this.#restart('kill');
    const powerLossStartMs = await this.#restart('power loss');
    this.#checkPatient();
    return rounded({ ...figures, trustedStartMs, powerLossStartMs });
  }

  async close(): Promise<void> {
    await this.#process.close();
  }

  /** Returns the number of orders. */
  #trade(orders: number, ordersPerTurn: number): number {
    const { copies, threads } = this.#process;
    for (let done = 1; done <= orders; done += 1) {
      this.#orders.nowMs = (this.#orders.nowMs + this.#gapMs) as EpochMs;
      copies.add(done % 5 === 0 ? 'cancelled' : 'filled', this.#nextId++ as OrderId, this.#orders.nowMs);
      if (done % ordersPerTurn === 0) copies.end();
    }
    threads.settle();
    return orders;
  }

  #commit(): void {
    const { events, touched } = this.#orders.take();
    this.#process.threads.commit(this.#process.shard, events, touched);
  }

  #amendPatient(): void {
    this.#orders.amend(this.#patient);
    this.#commit();
    this.#patientEvents = this.#events();
  }

  #events(): number {
    return this.#process.main.reader.latest().events(this.#patient).length;
  }

  #checkPatient(): void {
    if (this.#events() !== this.#patientEvents) throw new Error('the history of the old order has changed');
  }

  async #measureSyncs(): Promise<Pick<DayFigures, 'syncCpuMs' | 'syncWallMs'>> {
    let [usedUs, wallMs] = [0, 0];
    for (let round = 0; round < MEASURED_SYNCS; round += 1) {
      const from = this.#process.main.progress.durable;
      while (this.#process.main.progress.durable - from < SYNC_POINT_EVENTS_MIN) this.#trade(1, 1);
      const beganMs = performance.now();
      usedUs += await cpuUs(async () => void this.#process.keeper.sync());
      wallMs += performance.now() - beganMs;
      this.#process.main.releaseVersions();
      await turn();
    }
    return { syncCpuMs: usedUs / 1000 / MEASURED_SYNCS, syncWallMs: wallMs / MEASURED_SYNCS };
  }

  /** Returns the time of the recovery. The journal has a tail that the sync point lacks. */
  async #restart(cause: 'kill' | 'power loss'): Promise<number> {
    for (let count = 0; count < SYNC_POINT_EVENTS_MIN; count += 6) this.#trade(1, 1);
    await this.#process.close();
    syncFiles(this.#dataDir);
    distrustOrTrust(this.#dataDir, cause);
    const beganMs = performance.now();
    this.#process = new Life(this.#dataDir, cause === 'kill' ? BOOTS[0] : BOOTS[1]);
    const tookMs = performance.now() - beganMs;
    const { origin } = this.#process.main.report;
    if (origin !== (cause === 'kill' ? 'state' : 'sync point')) throw new Error(`a start after a ${cause}: ${origin}`);
    return tookMs;
  }
}

/** After a power loss the newest version of the state is not trusted. */
function distrustOrTrust(dataDir: string, cause: 'kill' | 'power loss'): void {
  if (cause === 'power loss') distrustState(stateFolder(dataDir), BOOTS[0]);
  rmSync(join(dataDir, 'claim'), { recursive: true });
}

/**
 * The journal's disk without its syncs: they would take most of the run. No power is lost, and the keeper's syncs,
 * which are measured, go to the real disk.
 */
const unsyncedDisk: Disk = { ...nodeDisk, datasync: () => undefined };

/** A real service has synced its files before it ends. Otherwise the start would wait for the day's writes. */
function syncFiles(dataDir: string): void {
  for (const entry of readdirSync(dataDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = openSync(join(entry.parentPath, entry.name), 'r');
    fdatasyncSync(file);
    closeSync(file);
  }
}

/** One process of the service. */
class Life {
  readonly main: RecoveredJournal;
  readonly threads: JournalThreads;
  readonly shard: ShardJournal;
  readonly copies: OrderCopies;
  readonly keeper: Keeper;

  constructor(dataDir: string, bootId: string) {
    this.main = recover(dataDir, { bootId, segmentBytes: SEGMENT_BYTES, disk: nodeDisk });
    const { shared } = this.main;
    this.threads = new JournalThreads({ dataDir, shared, disk: unsyncedDisk, shardCount: 2 });
    this.shard = this.threads.openShard();
    this.copies = new OrderCopies(this.threads.memoryOf(1), () => this.threads.settle());
    this.keeper = new Keeper({ dataDir, shared, log: silentLog });
  }

  async close(): Promise<void> {
    await this.keeper.close();
    this.shard.close();
    this.threads.close();
    await this.main.close();
  }
}

async function cpuUs(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

function megabytes(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).blocks * BLOCK_BYTES;
  }
  return bytes / 1_000_000;
}

function rounded(figures: DayFigures): DayFigures {
  return Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, Number((value as number).toPrecision(4))]),
  ) as unknown as DayFigures;
}
