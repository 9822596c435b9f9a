import type { ShardLink } from '../../src/route/shard-link.js';
import { createMemory, type ServiceMemory } from '../../src/service-memory.js';
import type { FaultRule } from '../../src/venue/faults/index.js';
import type { VenueStore } from '../../src/venue/port.js';
import type { Chance } from './chance.js';
import type { EventLoop } from './event-loop.js';
import { Crash, type Faults } from './faults.js';
import type { IdentityRows } from './identity-rows.js';
import type { JournalAudit } from './journal-audit.js';
import { CATALOGUE } from './listed.js';
import { Post } from './post.js';
import type { Profile } from './profile.js';
import { ShardThread } from './shard-thread.js';
import type { SimJournal } from './sim-journal.js';
import { SimulatedMain } from './simulated-main.js';
import type { SimulatedTime } from './simulated-time.js';
import type { VenueTruth } from './venue-truth.js';
import { VenueThread } from './venue-thread.js';

/** A quarter of it holds a page of candles. */
const PAST_RING_BYTES = 2 ** 18;
/** A page of the orders at an exchange fits into it. */
const LISTING_RING_BYTES = 2 ** 14;

export interface ProcessParts {
  readonly seed: number;
  readonly profile: Profile;
  readonly shardCount: number;
  readonly chance: Chance;
  readonly loop: EventLoop;
  readonly time: SimulatedTime;
  /** What the clock of the machine shows. */
  readonly wallMs: () => number;
  /** Time as it passes. */
  readonly monotonicMs: () => number;
  /** Runs about once a second of this process. */
  readonly onSecond: () => void;
  readonly faults: Faults;
  readonly journal: SimJournal;
  readonly identity: IdentityRows;
  readonly store: VenueStore;
  readonly audit: JournalAudit;
  readonly truth: VenueTruth;
  readonly onFault: (error: unknown) => void;
}

/** Which threads a crash ended; null when none did. */
export type Death = 'shard' | 'venue' | null;

/** One life of the service: its threads and the memory they share. What is on disk is given and stays. */
export class Process {
  readonly front: SimulatedMain;
  readonly #parts: ProcessParts;
  readonly #memory: ServiceMemory;
  readonly #shards: ShardThread[];
  readonly #post: Post;
  #venue: VenueThread | null;

  constructor(parts: ProcessParts) {
    const { shardCount, profile, chance } = parts;
    const { mainRingBytes, venueRingBytes, tellsPast, restore } = profile;
    const reportBytes = restore > 0 ? Math.max(venueRingBytes, LISTING_RING_BYTES) : venueRingBytes;
    this.#parts = parts;
    this.#memory = createMemory(shardCount, CATALOGUE, {
      commandBytes: mainRingBytes,
      eventBytes: mainRingBytes,
      venueRequestBytes: venueRingBytes,
      venueReportBytes: tellsPast ? PAST_RING_BYTES : reportBytes,
      marketBytes: mainRingBytes,
    });
    this.#post = new Post(chance, profile);
    this.front = new SimulatedMain({ ...parts, memory: this.#memory });
    this.#venue = this.#startVenue();
    this.front.main.setVenueUp(true);
    this.#shards = this.#links.map((link) => this.#startShard(link));
  }

  get shardCount(): number {
    return this.#shards.length;
  }

  get isVenueUp(): boolean {
    return this.#venue !== null;
  }

  /** One turn of a shard, or as many as it takes to come to rest; it may die of it. */
  moveShard(number: number, untilRest: boolean): Death {
    const shard = this.#shards[number] as ShardThread;
    const link = this.#links[number] as ShardLink;
    try {
      if (untilRest) shard.rest();
      else shard.turn();
    } catch (error) {
      if (error instanceof Crash) return 'shard';
      throw error;
    }
    // As a worker says that it is ready.
    if (!link.isUp && shard.isReady) this.front.main.onShardUp(link);
    return null;
  }

  /** A new thread takes the place of a shard that has died. */
  replaceShard(number: number): void {
    const link = this.#links[number] as ShardLink;
    this.front.main.onShardDown(link);
    this.#shards[number] = this.#startShard(link);
  }

  moveVenue(): Death {
    try {
      this.#venue?.turn();
      return null;
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      this.stopVenue();
      return 'venue';
    }
  }

  /** Reports take no other way than they should, and nothing goes wrong at the venues. */
  calm(): void {
    this.#post.calm();
    this.#venue?.calm();
  }

  /** Something goes wrong at the venues, if they are there. */
  trouble(rule: FaultRule): void {
    this.#venue?.trouble(rule);
  }

  stopVenue(): void {
    this.#venue = null;
    this.front.main.setVenueUp(false);
  }

  startVenue(): void {
    this.#venue = this.#startVenue();
    this.front.main.setVenueUp(true);
  }

  /** The venue, for questions of the audit. */
  get venue(): VenueThread {
    if (this.#venue === null) throw new Error('the venue is down');
    return this.#venue;
  }

  /** Real milliseconds until some thread has something to do although nothing comes in. */
  waitMs(): number {
    const nextMs = this.#nextWakeMs();
    return nextMs === Infinity ? Infinity : this.#parts.time.clock.realMsUntil(nextMs);
  }

  #nextWakeMs(): number {
    return Math.min(this.#venue?.nextWakeMs() ?? Infinity, ...this.#shards.map((shard) => shard.nextWakeMs()));
  }

  get #links(): readonly ShardLink[] {
    return this.front.main.links;
  }

  #startShard(link: ShardLink): ShardThread {
    const { journal, time, faults, audit, shardCount, onFault } = this.#parts;
    const { shard: number } = link;
    return new ShardThread({
      number,
      memory: this.#memory,
      own: link.memory,
      journal,
      clock: time.clock,
      trading: this.front.main.trading.mode,
      restore: this.front.restore.mark,
      faults,
      onTurn: (turn) => audit.onTurn({ shard: number, shardCount }, turn),
      onSent: (request) => audit.onSent(request),
      onFault,
    });
  }

  #startVenue(): VenueThread {
    const { seed, store, faults, truth } = this.#parts;
    const { clock } = this.#parts.time;
    const { isDistant, tellsPast, requestRate } = this.#parts.profile;
    const post = this.#post;
    const ways = { isDistant, tellsPast, requestRate };
    return new VenueThread({ memory: this.#memory, store, clock, seed, faults, post, truth, ...ways });
  }
}
