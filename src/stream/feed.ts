import type { EventEnvelope, FeedKey } from '../domain/event.js';
import { FEED_REORDER_FRAMES_MAX, REPLAY_STEP_FRAMES } from '../domain/limits/clients.js';
import { NumberMap } from '../domain/number-map.js';
import type { FeedFrame, StateReader } from '../journal/port.js';
import type { PumpTask } from './pump.js';

/** Result of an offered frame. `held`: an earlier frame is missing. `full`: not stored; the journal must be read. */
type Offered = 'delivered' | 'known' | 'held' | 'full';

/**
 * Puts the frames of one feed in order. Events of several shards reach the main thread in any order, some of them twice
 * or not at all. Each frame is delivered once, in the order of its number.
 *
 *   offered:   7  9  8  8  11 ·       10 was dropped
 *   delivered: 7     8 9      · 10 11  after the read of the journal
 */
export class FeedSequencer {
  readonly #deliver: (n: number, envelope: EventEnvelope) => void;
  readonly #early = new NumberMap<number, EventEnvelope>();
  #last: number;
  #highest: number;

  /** `last`: number of the frame before the first one to deliver. */
  constructor(last: number, deliver: (n: number, envelope: EventEnvelope) => void) {
    this.#last = last;
    this.#highest = last;
    this.#deliver = deliver;
  }

  /** Number of the latest delivered frame. */
  get last(): number {
    return this.#last;
  }

  /** True while a frame before a known one is missing. */
  get hasGap(): boolean {
    return this.#highest > this.#last;
  }

  offer(n: number, envelope: EventEnvelope): Offered {
    if (n <= this.#last) return 'known';
    if (n > this.#highest) this.#highest = n;
    if (n === this.#last + 1) {
      this.#advance(n, envelope);
      this.#releaseEarly();
      return 'delivered';
    }
    if (this.#early.size >= FEED_REORDER_FRAMES_MAX && !this.#early.has(n)) return 'full';
    this.#early.set(n, envelope);
    return 'held';
  }

  /** Takes frames read from the journal, ascending. False when the next one is no longer stored there. */
  fill(frames: readonly FeedFrame[]): boolean {
    for (const { n, envelope } of frames) {
      if (n <= this.#last) continue;
      if (n !== this.#last + 1) return false;
      this.#advance(n, envelope);
    }
    this.#releaseEarly();
    return true;
  }

  /** Continues after frame n. Earlier frames are lost for this feed. */
  skipTo(n: number): void {
    this.#last = Math.max(this.#last, n);
    this.#highest = Math.max(this.#highest, n);
    this.#releaseEarly();
  }

  #advance(n: number, envelope: EventEnvelope): void {
    this.#last = n;
    this.#deliver(n, envelope);
  }

  #releaseEarly(): void {
    if (this.#early.size === 0) return;
    for (let next = this.#early.get(this.#last + 1); next !== undefined; next = this.#early.get(this.#last + 1)) {
      this.#advance(this.#last + 1, next);
    }
    for (const [n] of this.#early.entries()) if (n <= this.#last) this.#early.delete(n);
  }
}

/** One subscriber of a feed. */
export interface FeedMember {
  /** True while its socket is slow. */
  readonly isClogged: boolean;
  /** Takes a frame, possibly for the second time. */
  receive(n: number, frame: Uint8Array): void;
  /** Takes a frame without a number of its own: the state after frame `n`. */
  show(n: number, frame: Uint8Array): void;
  /** Leaves the live frames and reads the journal at its own pace, from its position. */
  replay(): void;
  /** It has left the live frames because its socket is slow, and frame `n` is there now. */
  fallBehind(n: number): void;
  /** The next frames for it are no longer stored. */
  lose(): void;
}

interface FeedParts {
  readonly key: FeedKey;
  /** Number of the frame before the first one to deliver. */
  readonly last: number;
  readonly reader: StateReader;
  /** null: the frame cannot be made: not yet, when the store does not show it. */
  readonly render: (key: FeedKey, n: number, envelope: EventEnvelope) => Uint8Array | null;
  /** Requests a step after a short wait: the missing frame may still arrive. */
  readonly awaitGap: (feed: Feed) => void;
}

/** One (account, topic, venue) with its live subscribers. Each frame is rendered once and shared by all of them. */
export class Feed implements PumpTask {
  readonly key: FeedKey;
  readonly #parts: FeedParts;
  readonly #sequencer: FeedSequencer;
  readonly #live = new Set<FeedMember>();
  /** Members that have left the live frames because their sockets are slow. */
  readonly #slow = new Set<FeedMember>();
  /** Subscriptions in any state. The feed is removed with the last one. */
  subscriptionCount = 0;

  constructor(parts: FeedParts) {
    this.key = parts.key;
    this.#parts = parts;
    this.#sequencer = new FeedSequencer(parts.last, (n, envelope) => this.#deliver(n, envelope));
  }

  /** Number of the latest frame that live subscribers got. */
  get last(): number {
    return this.#sequencer.last;
  }

  /** True while a known frame has not arrived. */
  get hasGap(): boolean {
    return this.#sequencer.hasGap;
  }

  join(member: FeedMember): void {
    this.#slow.delete(member);
    this.#live.add(member);
  }

  leave(member: FeedMember): void {
    this.#slow.delete(member);
    this.#live.delete(member);
  }

  offer(n: number, envelope: EventEnvelope): Offered {
    return this.#sequencer.offer(n, envelope);
  }

  /** Sends live subscribers a frame without a number of its own. A slow subscriber skips it. */
  show(frame: Uint8Array): void {
    for (const member of this.#live) if (!member.isClogged) member.show(this.last, frame);
  }

  /** The next frames after `after` in the journal, at most REPLAY_STEP_FRAMES. */
  read(after: number): readonly FeedFrame[] {
    return this.#parts.reader.renewed().feed(this.key, after, REPLAY_STEP_FRAMES);
  }

  /** False: the frame after `after` was stored and is removed. */
  isStoredAfter(after: number): boolean {
    return this.#parts.reader.recent().feedTail(this.key) <= after + 1;
  }

  render(n: number, envelope: EventEnvelope): Uint8Array | null {
    return this.#parts.render(this.key, n, envelope);
  }

  get owner(): string {
    return this.key.account;
  }

  /** Reads missing frames from the journal. A slow socket continues at its own pace. */
  step(hasTime: () => boolean): boolean {
    for (const member of this.#live) {
      if (!member.isClogged) continue;
      member.replay();
      this.#slow.add(member);
    }
    if (this.#live.size === 0) return this.#skipToHead();
    const frames = this.read(this.last);
    for (const [index, frame] of frames.entries()) {
      if (index > 0 && !hasTime()) return true;
      if (this.#sequencer.fill(frames.slice(index, index + 1))) continue;
      this.#loseAll();
      this.#sequencer.skipTo(frame.n - 1);
      return true;
    }
    if (frames.length === REPLAY_STEP_FRAMES) return true;
    if (this.#sequencer.hasGap) this.#parts.awaitGap(this);
    return false;
  }

  abort(): void {
    this.#loseAll();
  }

  /** Skips to the end: the feed has no live subscribers, and slow ones read the journal themselves. */
  #skipToHead(): false {
    this.#sequencer.skipTo(this.#parts.reader.renewed().feedHead(this.key));
    this.#checkSlow();
    return false;
  }

  #checkSlow(): void {
    for (const member of this.#slow) member.fallBehind(this.last);
  }

  #deliver(n: number, envelope: EventEnvelope): void {
    this.#checkSlow();
    if (this.#live.size === 0) return;
    const frame = this.render(n, envelope);
    for (const member of this.#live) {
      // A frame that cannot be made yet is read from the journal, when the store shows it.
      if (frame === null) member.replay();
      else member.receive(n, frame);
    }
  }

  #loseAll(): void {
    for (const member of this.#live) member.lose();
  }
}
