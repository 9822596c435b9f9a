import type { ShardClient } from '../../src/intake/shard-client.js';
import { createMemory, type ServiceMemory } from '../../src/runtime/shared-memory.js';
import type { FaultRule } from '../../src/sim/faults/fault-rule.js';
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

/** A quarter of this size fits a page of candles. */
const PAST_RING_BYTES = 2 ** 18;
/** Fits a page of the orders at an exchange. */
const LISTING_RING_BYTES = 2 ** 14;
/** A quarter of this size fits a command that adopts ADOPTED_PER_COMMAND_MAX children. */
const ADOPTING_RING_BYTES = 2 ** 16;

export interface ProcessParts {
  readonly seed: number;
  readonly profile: Profile;
  readonly shardCount: number;
  readonly chance: Chance;
  readonly loop: EventLoop;
  readonly time: SimulatedTime;
  /** Time of the machine's clock. */
  readonly wallMs: () => number;
  /** True time of the simulation. */
  readonly monotonicMs: () => number;
  /** Called about once a second of this process. */
  readonly onSecond: () => void;
  readonly faults: Faults;
  readonly journal: SimJournal;
  /** True while the disk syncs nothing. */
  readonly isDiskStalled: () => boolean;
  readonly identity: IdentityRows;
  readonly store: VenueStore;
  readonly audit: JournalAudit;
  readonly truth: VenueTruth;
  readonly onFault: (error: unknown) => void;
}

/** What a crash ended, or null. */
export type Death = 'shard' | 'venue' | 'process' | null;

/** The journal of the simulation is no thread. */
const UNUSED_RING_BYTES = 64;
/** Share of a shard's turns before which the disk has synced. */
const SYNC_SHARE = 0.6;
/** Share of the turns of a shard and of the main thread that may write themselves. */
const LEAD_SHARE = 0.3;

/** One process of the service: its threads and their shared memory. The data on disk is an argument and outlives it. */
export class Process {
  readonly front: SimulatedMain;
  readonly #parts: ProcessParts;
  readonly #memory: ServiceMemory;
  readonly #shards: ShardThread[];
  readonly #post: Post;
  #mayLag = true;
  #venue: VenueThread | null;

  constructor(parts: ProcessParts) {
    const { shardCount, profile, chance, isDiskStalled } = parts;
    const { mainRingBytes, venueRingBytes, tellsPast, restore } = profile;
    const reportBytes = restore > 0 ? Math.max(venueRingBytes, LISTING_RING_BYTES) : venueRingBytes;
    const commandBytes = restore > 0 ? Math.max(mainRingBytes, ADOPTING_RING_BYTES) : mainRingBytes;
    this.#parts = parts;
    parts.audit.onStart();
    this.#memory = createMemory(shardCount, CATALOGUE, {
      commandBytes,
      eventBytes: mainRingBytes,
      venueRequestBytes: venueRingBytes,
      venueReportBytes: tellsPast ? PAST_RING_BYTES : reportBytes,
      marketBytes: mainRingBytes,
      appendBytes: UNUSED_RING_BYTES,
      placeBytes: UNUSED_RING_BYTES,
    });
    this.#post = new Post(chance, profile);
    this.front = new SimulatedMain({
      ...parts,
      memory: this.#memory,
      isSynced: () => !isDiskStalled() && chance.hits(SYNC_SHARE),
      mayLead: () => !isDiskStalled() && chance.hits(LEAD_SHARE),
      shownShare: () => (this.#mayLag && chance.hits(profile.lag) ? chance.between(0, 3) / 4 : 1),
      onTurn: (turn) => parts.audit.onTurn(null, turn),
      onReleased: (event) => parts.audit.onReleased(event),
    });
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

  /** One turn of a shard, or turns until it is idle. The shard may die in one of them. */
  moveShard(number: number, untilRest: boolean): Death {
    const shard = this.#shards[number] as ShardThread;
    const link = this.#links[number] as ShardClient;
    try {
      if (untilRest) shard.rest();
      else shard.turn();
    } catch (error) {
      if (error instanceof Crash) return error.endsProcess ? 'process' : 'shard';
      throw error;
    }
    // A worker reports readiness in the same way, once the store shows the turns of its predecessor.
    if (!link.isUp && shard.isReady) this.front.onShardUp(link);
    return null;
  }

  /** One turn of the main thread. It may die while it leads the journal. */
  moveMain(): Death {
    try {
      this.front.turn();
      return null;
    } catch (error) {
      if (error instanceof Crash) return 'process';
      throw error;
    }
  }

  /** Replaces a dead shard by a new thread. */
  replaceShard(number: number): void {
    const link = this.#links[number] as ShardClient;
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

  /** Ends all faults of reports, venues and the state. */
  endFaults(): void {
    this.#mayLag = false;
    this.#post.endFaults();
    this.#venue?.endFaults();
  }

  /** Starts a fault at the venues if they run. */
  inject(rule: FaultRule): void {
    this.#venue?.inject(rule);
  }

  stopVenue(): void {
    this.#venue = null;
    this.front.main.setVenueUp(false);
  }

  startVenue(): void {
    this.#venue = this.#startVenue();
    this.front.main.setVenueUp(true);
  }

  /** The venue, for the audit. */
  get venue(): VenueThread {
    if (this.#venue === null) throw new Error('the venue is down');
    return this.#venue;
  }

  /** Real milliseconds until a thread has work of its own. */
  waitMs(): number {
    return Math.min(this.#venue?.waitMs() ?? Infinity, ...this.#shards.map((shard) => shard.waitMs()));
  }

  get #links(): readonly ShardClient[] {
    return this.front.main.shardClients;
  }

  #startShard(link: ShardClient): ShardThread {
    const { journal, time, faults, audit, shardCount, chance, isDiskStalled, onFault } = this.#parts;
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
      isSynced: () => !isDiskStalled() && chance.hits(SYNC_SHARE),
      mayLead: () => !isDiskStalled() && chance.hits(LEAD_SHARE),
      isDiskStalled,
      onTurn: (turn) => audit.onTurn({ shard: number, shardCount }, turn),
      onReleased: (event) => audit.onReleased(event),
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
