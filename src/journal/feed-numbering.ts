import type { Venue } from '../model/exchange.js';
import type { EventEnvelope, UnnumberedEvent } from '../model/event.js';
import { topicsOf, type AccountTopic, type FeedMark } from '../model/feed.js';
import type { AccountId } from '../model/ids.js';
import { feedKey } from './row-key.js';
import { decodeNumber, encodeNumber } from './row-value.js';
import type { Table } from './state-tables.js';

interface FeedHead {
  readonly key: Buffer;
  n: number;
}

/** Numbers the frames of one transaction: feeds have no gap across shards, because their heads are read and put in it. */
export class FeedNumbering {
  readonly #table: Table;
  readonly #heads = new Map<string, FeedHead>();

  constructor(feedHeads: Table) {
    this.#table = feedHeads;
  }

  /** The frames of a pair's own course are told at both its venues. */
  marks({ event, account, venue, otherVenue }: UnnumberedEvent | EventEnvelope): FeedMark[] {
    const topics = topicsOf(event);
    const marks: FeedMark[] = topics.map((topic) => ({ topic, n: this.#next(account, topic, venue) }));
    if (otherVenue !== null && topics.includes('order')) {
      marks.push({ topic: 'order', n: this.#next(account, 'order', otherVenue), venue: otherVenue });
    }
    return marks;
  }

  putHeads(): void {
    for (const { key, n } of this.#heads.values()) this.#table.putSync(key, encodeNumber(n));
  }

  #next(account: AccountId, topic: AccountTopic, venue: Venue): number {
    return ++this.#head(account, topic, venue).n;
  }

  #head(account: AccountId, topic: AccountTopic, venue: Venue): FeedHead {
    const name = `${topic} ${venue} ${account}`;
    const known = this.#heads.get(name);
    if (known !== undefined) return known;
    const key = feedKey(account, topic, venue);
    const stored = this.#table.get(key);
    const head = { key, n: stored === undefined ? 0 : decodeNumber(stored) };
    this.#heads.set(name, head);
    return head;
  }
}
