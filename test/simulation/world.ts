import type { AccountId, OrderId } from '../../src/domain/ids.js';
import { assert } from '../../src/domain/rejection.js';
import type { ClockRecord, EpochMs } from '../../src/domain/time.js';
import { FUNDING_INTERVAL_MS } from '../../src/domain/limits/trading.js';
import type { FaultRule } from '../../src/sim/faults/fault-rule.js';
import { MemoryVenueStore } from '../sim/memory-store.js';
import { Chance } from './chance.js';
import { Bounds } from './bounds.js';
import { ClientBook } from './client-book.js';
import { EventLoop } from './event-loop.js';
import { CRASH_POINTS, Faults } from './faults.js';
import { FeedLog } from './feed-log.js';
import { FillLedger } from './fill-ledger.js';
import { IdentityRows } from './identity-rows.js';
import { JournalAudit } from './journal-audit.js';
import { ACCOUNTS } from './listed.js';
import { Operator } from './operator.js';
import { Process } from './process.js';
import { drawProfile, type Profile } from './profile.js';
import { SimJournal } from './sim-journal.js';
import { SimulatedTime } from './simulated-time.js';
import { StreamClient } from './stream-client.js';
import { Trader } from './trader.js';
import { drawForgery, drawVenueFault } from './venue-faults.js';
import { VenueTruth } from './venue-truth.js';

/** Far from the funding times, because a clock may be wrong by minutes. */
const START_MS = 1_800_000_000_000 + FUNDING_INTERVAL_MS / 2;
const DIARY_LINES_MAX = 60;
/** Probability, per step, that a venue returns after an outage. */
const VENUE_RETURN = 0.05;
/** A service that is restored often trades little. */
const RESTORES_MAX = 2;
/** The longest wait between two moves while the world settles. */
const SETTLE_STEP_MS_MAX = 1_000;

/** Share of the restores that wait until they lose an order with a child at its venue. */
const RESTORE_LOSING = 0.5;

/** A copy of the data directory. */
interface Backup {
  readonly orderIds: ReadonlySet<OrderId>;
  readonly entryCount: number;
  readonly identity: IdentityRows;
  readonly clockRecord: ClockRecord | null;
  readonly wallMs: number;
}

/** Funding is paid at the end of each funding period. */
function periodOf(ms: number): number {
  return Math.floor(ms / FUNDING_INTERVAL_MS);
}

/** Records the present time as the last known time. */
function renewed(record: ClockRecord | null, wallMs: number, uptimeMs: number): ClockRecord | null {
  return record === null || wallMs < record.wallMs ? record : { ...record, wallMs, uptimeMs };
}

/**
 * The whole service in one thread, under a clock that only the world advances:
 *
 *     clients ─▶ main thread ─▶ ring ─▶ shard ─▶ ring ─▶ venue        each moves when a random number selects it;
 *                    ▲                    │    ▲             │          faults happen in between
 *                    └─────── ring ───────┘    └─── post ────┘
 *                                         ▼                  ▼
 *                                      journal             store        survive a crash
 *
 * It runs the code of the service, except for sockets, clocks, threads and disks.
 */
export class World {
  readonly profile: Profile;
  /** How often the wall clock was put to another time. */
  clockSteps = 0;
  readonly bounds = new Bounds();
  readonly clients = new ClientBook(this.bounds);
  readonly feeds = new FeedLog();
  readonly ledger = new FillLedger();
  readonly truth = new VenueTruth();
  readonly audit = new JournalAudit({
    fills: this.ledger,
    feeds: this.feeds,
    clients: this.clients,
    truth: this.truth,
  });
  journal = new SimJournal();
  readonly trader: Trader;
  readonly operator = new Operator(this);
  readonly chance: Chance;
  process: Process;
  /** The latest events, for the message of a failure. */
  readonly diary: string[] = [];
  readonly #seed: number;
  #trueMs = START_MS;
  /** Error of the wall clock in milliseconds. */
  #wallErrorMs = 0;
  #clockRecord: ClockRecord | null = null;
  readonly #faults = new Faults();
  readonly #store = new MemoryVenueStore();
  #identity = new IdentityRows();
  /** The latest backup, or null. */
  #backup: Backup | null = null;
  #restoreCount = 0;
  /** A restore waits until it loses an order with a child at its venue. */
  #isRestoreWaiting = false;
  /** Bounds of the service time of all earlier processes. */
  #earliestMs = Infinity;
  #latestMs = 0;
  readonly #streams: readonly StreamClient[];
  /** A shard that gets no processor time, or the disk that syncs nothing, and the end of that period. */
  #stalled: number | 'disk' | null = null;
  #stalledUntilMs = 0;
  #time: SimulatedTime;
  #loop = new EventLoop(() => this.#trueMs);

  /** Calls `onMade` with the world before its first process starts, because a process sets timers. */
  constructor(seed: number, onMade: (world: World) => void) {
    this.#seed = seed;
    onMade(this);
    this.chance = new Chance(seed);
    this.profile = drawProfile(this.chance);
    this.trader = new Trader(this, seed);
    this.#streams = ACCOUNTS.map((account) => new StreamClient(account, this.feeds));
    this.#time = this.#startTime();
    this.process = this.#start(this.profile.shardCount);
  }

  /** True when a wrong clock has moved service time across a funding time. */
  get hasFunding(): boolean {
    return periodOf(this.#earliestMs) !== periodOf(Math.max(this.#latestMs, this.nowMs));
  }

  /** True time of the simulation. */
  get trueMs(): number {
    return this.#trueMs;
  }

  /** Service time. */
  get nowMs(): EpochMs {
    return this.#time.clock.nowMs();
  }

  /** Of the running process. */
  get loop(): EventLoop {
    return this.#loop;
  }

  /** Makes one random step: a thread or client acts, time passes, or a fault begins. */
  step(): void {
    const { chance, profile } = this;
    if (this.#isRestoreWaiting && this.#losesChild(this.#backup!)) return this.#restore(this.#backup!);
    if (chance.hits(profile.processCrash)) return this.crash();
    if (chance.hits(this.process.isVenueUp ? profile.venueCrash : VENUE_RETURN)) return this.#toggleVenue();
    if (chance.hits(profile.threadCrash)) return this.#arm();
    if (chance.hits(profile.venueFault)) return this.#injectFault(drawVenueFault(chance));
    if (chance.hits(profile.forgery)) return this.#injectFault(drawForgery(chance));
    if (chance.hits(profile.restore)) return this.#backUpOrRestore();
    if (chance.hits(profile.operator)) return this.operator.act();
    if (chance.hits(profile.stall)) return this.#stall();
    if (chance.hits(profile.clockStep)) return this.#stepClock();
    if (chance.hits(profile.request)) return this.trader.act();
    if (chance.hits(profile.stream)) return this.#moveStream();
    const dice = chance.between(1, 100);
    if (dice <= 25) this.#wait();
    else if (dice <= 52) this.#moveShard(chance.between(0, this.process.shardCount - 1));
    else if (dice <= 76) this.#moveVenue();
    else if (this.process.moveMain() !== null) this.crash();
  }

  /** Lets all threads act without new faults for that time, or until `isDone`. */
  settle(forMs: number, isDone: () => boolean = () => false): void {
    this.#faults.disarm();
    this.#stalled = null;
    if (!this.process.isVenueUp) this.process.startVenue();
    this.process.endFaults();
    for (const stream of this.#streams) stream.endFaults();
    for (const untilMs = this.#trueMs + forMs; ;) {
      for (const stream of this.#streams) stream.follow(this.process.front);
      this.operator.actAll();
      this.#moveVenue();
      for (let shard = 0; shard < this.process.shardCount; shard += 1) this.process.moveShard(shard, true);
      this.process.front.turn();
      if (this.#trueMs >= untilMs || isDone()) return;
      const waitMs = Math.min(SETTLE_STEP_MS_MAX, Math.max(1, Math.ceil(this.process.waitMs())));
      this.#trueMs = Math.min(untilMs, this.#trueMs + waitMs);
    }
  }

  /**
   * All threads die at once; the disk stays. They start again after a while, with the same or another number of shards.
   */
  crash(): void {
    this.#end();
    this.#trueMs += this.chance.skewed(1, 30_000);
    this.process = this.#start(this.chance.between(1, 4));
    this.clients.check((orderId) => this.journal.states.has(orderId));
  }

  #end(): void {
    this.#faults.disarm();
    this.write('the process dies');
    this.process.front.end();
    const found = this.journal.loseUnsynced(() => this.chance.hits(0.5));
    this.audit.onTurn(null, found);
    for (const stream of this.#streams) stream.onProcessEnd();
  }

  #backUpOrRestore(): void {
    if (this.#restoreCount === RESTORES_MAX) return;
    if (this.#backup !== null && this.chance.hits(0.6)) {
      this.#isRestoreWaiting = this.chance.hits(RESTORE_LOSING);
      if (!this.#isRestoreWaiting) this.#restore(this.#backup);
      return;
    }
    // A backup without open orders tests little.
    if (this.openOrders().length === 0) return;
    this.write('a backup is taken');
    this.#backup = {
      orderIds: new Set(this.audit.orders.keys()),
      entryCount: this.journal.entries.length,
      identity: new IdentityRows(this.#identity),
      clockRecord: this.#clockRecord,
      wallMs: this.#wallMs,
    };
  }

  /** Restores the data directory from a backup. Only the venues keep the events after it. */
  #restore(backup: Backup): void {
    this.#restoreCount += 1;
    this.#isRestoreWaiting = false;
    this.#end();
    this.#trueMs += this.chance.skewed(100, 60_000);
    const lostCount = this.journal.entries.length - backup.entryCount;
    // The restore shows the age of the backup: the operator sees a wrong clock, and corrects it.
    this.#wallErrorMs = 0;
    this.write(`the data is restored from the backup, ${lostCount} events are lost`);
    const entries = this.journal.entries.slice(0, backup.entryCount);
    this.journal = new SimJournal(entries);
    this.#identity = new IdentityRows(backup.identity);
    const backupServiceMs = entries.at(-1)?.envelope.recordedAtMs ?? 0;
    this.#identity.markRestored({ nowMs: this.#wallMs, backupAtMs: backup.wallMs, backupServiceMs });
    this.#clockRecord = renewed(backup.clockRecord, this.#wallMs, this.#trueMs);
    this.audit.rewind(entries);
    this.clients.forgetAfter((orderId) => this.audit.orders.has(orderId));
    this.trader.onRestore();
    this.bounds.liftAll();
    for (const stream of this.#streams) stream.goBack();
    this.process = this.#start(this.chance.between(1, 4));
  }

  /** Time of the machine's clock. */
  get #wallMs(): number {
    return this.#trueMs + this.#wallErrorMs;
  }

  /** Open orders by the audit. */
  openOrders(): OrderId[] {
    return [...this.audit.model.open.keys()];
  }

  /** Children that are live only in the shard or only at the venue. Each difference must end. */
  disagreements(): Set<string> {
    const alive = new Set(this.audit.live());
    const open = this.#openAtVenues();
    return new Set([...alive, ...open].filter((id) => alive.has(id) !== open.has(id)));
  }

  /** Expects that no child trades whose order a restore has lost. null: no child of any account. */
  checkLostOrders(account: AccountId | null): void {
    for (const name of this.#openAtVenues()) {
      const submission = this.truth.submissions.get(name);
      assert(submission !== undefined, `child ${name} is open at its venue and was sent`);
      const isOwn = account === null || submission.account === account;
      const isLost = !this.audit.orders.has(submission.orderId);
      assert(
        !isOwn || !isLost,
        `child ${name} of a lost order is open at its venue, and ${account ?? 'all'} may trade`,
      );
    }
  }

  #losesChild({ orderIds }: Backup): boolean {
    const { submissions } = this.truth;
    return [...this.#openAtVenues()].some((name) => !orderIds.has(submissions.get(name)!.orderId));
  }

  #openAtVenues(): Set<string> {
    const open = new Set<string>();
    for (const { key } of this.#store.range('open/')) open.add(key.slice(key.lastIndexOf('/') + 1));
    return open;
  }

  /** Expects that all clients have every frame. */
  checkStreams(): void {
    for (const stream of this.#streams) stream.check();
  }

  write(line: string): void {
    this.diary.push(`${this.#trueMs - START_MS} ms: ${line}`);
    if (this.diary.length > DIARY_LINES_MAX) this.diary.shift();
  }

  #start(shardCount: number): Process {
    this.write(`a process starts with ${shardCount} shards`);
    this.#latestMs = Math.max(this.#latestMs, this.nowMs);
    this.#time = this.#startTime();
    this.#earliestMs = Math.min(this.#earliestMs, this.nowMs);
    this.#loop = new EventLoop(() => this.#trueMs);
    return new Process({
      seed: this.#seed,
      profile: this.profile,
      shardCount,
      chance: this.chance,
      loop: this.#loop,
      time: this.#time,
      wallMs: () => this.#wallMs,
      monotonicMs: () => this.#trueMs,
      onSecond: () => {
        this.#clockRecord = this.#time.look();
        this.bounds.onLook(this.#trueMs);
      },
      faults: this.#faults,
      journal: this.journal,
      isDiskStalled: () => this.#isStalled('disk'),
      identity: this.#identity,
      store: this.#store,
      audit: this.audit,
      truth: this.truth,
      onFault: (error) => {
        throw error;
      },
    });
  }

  /**
   * A process that refuses the wall clock starts once the operator corrects the clock, or confirms that it is right.
   */
  #startTime(): SimulatedTime {
    const parts = {
      trueMs: () => this.#trueMs,
      wallMs: () => this.#wallMs,
      record: this.#clockRecord,
      lastServiceMs: this.journal.entries.at(-1)?.envelope.recordedAtMs ?? 0,
    };
    const time = SimulatedTime.start(parts);
    if (time !== null) return time;
    this.write('the wall clock is not believed, and corrected');
    this.#wallErrorMs = 0;
    const corrected = SimulatedTime.start(parts);
    if (corrected !== null) return corrected;
    // The clock was wrong at the time of the record, so the record does not show which time is right.
    this.write('the right wall clock is confirmed');
    const confirmed = SimulatedTime.start(parts, this.#trueMs);
    if (confirmed === null) throw new Error('a right clock that the operator confirms is trusted');
    return confirmed;
  }

  #stepClock(): void {
    const { chance } = this;
    const errorMs = chance.skewed(100, 5 * 24 * 3_600_000) * (chance.hits(0.5) ? 1 : -1);
    this.#wallErrorMs = chance.hits(0.4) ? 0 : errorMs;
    this.clockSteps += 1;
    this.write(`the wall clock is put to ${this.#wallErrorMs} ms too much`);
  }

  /** Mostly the time of a few turns; sometimes long enough for a stale market. */
  #wait(): void {
    const isStalled = this.#trueMs < this.#stalledUntilMs;
    if (isStalled && this.chance.hits(0.3)) this.#trueMs += this.chance.between(1_000, 6_000);
    this.#trueMs += this.chance.hits(0.05) ? this.chance.between(1_000, 10_000) : this.chance.skewed(1, 500);
  }

  /** Longer than the timeout of an answer. */
  #stall(): void {
    const { chance } = this;
    this.#stalled = chance.hits(0.5) ? 'disk' : chance.between(0, this.process.shardCount - 1);
    this.#stalledUntilMs = this.#trueMs + chance.between(5_000, 15_000);
    this.write(this.#stalled === 'disk' ? 'the disk syncs nothing' : `shard ${this.#stalled} stalls`);
  }

  #isStalled(what: number | 'disk'): boolean {
    return what === this.#stalled && this.#trueMs < this.#stalledUntilMs;
  }

  #moveShard(shard: number): void {
    if (this.#isStalled(shard)) return;
    const death = this.process.moveShard(shard, this.chance.hits(0.5));
    if (death === null) return;
    if (death === 'process') return this.crash();
    // The end of a thread is often the end of the process.
    if (this.profile.processCrash > 0 && this.chance.hits(0.5)) return this.crash();
    this.write(`shard ${shard} dies`);
    this.process.replaceShard(shard);
  }

  #moveVenue(): void {
    if (this.process.moveVenue() !== null) this.write('the venue dies');
  }

  #moveStream(): void {
    const stream = this.chance.pick(this.#streams);
    if (stream.isConnected && this.chance.hits(0.5)) stream.disturb(this.chance);
    else stream.follow(this.process.front);
  }

  #toggleVenue(): void {
    this.write(this.process.isVenueUp ? 'the venue stops' : 'the venue starts');
    if (this.process.isVenueUp) this.process.stopVenue();
    else this.process.startVenue();
  }

  #arm(): void {
    const point = this.chance.pick(CRASH_POINTS);
    // Few commands are changes.
    const passes = this.chance.skewed(1, point.startsWith('change') ? 3 : 20) - 1;
    this.write(`a crash lies in wait: ${point}, after ${passes} passes`);
    this.#faults.arm(point, passes);
  }

  #injectFault(rule: FaultRule): void {
    this.write(`venue fault: ${JSON.stringify(rule)}`);
    this.process.inject(rule);
  }
}
