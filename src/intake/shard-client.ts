import type { Command, ShardMessage } from '../domain/command.js';
import type { Venue } from '../domain/exchange.js';
import type { AccountId, CorrelationId } from '../domain/ids.js';
import { OPEN_PARENTS_PER_SHARD_MAX } from '../domain/limits/trading.js';
import { assert } from '../domain/rejection.js';
import { decodeShardMessage, encodeCommand, encodeCreate } from '../wire/codec/command.js';
import type { NumberedEvent } from '../journal/port.js';
import { AccountCounts, AccountEvents, createAccountCounts } from '../wire/account-counts.js';
import { BellRinger } from '../wire/bell.js';
import { FaultFigures, type ShardMemory } from '../wire/worker-data.js';
import { createRingLike, RingConsumer, RingProducer } from '../wire/ring.js';

/** Bytes of a create's record in the ring beyond those of its event in the journal, at most. */
const CREATE_BYTES_MORE = 64;
/** Messages taken from one shard before the turn of the next one. */
const MESSAGES_PER_DRAIN_MAX = 4096;

export type SendResult = 'sent' | 'busy' | 'down';
/** `full`: the shard works as many open orders as it may. */
export type ReserveResult = 'reserved' | 'full' | Exclude<SendResult, 'sent'>;

/** The main thread's side of one shard: sends commands, receives events. */
export class ShardClient {
  readonly shard: number;
  /** Counts of the shard's quarantined orders and contradictory reports. */
  readonly faults: FaultFigures;
  /** Its open orders by account, those included that are not durable yet. */
  openOrders: AccountCounts;
  /** The latest event of each account that the shard has released. */
  readonly latestEvents: AccountEvents;
  readonly #bell: BellRinger;
  #memory: ShardMemory;
  #commands: RingProducer;
  #events: RingConsumer;
  readonly #beat: Int32Array;
  #isUp = false;
  #isWaking = false;
  /** Room for creates that are not durable yet. */
  #reservedBytes = 0;
  #largestBytes = 0;

  constructor(shard: number, memory: ShardMemory) {
    this.shard = shard;
    this.#memory = memory;
    this.#bell = new BellRinger(memory.bell);
    this.#commands = new RingProducer(memory.commands);
    this.#events = new RingConsumer(memory.events);
    this.#beat = new Int32Array(memory.beat);
    this.faults = new FaultFigures(memory.faults);
    this.openOrders = new AccountCounts(memory.openOrders);
    this.latestEvents = new AccountEvents(memory.latestEvents);
  }

  get memory(): ShardMemory {
    return this.#memory;
  }

  /** False: the thread has died or has not recovered its orders yet. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** Open parent orders of the shard at its last turn. */
  get openParentCount(): number {
    return Atomics.load(this.#beat, 1);
  }

  setUp(isUp: boolean): void {
    this.#isUp = isUp;
  }

  /** Increases with every turn of the shard, at least every BEAT_MS_MAX. */
  get beat(): number {
    return Atomics.load(this.#beat, 0);
  }

  /**
   * Creates new rings and counts for a thread that starts again. Unread commands of the old thread are dropped: their
   * senders got the answer that the shard is down. The rings to the venue stay, because the venue thread continues.
   */
  renewMemory(): ShardMemory {
    this.#memory = {
      ...this.#memory,
      commands: createRingLike(this.#memory.commands),
      events: createRingLike(this.#memory.events),
      openOrders: createAccountCounts(),
    };
    this.openOrders = new AccountCounts(this.#memory.openOrders);
    this.#commands = new RingProducer(this.#memory.commands);
    this.#events = new RingConsumer(this.#memory.events);
    return this.#memory;
  }

  /**
   * Reserves room in the ring for a create with `encodedBytes` in the journal, which is not durable yet. Other commands
   * leave this room free.
   */
  reserve(encodedBytes: number): ReserveResult {
    if (!this.#isUp) return 'down';
    if (this.openParentCount >= OPEN_PARENTS_PER_SHARD_MAX) return 'full';
    const bytes = CREATE_BYTES_MORE + encodedBytes;
    this.#largestBytes = Math.max(this.#largestBytes, bytes);
    if (!this.#hasRoom(bytes)) return 'busy';
    this.#reservedBytes += bytes;
    return 'reserved';
  }

  unreserve(encodedBytes: number): void {
    this.#reservedBytes -= CREATE_BYTES_MORE + encodedBytes;
  }

  /**
   * Passes on a durable create in its reserved room. Call `wake` after the last one. A shard that is down reads it from
   * the journal at its start.
   */
  deliver({ envelope, bytes }: NumberedEvent): void {
    this.unreserve(bytes.length);
    const isWritten = this.#commands.tryWrite(encodeCreate(envelope, bytes)) === 'written';
    assert(isWritten, `shard ${this.shard} has room for a create`);
    this.#isWaking = true;
  }

  /** Wakes the shard when it has got creates. */
  wake(): void {
    if (!this.#isWaking) return;
    this.#isWaking = false;
    this.#bell.ring();
  }

  send(command: Command): SendResult {
    if (!this.#isUp) return 'down';
    return this.post(command) ? 'sent' : 'busy';
  }

  /** Sends even to a shard that is not up yet: venue notices and the stop command. */
  post(command: Command): boolean {
    const bytes = encodeCommand(command);
    if (this.#reservedBytes > 0 && !this.#hasRoom(2 * bytes.length)) return false;
    if (this.#commands.tryWrite(bytes) !== 'written') return false;
    this.#bell.ring();
    return true;
  }

  /** The rest of the ring's memory that is too short for a record is lost: at most the largest create. */
  #hasRoom(bytes: number): boolean {
    return this.#commands.freeBytes() >= this.#reservedBytes + this.#largestBytes + bytes;
  }

  /** Processes a bounded number of messages. True when more are waiting; no bell rings for those again. */
  drain(isFollowed: (account: AccountId) => boolean, handle: (message: ShardMessage) => void): boolean {
    this.#events.drain(MESSAGES_PER_DRAIN_MAX, (bytes) => handle(decodeShardMessage(bytes, isFollowed)));
    return !this.#events.isEmpty();
  }
}

/** Pending notices about the venue worker for one shard, oldest first: at most one end and one return. */
type Waiting = readonly boolean[];

/**
 * Notifies every shard of the end and the return of one venue worker. A notice that finds a full ring waits and is
 * posted again: without it, a shard would not request the status of children whose requests died with the worker.
 */
export class VenueNotices {
  /** The exchange of the worker; null: the simulated ones. */
  readonly #venue: Venue | null;
  readonly #waiting: Map<ShardClient, Waiting>;

  constructor(links: readonly ShardClient[], venue: Venue | null = null) {
    this.#venue = venue;
    this.#waiting = new Map(links.map((link) => [link, []]));
  }

  /** The venue worker came up or died. */
  setUp(isUp: boolean): void {
    for (const [link, waiting] of this.#waiting) this.#waiting.set(link, withNotice(waiting, isUp));
    this.post();
  }

  /** Posts the waiting notices for which the rings have room. */
  post(): void {
    const named = this.#venue === null ? {} : { venue: this.#venue };
    for (const [link, waiting] of this.#waiting) {
      if (waiting.length === 0) continue;
      const refusedIndex = waiting.findIndex(
        (isUp) => !link.post({ kind: 'VenueLink', correlationId: 0 as CorrelationId, isUp, ...named }),
      );
      this.#waiting.set(link, refusedIndex < 0 ? [] : waiting.slice(refusedIndex));
    }
  }
}

/** An end replaces all waiting notices. A shard ignores a second notice of the same end. */
function withNotice(waiting: Waiting, isUp: boolean): Waiting {
  if (!isUp) return [false];
  return waiting.at(-1) === true ? waiting : [...waiting, true];
}
