import type { Command, ShardMessage } from '../model/command.js';
import type { AccountId } from '../model/ids.js';
import { decodeShardMessage, encodeCommand } from '../wire/codec/index.js';
import { FaultFigures } from '../wire/fault-figures.js';
import { BellRinger } from '../wire/doorbell.js';
import { createRingLike, RingConsumer, RingProducer } from '../wire/ring.js';
import type { ShardMemory } from './worker-data.js';

/** Messages taken from one shard before the next one's turn. */
const MESSAGES_PER_DRAIN_MAX = 4096;

export type SendResult = 'sent' | 'busy' | 'down';

/** The main thread's end of one shard: commands out, events in. */
export class ShardLink {
  readonly shard: number;
  /** Of the shard's quarantined orders and contradictory reports. */
  readonly faults: FaultFigures;
  readonly #bell: BellRinger;
  #memory: ShardMemory;
  #commands: RingProducer;
  #events: RingConsumer;
  readonly #beat: Int32Array;
  #isUp = false;

  constructor(shard: number, memory: ShardMemory) {
    this.shard = shard;
    this.#memory = memory;
    this.#bell = new BellRinger(memory.bell);
    this.#commands = new RingProducer(memory.commands);
    this.#events = new RingConsumer(memory.events);
    this.#beat = new Int32Array(memory.beat);
    this.faults = new FaultFigures(memory.faults);
  }

  get memory(): ShardMemory {
    return this.#memory;
  }

  /** Down: the thread has died or has not recovered its orders yet. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** Parent orders the shard worked when it made its last turn. */
  get openParentCount(): number {
    return Atomics.load(this.#beat, 1);
  }

  setUp(isUp: boolean): void {
    this.#isUp = isUp;
  }

  /** Grows with every turn of the shard, at least every BEAT_MS_MAX. */
  get beat(): number {
    return Atomics.load(this.#beat, 0);
  }

  /**
   * For a thread that starts again: what its predecessor had not taken is thrown away, because its senders have been
   * told that the shard is down. The rings to the venue stay, for the venue goes on.
   */
  renewMemory(): ShardMemory {
    this.#memory = {
      ...this.#memory,
      commands: createRingLike(this.#memory.commands),
      events: createRingLike(this.#memory.events),
    };
    this.#commands = new RingProducer(this.#memory.commands);
    this.#events = new RingConsumer(this.#memory.events);
    return this.#memory;
  }

  send(command: Command): SendResult {
    if (!this.#isUp) return 'down';
    return this.post(command) ? 'sent' : 'busy';
  }

  /** Sends even to a shard that is not up yet: links and the order to stop. */
  post(command: Command): boolean {
    if (this.#commands.tryWrite(encodeCommand(command)) !== 'written') return false;
    this.#bell.ring();
    return true;
  }

  /** Takes in a bounded number of messages; true when more are waiting, for nobody rings for those again. */
  drain(isFollowed: (account: AccountId) => boolean, handle: (message: ShardMessage) => void): boolean {
    this.#events.drain(MESSAGES_PER_DRAIN_MAX, (bytes) => handle(decodeShardMessage(bytes, isFollowed)));
    return !this.#events.isEmpty();
  }
}
