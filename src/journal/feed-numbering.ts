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

  marks({ event, account, venue }: UnnumberedEvent | EventEnvelope): FeedMark[] {
    return topicsOf(event).map((topic) => ({ topic, n: ++this.#head(account, topic, venue).n }));
  }

  putHeads(): void {
    for (const { key, n } of this.#heads.values()) this.#table.putSync(key, encodeNumber(n));
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
