import type { FeedFrame, StateReader } from '../../src/journal/port.js';
import type { EventEnvelope } from '../../src/model/event.js';
import type { Venue } from '../../src/model/exchange.js';
import type { AccountTopic } from '../../src/model/feed.js';
import type { AccountId } from '../../src/model/ids.js';

/** A journal's feeds in memory. */
export class MemoryReader implements StateReader {
  readonly #feeds = new Map<string, FeedFrame[]>();
  /** Frames read so far, of all feeds. */
  readCount = 0;

  /** Makes the next frame of a feed durable; its number. */
  append(account: AccountId, topic: AccountTopic, venue: Venue, envelope: EventEnvelope): number {
    const frames = this.#framesOf(account, topic, venue);
    const n = (frames.at(-1)?.n ?? 0) + 1;
    frames.push({ n, envelope });
    return n;
  }

  /** Forgets the frames before n, as retention does. */
  forgetBefore(account: AccountId, topic: AccountTopic, venue: Venue, n: number): void {
    const frames = this.#framesOf(account, topic, venue);
    while (frames[0] !== undefined && frames[0].n < n && frames.length > 1) frames.shift();
  }

  /** An event that was published is not stored yet. */
  isBehind = false;

  refresh(): boolean {
    return !this.isBehind;
  }

  feedHead(account: AccountId, topic: AccountTopic, venue: Venue): number {
    return this.#framesOf(account, topic, venue).at(-1)?.n ?? 0;
  }

  feedTail(account: AccountId, topic: AccountTopic, venue: Venue): number {
    return this.#framesOf(account, topic, venue)[0]?.n ?? 1;
  }

  feed(account: AccountId, topic: AccountTopic, venue: Venue, after: number, limit: number): FeedFrame[] {
    const frames = this.#framesOf(account, topic, venue);
    const first = Math.max(0, after + 1 - (frames[0]?.n ?? 1));
    const read = frames.slice(first, first + limit);
    this.readCount += read.length;
    return read;
  }

  order(): never {
    throw new Error('the streams do not read this');
  }
  openOrders(): never {
    return this.order();
  }
  accountsWithOpenOrders(): never {
    return this.order();
  }
  byClientOrderId(): never {
    return this.order();
  }
  find(): never {
    return this.order();
  }
  trades(): never {
    return this.order();
  }
  events(): never {
    return this.order();
  }
  openOrderIds(): never {
    return this.order();
  }
  findIds(): never {
    return this.order();
  }
  tradeIndex(): never {
    return this.order();
  }
  event(): never {
    return this.order();
  }
  eventCount(): never {
    return this.order();
  }
  formerTerms(): never {
    return this.order();
  }
  lastSeq(): never {
    return this.order();
  }

  #framesOf(account: AccountId, topic: AccountTopic, venue: Venue): FeedFrame[] {
    const key = `${account}|${topic}|${venue}`;
    let frames = this.#feeds.get(key);
    if (frames === undefined) this.#feeds.set(key, (frames = []));
    return frames;
  }
}
