import { SNAPSHOT_PAGE_ORDERS, WS_PRIVATE_LAG_FRAMES_MAX } from '../domain/limits/clients.js';
import { assert } from '../domain/rejection.js';
import type { WhenComplete } from '../journal/complete-reads.js';
import type { Feed, FeedMember } from './feed.js';
import type { OpenOrders } from './open-orders.js';
import type { Outbox } from './outbox.js';
import type { Pump, PumpTask } from './pump.js';

export interface SubscriptionParts {
  readonly feed: Feed;
  readonly outbox: Outbox;
  readonly pump: Pump;
  readonly whenComplete: WhenComplete;
  /** Number of the latest frame that the client has or does not want. */
  readonly cursor: number;
  /** The stream cannot continue without a gap; the subscription has ended. */
  readonly onLost: (cursor: number) => void;
  /** The store does not show the next frames yet. Ends the subscription: its client resumes later. */
  readonly onBehind: () => void;
}

/**
 * The position of one connection in one feed.
 *
 *   idle ──start──▶ replaying ──cursor has reached the feed──▶ live
 *    │                ▲ ▲ │ ▲                                   │
 *    └─▶ open orders ─┘ │ │ └── a gap is being closed and the socket is slow
 *                       │ ▼
 *                awaiting the store
 *
 * Frames are sent in the order of their numbers, each once. The cursor is the only memory of the sent frames, so there
 * is no gap between the journal and the live frames.
 */
export class Subscription implements FeedMember, PumpTask {
  readonly #parts: SubscriptionParts;
  #cursor: number;
  #state: 'idle' | 'open orders' | 'replaying' | 'awaiting the store' | 'live' | 'ended' = 'idle';
  /** null unless the open orders are sent first. */
  #openOrders: OpenOrders | null = null;
  #areIdsKnown = false;
  /** The frame after which it has waited for the store; null: it has not waited since it was live. */
  #awaitedAfter: number | null = null;

  constructor(parts: SubscriptionParts) {
    this.#parts = parts;
    this.#cursor = parts.cursor;
    parts.feed.subscriptionCount += 1;
  }

  get feed(): Feed {
    return this.#parts.feed;
  }

  /** Number of the latest frame sent. */
  get cursor(): number {
    return this.#cursor;
  }

  get isEnded(): boolean {
    return this.#state === 'ended';
  }

  get isClogged(): boolean {
    return this.#parts.outbox.isClogged;
  }

  /** Starts to send: first the frames after the cursor from the journal. */
  start(): void {
    if (this.#cursor >= this.feed.last) this.#goLive();
    else this.replay();
  }

  /** Starts with the open orders, and continues with the frames after the instant that they show. */
  startWith(openOrders: OpenOrders): void {
    this.#openOrders = openOrders;
    this.#state = 'open orders';
    this.#parts.pump.add(this);
  }

  replay(): void {
    this.feed.leave(this);
    this.#state = 'replaying';
    this.#parts.pump.add(this);
  }

  /** The socket takes frames again. */
  onDrain(): void {
    if (this.#state === 'replaying' || this.#state === 'open orders') this.#parts.pump.add(this);
  }

  receive(n: number, frame: Uint8Array): void {
    if (n <= this.#cursor) return;
    this.#send(n, frame);
  }

  fallBehind(n: number): void {
    if (this.isClogged && n - this.#cursor > WS_PRIVATE_LAG_FRAMES_MAX) this.#parts.outbox.overflow();
  }

  show(n: number, frame: Uint8Array): void {
    if (n === this.#cursor) this.#parts.outbox.push(frame);
  }

  get owner(): string {
    return this.feed.key.account;
  }

  step(hasTime: () => boolean): boolean {
    if (this.#openOrders !== null) return this.#sendOpenOrders(this.#openOrders, hasTime);
    if (!this.#canReplay()) return false;
    const frames = this.feed.read(this.#cursor);
    for (const [index, { n, envelope }] of frames.entries()) {
      if (!this.#canReplay()) return false;
      if (index > 0 && !hasTime()) return true;
      const frame = n === this.#cursor + 1 ? this.feed.render(n, envelope) : null;
      if (frame === null) {
        this.lose();
        return false;
      }
      this.#send(n, frame);
    }
    if (this.#cursor >= this.feed.last) {
      this.#goLive();
      return false;
    }
    if (frames.length > 0) return true;
    if (this.feed.isStoredAfter(this.#cursor)) this.#awaitStore();
    else this.lose();
    return false;
  }

  abort(): void {
    this.lose();
  }

  lose(): void {
    this.end();
    this.#parts.onLost(this.#cursor);
  }

  /** Ends the subscription; nothing more is sent. */
  end(): void {
    if (this.#state === 'ended') return;
    this.feed.leave(this);
    this.#openOrders?.close();
    this.#openOrders = null;
    this.#state = 'ended';
    this.feed.subscriptionCount -= 1;
  }

  /** Sends one page at most. While the socket is slow it waits, except for the ids, which must be of one instant. */
  #sendOpenOrders(openOrders: OpenOrders, hasTime: () => boolean): boolean {
    if (!this.#areIdsKnown) {
      if (openOrders.readIds() === 'more') return true;
      this.#areIdsKnown = true;
      this.#cursor = openOrders.head;
    }
    for (let count = 0; count < SNAPSHOT_PAGE_ORDERS && !this.isClogged; count += 1) {
      if (count > 0 && !hasTime()) return true;
      const frame = openOrders.read();
      if (frame === 'end') {
        this.#openOrders = null;
        this.start();
        return false;
      }
      if (frame !== null) this.#parts.outbox.push(frame);
    }
    return !this.isClogged;
  }

  /** The next frames are durable, and the store lacks them. */
  #awaitStore(): void {
    if (this.#awaitedAfter === this.#cursor) return this.#parts.onBehind();
    this.#awaitedAfter = this.#cursor;
    this.#state = 'awaiting the store';
    this.#parts.whenComplete(
      (snapshot) => {
        if (this.#state !== 'awaiting the store') return;
        if (snapshot === null) this.#parts.onBehind();
        else this.replay();
      },
      { account: this.feed.key.account },
    );
  }

  #canReplay(): boolean {
    return this.#state === 'replaying' && !this.isClogged;
  }

  #goLive(): void {
    this.#state = 'live';
    this.#awaitedAfter = null;
    this.feed.join(this);
  }

  #send(n: number, frame: Uint8Array): void {
    assert(n === this.#cursor + 1, 'a feed has no gap and no repeat');
    this.#cursor = n;
    this.#parts.outbox.push(frame);
  }
}
