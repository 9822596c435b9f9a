import { amendedAtRandom } from './amendment.js';
import type { Clock, EpochMs } from '../../src/model/time.js';
import { MemoryVenueStore } from '../../src/venue/index.js';
import { MemoryJournal } from '../shard/memory-journal.js';
import { Chance } from './chance.js';
import { Clients } from './clients.js';
import { CRASH_POINTS, Faults } from './faults.js';
import { FillLedger } from './fill-ledger.js';
import { JournalAudit } from './journal-audit.js';
import { OrderBook } from './order-book.js';
import { Process } from './process.js';
import { drawProfile, type Profile } from './profile.js';
import { drawTrouble } from './venue-trouble.js';

const START_MS = 1_800_000_000_000;
const DIARY_LINES_MAX = 40;
/** Probability a step that a venue that is down comes back. */
const VENUE_RETURN = 0.05;

/**
 * The whole service under a clock that stands still unless it is moved, in one thread:
 *
 *     clients ─▶ front desk ─▶ ring ─▶ shard ─▶ ring ─▶ venue        each moves when the dice say so;
 *                    ▲                 │    ▲             │          in between, whatever can go wrong does
 *                    └────── ring ─────┘    └─── post ────┘
 *                                      ▼                  ▼
 *                                   journal             store        all that survives a crash
 */
export class World {
  readonly profile: Profile;
  readonly journal = new MemoryJournal();
  readonly ledger = new FillLedger();
  readonly audit = new JournalAudit(this.ledger);
  readonly orders = new OrderBook(this.journal);
  process: Process;
  /** What happened last. */
  readonly diary: string[] = [];
  readonly #chance: Chance;
  readonly #seed: number;
  readonly #clients: Clients;
  readonly #faults = new Faults();
  readonly #store = new MemoryVenueStore();
  #nowMs = START_MS;

  constructor(seed: number) {
    this.#seed = seed;
    this.#chance = new Chance(seed);
    this.profile = drawProfile(this.#chance);
    this.#clients = new Clients(this.#chance, seed);
    this.process = this.#start(this.profile.shardCount);
  }

  get nowMs(): EpochMs {
    return this.#nowMs as EpochMs;
  }

  /** One draw of the dice: somebody moves, time passes, or something breaks. */
  step(): void {
    const chance = this.#chance;
    if (chance.hits(this.profile.processCrash)) return this.crash();
    if (chance.hits(this.process.isVenueUp ? this.profile.venueCrash : VENUE_RETURN)) return this.#toggleVenue();
    if (chance.hits(this.profile.threadCrash)) return this.#arm();
    if (chance.hits(this.profile.trouble)) return this.#makeTrouble();
    if (chance.hits(this.profile.create)) return this.#place();
    if (chance.hits(this.profile.cancel)) return this.#cancel();
    if (chance.hits(this.profile.control)) return this.#control();
    const dice = chance.between(1, 100);
    if (dice <= 25) this.#wait();
    else if (dice <= 60) this.#moveShard(chance.between(0, this.process.shardCount - 1));
    else if (dice <= 85) this.#moveVenue();
    else this.process.desk.turn();
  }

  /** Everything moves and nothing breaks any more, for so much time. */
  calm(forMs: number): void {
    this.#faults.disarm();
    if (!this.process.isVenueUp) this.process.startVenue();
    this.process.calm();
    for (const untilMs = this.#nowMs + forMs; this.#nowMs < untilMs; this.#nowMs += 100) {
      this.#moveVenue();
      for (let shard = 0; shard < this.process.shardCount; shard += 1) this.process.moveShard(shard, true);
      this.process.desk.turn();
    }
  }

  /** All threads die at once; the disk stays. They start again after a while, perhaps more or fewer of them. */
  crash(): void {
    this.#faults.disarm();
    this.#write('the process dies');
    this.#nowMs += this.#chance.skewed(1, 30_000);
    this.process = this.#start(this.#chance.between(1, 4));
    this.orders.check();
  }

  cancelAll(): void {
    for (const { account, orderId } of this.orders.open()) this.process.desk.cancel(account, orderId);
  }

  /** Children that one of the two believes alive and the other does not. Some are on their way; none stays so. */
  disagreements(): Set<string> {
    const alive = new Set(this.audit.live());
    const open = new Set<string>();
    for (const { key } of this.#store.range('open/')) open.add(key.slice(key.lastIndexOf('/') + 1));
    return new Set([...alive, ...open].filter((id) => alive.has(id) !== open.has(id)));
  }

  #start(shardCount: number): Process {
    this.#write(`a process starts with ${shardCount} shards`);
    const clock: Clock = { nowMs: () => this.nowMs };
    return new Process({
      seed: this.#seed,
      profile: this.profile,
      shardCount,
      chance: this.#chance,
      clock,
      faults: this.#faults,
      journal: this.journal,
      store: this.#store,
      orders: this.orders,
      audit: this.audit,
    });
  }

  /** Mostly the time of a few turns; now and then long enough for a market to go stale. */
  #wait(): void {
    this.#nowMs += this.#chance.hits(0.02) ? this.#chance.between(1_000, 10_000) : this.#chance.skewed(1, 500);
  }

  #moveShard(shard: number): void {
    if (this.process.moveShard(shard, this.#chance.hits(0.5)) === null) return;
    // The end of a thread is often the end of the process.
    if (this.profile.processCrash > 0 && this.#chance.hits(0.5)) return this.crash();
    this.#write(`shard ${shard} dies`);
    this.process.replaceShard(shard);
  }

  #moveVenue(): void {
    if (this.process.moveVenue() !== null) this.#write('the venue dies');
  }

  #toggleVenue(): void {
    this.#write(this.process.isVenueUp ? 'the venue stops' : 'the venue starts');
    if (this.process.isVenueUp) this.process.stopVenue();
    else this.process.startVenue();
  }

  #arm(): void {
    const point = this.#chance.pick(CRASH_POINTS);
    const passes = this.#chance.skewed(1, 20) - 1;
    this.#write(`a crash lies in wait: ${point}, after ${passes} passes`);
    this.#faults.arm(point, passes);
  }

  #makeTrouble(): void {
    const rule = drawTrouble(this.#chance);
    this.#write(`trouble: ${JSON.stringify(rule)}`);
    this.process.trouble(rule);
  }

  #place(): void {
    const order = this.#clients.order(this.nowMs);
    this.#write(`create ${order.orderId}: ${order.side} ${order.quantity} ${order.symbol} ${order.strategy}`);
    this.orders.sent(order);
    const isReady = this.process.isReady(this.process.desk.shardOf(order.orderId));
    if (isReady) this.process.desk.create(order);
    else this.orders.refused(order.orderId);
  }

  /** Of any open order, also one that is being cancelled already. */
  #cancel(): void {
    const open = this.orders.open();
    if (open.length === 0) return;
    const { account, orderId } = this.#chance.pick(open);
    this.#write(`cancel ${orderId}`);
    this.process.desk.cancel(account, orderId);
    if (this.#chance.hits(0.2)) this.process.desk.cancel(account, orderId);
  }

  /** Pauses, resumes or amends any open order, whether that fits it or not. */
  #control(): void {
    const open = this.orders.open();
    if (open.length === 0) return;
    const { account, orderId } = this.#chance.pick(open);
    const state = this.journal.state(orderId);
    const kind = this.#chance.pick(['PauseParent', 'ResumeParent', 'AmendParent'] as const);
    this.#write(`${kind} ${orderId}`);
    if (kind !== 'AmendParent') return this.process.desk.change({ kind, account, orderId });
    if (state === null || state.order.pair !== null) return;
    const order = amendedAtRandom(state, this.#chance, this.nowMs);
    this.orders.amended(order);
    this.process.desk.change({ kind, order });
  }

  #write(line: string): void {
    this.diary.push(`${this.#nowMs - START_MS} ms: ${line}`);
    if (this.diary.length > DIARY_LINES_MAX) this.diary.shift();
  }
}
