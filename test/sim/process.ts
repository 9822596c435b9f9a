import type { Clock } from '../../src/model/time.js';
import type { FaultRule } from '../../src/venue/faults/index.js';
import type { VenueStore } from '../../src/venue/port.js';
import type { MemoryJournal } from '../shard/memory-journal.js';
import type { Chance } from './chance.js';
import { Crash, type Faults } from './faults.js';
import { FeedAudit } from './feed-audit.js';
import { FrontDesk } from './front-desk.js';
import type { JournalAudit } from './journal-audit.js';
import type { OrderBook } from './order-book.js';
import { Post } from './post.js';
import type { Profile } from './profile.js';
import { ShardThread } from './shard-thread.js';
import { SharedMemory, type ShardRings } from './shared-memory.js';
import { VenueThread } from './venue-thread.js';

export interface ProcessParts {
  readonly seed: number;
  readonly profile: Profile;
  readonly shardCount: number;
  readonly chance: Chance;
  readonly clock: Clock;
  readonly faults: Faults;
  readonly journal: MemoryJournal;
  readonly store: VenueStore;
  readonly orders: OrderBook;
  readonly audit: JournalAudit;
}

/** Which threads a crash ended; null when none did. */
export type Death = 'shard' | 'venue' | null;

/** One life of the service: its threads and the memory they share. What is on disk is given and stays. */
export class Process {
  readonly desk: FrontDesk;
  readonly feeds: FeedAudit;
  readonly #parts: ProcessParts;
  readonly #memory: SharedMemory;
  readonly #shards: ShardThread[];
  readonly #post: Post;
  #venue: VenueThread | null;

  constructor(parts: ProcessParts) {
    const { shardCount, profile, journal, orders, chance } = parts;
    this.#parts = parts;
    this.#memory = new SharedMemory(shardCount, profile);
    this.#post = new Post(chance, profile);
    this.feeds = new FeedAudit(journal);
    this.desk = new FrontDesk(this.#memory.shards, orders, this.feeds);
    this.#venue = this.#startVenue();
    this.#shards = this.#memory.shards.map((_, number) => this.#startShard(number));
  }

  get shardCount(): number {
    return this.#shards.length;
  }

  get isVenueUp(): boolean {
    return this.#venue !== null;
  }

  isReady(shard: number): boolean {
    return (this.#shards[shard] as ShardThread).isReady;
  }

  /** One turn of a shard, or as many as it takes to come to rest; it may die of it. */
  moveShard(number: number, untilRest: boolean): Death {
    const shard = this.#shards[number] as ShardThread;
    try {
      if (untilRest) shard.rest();
      else shard.turn();
      return null;
    } catch (error) {
      if (error instanceof Crash) return 'shard';
      throw error;
    }
  }

  /** A new thread takes the place of a shard that has died. */
  replaceShard(number: number): void {
    this.#memory.renew(number);
    this.desk.onShardDown(number, this.#memory.shards[number] as ShardRings, this.isVenueUp);
    this.#shards[number] = this.#startShard(number);
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
    this.desk.tellVenueLink(false);
  }

  startVenue(): void {
    this.#venue = this.#startVenue();
    this.desk.tellVenueLink(true);
  }

  /** The venue, for questions of the audit. */
  get venue(): VenueThread {
    if (this.#venue === null) throw new Error('the venue is down');
    return this.#venue;
  }

  #startShard(number: number): ShardThread {
    const { journal, clock, faults, audit, shardCount } = this.#parts;
    return new ShardThread({
      number,
      memory: this.#memory,
      journal,
      clock,
      faults,
      onTurn: (turn, touched) => {
        audit.onTurn({ shard: number, shardCount }, turn, touched);
        this.feeds.onCommitted(
          number,
          // Observations of markets are for reports alone: nobody is told of them.
          turn.filter(({ envelope }) => envelope.event.kind !== 'MarketObserved').map(({ envelope }) => envelope.seq),
        );
      },
      onSent: (request) => audit.onSent(request),
    });
  }

  #startVenue(): VenueThread {
    const { seed, store, clock, faults } = this.#parts;
    const { isDistant, tellsPast, requestRate } = this.#parts.profile;
    const post = this.#post;
    const ways = { isDistant, tellsPast, requestRate };
    return new VenueThread({ memory: this.#memory, store, clock, seed, faults, post, ...ways });
  }
}
