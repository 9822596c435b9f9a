import type { FeedFrame, StateReader } from '../journal/port.js';
import type { EventEnvelope } from '../model/event.js';
import type { Venue } from '../model/exchange.js';
import type { AccountTopic } from '../model/feed.js';
import type { AccountId } from '../model/ids.js';
import { REPLAY_STEP_FRAMES } from '../model/limits.js';
import type { PumpTask } from './pump.js';
import { FeedSequencer, type Offered } from './sequencer.js';

export interface FeedKey {
  readonly account: AccountId;
  readonly topic: AccountTopic;
  readonly venue: Venue;
}

/** One subscriber of a feed. */
export interface FeedMember {
  /** True while its socket cannot keep up. */
  readonly isClogged: boolean;
  /** Takes a frame that it may already have had. */
  receive(n: number, frame: Uint8Array): void;
  /** Takes a frame without a number of its own, which says how things stand after frame `n`. */
  show(n: number, frame: Uint8Array): void;
  /** Leaves the live frames and reads the journal at its own pace, from where it is. */
  replay(): void;
  /** Frames it has not had yet are no longer kept. */
  lose(): void;
}

export interface FeedParts {
  readonly key: FeedKey;
  /** The latest frame that is not wanted. */
  readonly last: number;
  readonly reader: StateReader;
  /** null when the frame cannot be made any more. */
  readonly render: (key: FeedKey, n: number, envelope: EventEnvelope) => Uint8Array | null;
  /** Asks for a step after a short wait, in case the missing frame is still on its way. */
  readonly awaitGap: (feed: Feed) => void;
}

/** One (account, topic, venue) with its live subscribers: each frame is rendered once and shared by all of them. */
export class Feed implements PumpTask {
  readonly key: FeedKey;
  readonly #parts: FeedParts;
  readonly #sequencer: FeedSequencer;
  readonly #live = new Set<FeedMember>();
  /** Subscriptions of any state; the feed is dropped with the last one. */
  subscriptionCount = 0;

  constructor(parts: FeedParts) {
    this.key = parts.key;
    this.#parts = parts;
    this.#sequencer = new FeedSequencer(parts.last, (n, envelope) => this.#deliver(n, envelope));
  }

  /** Number of the latest frame that live subscribers were given. */
  get last(): number {
    return this.#sequencer.last;
  }

  /** True while a frame is known of that has not arrived. */
  get hasGap(): boolean {
    return this.#sequencer.hasGap;
  }

  join(member: FeedMember): void {
    this.#live.add(member);
  }

  leave(member: FeedMember): void {
    this.#live.delete(member);
  }

  offer(n: number, envelope: EventEnvelope): Offered {
    return this.#sequencer.offer(n, envelope);
  }

  /** Gives live subscribers a frame without a number of its own; who is slow does without it. */
  show(frame: Uint8Array): void {
    for (const member of this.#live) if (!member.isClogged) member.show(this.last, frame);
  }

  /** The next frames after `after` as the journal has them now, REPLAY_STEP_FRAMES at most. */
  read(after: number): readonly FeedFrame[] {
    const { account, topic, venue } = this.key;
    this.#parts.reader.refresh();
    return this.#parts.reader.feed(account, topic, venue, after, REPLAY_STEP_FRAMES);
  }

  render(n: number, envelope: EventEnvelope): Uint8Array | null {
    return this.#parts.render(this.key, n, envelope);
  }

  get owner(): string {
    return this.key.account;
  }

  /** Reads from the journal what has not arrived. A socket that cannot keep up goes on at its own pace. */
  step(hasTime: () => boolean): boolean {
    for (const member of this.#live) if (member.isClogged) member.replay();
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

  /** Nobody waits for these frames: who is behind reads them alone. */
  #skipToHead(): false {
    const { account, topic, venue } = this.key;
    this.#parts.reader.refresh();
    this.#sequencer.skipTo(this.#parts.reader.feedHead(account, topic, venue));
    return false;
  }

  #deliver(n: number, envelope: EventEnvelope): void {
    if (this.#live.size === 0) return;
    const frame = this.render(n, envelope);
    if (frame === null) return this.#loseAll();
    for (const member of this.#live) member.receive(n, frame);
  }

  #loseAll(): void {
    for (const member of this.#live) member.lose();
  }
}
