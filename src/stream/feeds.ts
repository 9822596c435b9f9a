import type { StateReader } from '../journal/port.js';
import type { EventEnvelope } from '../model/event.js';
import { EXCHANGE_IDS, type Venue } from '../model/exchange.js';
import { ACCOUNT_TOPICS, type AccountTopic, type FeedMark } from '../model/feed.js';
import type { AccountId, OrderId } from '../model/ids.js';
import { FEED_GAP_WAIT_MS } from '../model/limits.js';
import { Feed, type FeedKey } from './feed.js';
import type { Timers } from './port.js';
import type { ParentOrder } from '../model/order.js';
import { ParentOrders } from './parent-orders.js';
import type { Pump } from './pump.js';
import { accountFrame } from './topics/account-frame.js';

/** Number of a (topic, venue) within an account: a small integer, so that finding a feed builds no key text. */
export type FeedNumber = number & { readonly __feedNumber: never };

const VENUE_STRIDE = 32;
const TOPIC_BASES = Object.fromEntries(ACCOUNT_TOPICS.map((topic, index) => [topic, index * VENUE_STRIDE])) as Readonly<
  Record<AccountTopic, number>
>;

export function feedNumber(topic: AccountTopic, venue: Venue): FeedNumber {
  return (TOPIC_BASES[topic] + EXCHANGE_IDS[venue]) as FeedNumber;
}

export interface FeedsParts {
  readonly reader: StateReader;
  readonly timers: Timers;
  readonly pump: Pump;
  readonly parentOrder: (orderId: OrderId) => ParentOrder | null;
  readonly onFault: (error: unknown) => void;
}

/** The feeds that somebody is subscribed to. An event that nobody streams costs one look-up. */
export class Feeds {
  readonly #parts: FeedsParts;
  readonly #orders: ParentOrders;
  readonly #byAccount = new Map<AccountId, Map<FeedNumber, Feed>>();
  #gapped = new Set<Feed>();

  constructor(parts: FeedsParts) {
    this.#parts = parts;
    this.#orders = new ParentOrders(parts.parentOrder, parts.reader);
  }

  isFollowed(account: AccountId): boolean {
    return this.#byAccount.has(account);
  }

  /** A durable event: in any order across shards, perhaps for the second time. */
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

  /** Events may have been dropped: every feed looks into the journal. */
  recheck(): void {
    for (const feeds of this.#byAccount.values()) for (const feed of feeds.values()) this.#parts.pump.add(feed);
  }

  /** The feed of a key. A new one begins after frame `head`. */
  open(key: FeedKey, head: number): Feed {
    let feeds = this.#byAccount.get(key.account);
    if (feeds === undefined) this.#byAccount.set(key.account, (feeds = new Map<FeedNumber, Feed>()));
    const number = feedNumber(key.topic, key.venue);
    let feed = feeds.get(number);
    if (feed === undefined) feeds.set(number, (feed = this.#newFeed(key, head)));
    return feed;
  }

  /** Called when a subscription has ended: a feed without any is forgotten. */
  release(feed: Feed): void {
    if (feed.subscriptionCount > 0) return;
    const { account, topic, venue } = feed.key;
    const feeds = this.#byAccount.get(account);
    feeds?.delete(feedNumber(topic, venue));
    if (feeds?.size === 0) this.#byAccount.delete(account);
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

  /** A frame that cannot be made ends the streams that need it, not the process: the orders themselves are unharmed. */
  #render({ topic, venue }: FeedKey, n: number, envelope: EventEnvelope): Uint8Array | null {
    try {
      const text = accountFrame(topic, n, envelope, (orderId, revision) => this.#orders.of(orderId, revision), venue);
      return text === null ? null : Buffer.from(text);
    } catch (error) {
      this.#parts.onFault(error);
      return null;
    }
  }

  /** A missing frame mostly comes a moment later from another shard; only then is the journal read. */
  #awaitGap(feed: Feed): void {
    if (this.#gapped.size === 0) this.#parts.timers.after(FEED_GAP_WAIT_MS, () => this.#closeGaps());
    this.#gapped.add(feed);
  }

  #closeGaps(): void {
    const gapped = this.#gapped;
    this.#gapped = new Set();
    for (const feed of gapped) if (feed.hasGap && feed.subscriptionCount > 0) this.#parts.pump.add(feed);
  }
}
