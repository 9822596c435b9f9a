import { LRUCache } from 'lru-cache';
import { accountFrames, openOrderFrame, type ParentOrderOf } from '../api/stream/account-frame.js';
import type { SnapshotPlace } from '../api/order/order-frame.js';
import { ACCOUNT_TOPICS, type AccountTopic, type EventEnvelope, type FeedKey, type FeedMark } from '../domain/event.js';
import { EXCHANGE_IDS, type Venue } from '../domain/exchange.js';
import type { AccountId, OrderId } from '../domain/ids.js';
import { FEED_GAP_WAIT_MS, FORMER_TERMS_CACHED_MAX, STREAMED_ORDERS_CACHED_MAX } from '../domain/limits/clients.js';
import { COMMIT_WAIT_MS_MAX } from '../domain/limits/process.js';
import type { ParentOrder } from '../domain/order.js';
import type { WhenComplete } from '../journal/complete-reads.js';
import type { Followers, StateReader, StateSnapshot } from '../journal/port.js';
import type { Timers } from './port.js';
import type { Pump } from './pump.js';
import { Feed } from './feed.js';

/** Number of a (topic, venue) within an account: a small integer, so that a lookup builds no key text. */
export type FeedNumber = number & { readonly __feedNumber: never };

const VENUE_STRIDE = 32;
const TOPIC_BASES = Object.fromEntries(ACCOUNT_TOPICS.map((topic, index) => [topic, index * VENUE_STRIDE])) as Readonly<
  Record<AccountTopic, number>
>;

export function feedNumber(topic: AccountTopic, venue: Venue): FeedNumber {
  return (TOPIC_BASES[topic] + EXCHANGE_IDS[venue]) as FeedNumber;
}

interface FeedsParts {
  readonly reader: StateReader;
  readonly whenComplete: WhenComplete;
  readonly timers: Timers;
  readonly pump: Pump;
  readonly onFault: (error: unknown) => void;
  /** Accounts whose events `publish` gets. */
  readonly followed: Followers;
}

/** The feeds with subscriptions. An event without a subscribed feed costs one lookup. */
export class Feeds {
  readonly #parts: FeedsParts;
  readonly #orders: ParentOrders;
  readonly #orderOf: ParentOrderOf = (orderId, revision) => this.#orders.of(orderId, revision);
  readonly #frameOf = accountFrames(this.#orderOf);
  readonly #byAccount = new Map<AccountId, Map<FeedNumber, Feed>>();
  /** Feeds with a missing frame, each with its last frame when the wait began. */
  #gapped = new Map<Feed, number>();

  constructor(parts: FeedsParts) {
    this.#parts = parts;
    this.#orders = new ParentOrders(parts.reader);
  }

  /** Takes a durable event: in any order across shards, possibly for the second time. */
  publish(envelope: EventEnvelope, marks: readonly FeedMark[]): void {
    const feeds = this.#byAccount.get(envelope.account);
    if (feeds === undefined) return;
    const { event } = envelope;
    if (event.kind === 'ParentCreated' || event.kind === 'ParentAmended') this.#orders.note(event.order);
    for (const { topic, n, venue = envelope.venue } of marks) {
      const feed = feeds.get(feedNumber(topic, venue));
      if (feed === undefined) continue;
      const offered = feed.offer(n, envelope);
      if (offered === 'held') this.#awaitGap(feed);
      else if (offered === 'full') this.#parts.pump.add(feed);
    }
  }

  /** Events may have been dropped: every feed reads the journal. */
  recheck(): void {
    this.#onceStored(null, () => {
      for (const feeds of this.#byAccount.values()) for (const feed of feeds.values()) this.#parts.pump.add(feed);
    });
  }

  /** Events that were published before the feed opened may be later than its first frame: it reads the journal. */
  catchUp(feed: Feed): void {
    this.#onceStored(feed.key.account, () => this.#parts.pump.add(feed));
  }

  /** The feed of a key. A new one starts after frame `head`, which was read while the account was followed. */
  open(key: FeedKey, head: number): Feed {
    let feeds = this.#byAccount.get(key.account);
    if (feeds === undefined) {
      this.#byAccount.set(key.account, (feeds = new Map<FeedNumber, Feed>()));
      this.#parts.followed.add(key.account);
    }
    const number = feedNumber(key.topic, key.venue);
    let feed = feeds.get(number);
    if (feed === undefined) feeds.set(number, (feed = this.#newFeed(key, head)));
    return feed;
  }

  /** The snapshot frame of an order after its last event; null: the order is no longer stored. */
  openOrder(place: SnapshotPlace, envelope: EventEnvelope): Uint8Array | null {
    const text = openOrderFrame(place, envelope, this.#orderOf);
    return text === null ? null : Buffer.from(text);
  }

  /** Called after the end of a subscription. Removes a feed without subscriptions. */
  release(feed: Feed): void {
    if (feed.subscriptionCount > 0) return;
    const { account, topic, venue } = feed.key;
    const feeds = this.#byAccount.get(account);
    feeds?.delete(feedNumber(topic, venue));
    if (feeds?.size === 0 && this.#byAccount.delete(account)) this.#parts.followed.remove(account);
  }

  /** Runs when the store shows what is durable now, and again while that takes too long. */
  #onceStored(account: AccountId | null, run: () => void): void {
    const { whenComplete, timers } = this.#parts;
    whenComplete(
      (snapshot) => {
        run();
        if (snapshot === null) timers.after(COMMIT_WAIT_MS_MAX, () => this.#onceStored(account, run));
      },
      { account },
    );
  }

  #newFeed(key: FeedKey, last: number): Feed {
    return new Feed({
      key,
      last,
      reader: this.#parts.reader,
      render: (of, n, envelope) => this.#render(of, n, envelope),
      awaitGap: (feed) => this.#awaitGap(feed),
    });
  }

  /** A frame that cannot be made ends its streams, not the process: the orders themselves are not affected. */
  #render({ topic, venue }: FeedKey, n: number, envelope: EventEnvelope): Uint8Array | null {
    try {
      const text = this.#frameOf(topic, n, envelope, venue);
      return text === null ? null : Buffer.from(text);
    } catch (error) {
      this.#parts.onFault(error);
      return null;
    }
  }

  /** A missing frame usually arrives a moment later from another thread. The journal is read only after a wait. */
  #awaitGap(feed: Feed): void {
    if (this.#gapped.size === 0) this.#parts.timers.after(FEED_GAP_WAIT_MS, () => this.#closeGaps());
    if (!this.#gapped.has(feed)) this.#gapped.set(feed, feed.last);
  }

  /** A feed that has moved on misses another frame now: the wait for that one begins. */
  #closeGaps(): void {
    const gapped = this.#gapped;
    this.#gapped = new Map();
    for (const [feed, last] of gapped) {
      if (!feed.hasGap || feed.subscriptionCount === 0) continue;
      if (feed.last === last) this.#parts.pump.add(feed);
      else this.#awaitGap(feed);
    }
  }
}

type TermsReader = Pick<StateReader<Pick<StateSnapshot, 'formerTerms' | 'order'>>, 'recent' | 'renewed'>;

/**
 * The terms of streamed orders: read once per order, not once per frame. A frame shows the terms at the time of its
 * event, also when it is sent again after an amendment. Former terms have their own cache, so that a replay does not
 * evict the terms of live frames.
 */
export class ParentOrders {
  readonly #reader: TermsReader;
  readonly #latest = new LRUCache<OrderId, ParentOrder>({ max: STREAMED_ORDERS_CACHED_MAX });
  readonly #former = new LRUCache<string, ParentOrder>({ max: FORMER_TERMS_CACHED_MAX });

  constructor(reader: TermsReader) {
    this.#reader = reader;
  }

  /** Caches the terms of an event, because the store may not have them yet. */
  note(order: ParentOrder): void {
    const known = this.#latest.get(order.orderId);
    if (known === undefined || known.revision < order.revision) this.#latest.set(order.orderId, order);
  }

  /** null: the order is no longer stored, or its terms are not stored yet. Never waits. */
  of(orderId: OrderId, revision: number): ParentOrder | null {
    const latest = this.#latest.get(orderId);
    if (latest?.revision === revision) return latest;
    // Revisions only grow: a cached later revision shows that this one is a former one.
    if (latest !== undefined && latest.revision > revision) return this.#formerTerms(orderId, revision);
    const order = this.#reader.renewed().order(orderId)?.order ?? null;
    if (order === null || order.revision < revision) return null;
    this.#latest.set(orderId, order);
    return order.revision > revision ? this.#formerTerms(orderId, revision) : order;
  }

  #formerTerms(orderId: OrderId, revision: number): ParentOrder | null {
    const key = `${orderId}:${revision}`;
    const cached = this.#former.get(key);
    if (cached !== undefined) return cached;
    const order = this.#reader.recent().formerTerms(orderId, revision);
    if (order !== null) this.#former.set(key, order);
    return order;
  }
}
