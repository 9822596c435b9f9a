import type { FeedFrame, ReadProgress, StateReader, StateSnapshot } from '../../src/journal/port.js';
import type { AccountTopic, EventEnvelope, FeedKey } from '../../src/domain/event.js';
import type { Venue } from '../../src/domain/exchange.js';
import type { AccountId, OrderId, Seq } from '../../src/domain/ids.js';
import type { ParentState } from '../../src/domain/order-state.js';
import { isTerminal, type ParentOrder } from '../../src/domain/order.js';
import { HeldReads } from '../journal/held-reads.js';
import { PARENT } from './sample-events.js';

/** The feeds of a journal and the events of its orders, in memory. */
export class MemoryReader implements StateReader, StateSnapshot {
  readonly #feeds = new Map<string, FeedFrame[]>();
  readonly #eventsByOrder = new Map<OrderId, EventEnvelope[]>();
  #lastSeq: Seq | 0 = 0;
  /** Iterations over ids of open orders that are not closed, and the most at once. */
  heldCount = 0;
  heldMost = 0;
  /** Number of frames read, of all feeds. */
  readCount = 0;

  /** Makes the next frame of a feed durable. Returns its number. */
  append(account: AccountId, topic: AccountTopic, venue: Venue, envelope: EventEnvelope): number {
    const frames = this.#framesOf({ account, topic, venue });
    const n = (frames.at(-1)?.n ?? 0) + 1;
    frames.push({ n, envelope });
    this.#note(envelope);
    return n;
  }

  /** Forgets the frames before n, as retention does. */
  forgetBefore(account: AccountId, topic: AccountTopic, venue: Venue, n: number): void {
    const frames = this.#framesOf({ account, topic, venue });
    while (frames[0] !== undefined && frames[0].n < n && frames.length > 1) frames.shift();
  }

  /** True while a published event is not stored. */
  isBehind = false;

  /** The largest head of a feed that it shows. */
  headMax = Number.POSITIVE_INFINITY;

  /** The last number of each feed whose frame `feed` returns. */
  shownMax = Number.POSITIVE_INFINITY;

  complete(): this | null {
    return this.isBehind ? null : this;
  }

  latest(): this {
    return this;
  }

  recent(): this {
    return this;
  }

  renewed(): this {
    return this;
  }

  get durableSeq(): number {
    return this.progress().durableSeq;
  }

  /** What it shows while it is behind. */
  shown: ReadProgress = { shownSeq: 0, durableSeq: 1 };

  progress(): ReadProgress {
    return this.isBehind ? this.shown : { shownSeq: 1, durableSeq: 1 };
  }

  readonly reads = new HeldReads(this);
  readonly whenComplete = this.reads.when;

  feedHead(feed: FeedKey): number {
    return Math.min(this.headMax, this.#framesOf(feed).at(-1)?.n ?? 0);
  }

  feedTail(feed: FeedKey): number {
    return this.#framesOf(feed)[0]?.n ?? 1;
  }

  feed(feed: FeedKey, after: number, limit: number): FeedFrame[] {
    const frames = this.#framesOf(feed);
    const first = Math.max(0, after + 1 - (frames[0]?.n ?? 1));
    const read = frames.slice(first, first + limit).filter(({ n }) => n <= this.shownMax);
    this.readCount += read.length;
    return read;
  }

  /** This reader has no orders: the owner of the feeds provides them. */
  storedOrder: (orderId: OrderId) => ParentOrder | null = () => PARENT;

  /** Only the terms. */
  order(orderId: OrderId): ParentState | null {
    const order = this.storedOrder(orderId);
    return order === null ? null : ({ order } as ParentState);
  }

  openOrders(): never {
    return unread();
  }
  accountsWithOpenOrders(): never {
    return unread();
  }
  byClientOrderId(): never {
    return unread();
  }
  find(): never {
    return unread();
  }
  trades(): never {
    return unread();
  }
  events(): never {
    return unread();
  }
  findIds(): never {
    return unread();
  }
  tradeIndex(): never {
    return unread();
  }
  event(): never {
    return unread();
  }
  eventCount(): never {
    return unread();
  }
  formerTerms(): never {
    return unread();
  }

  *openOrderIds(account: AccountId, partKeys: number): Iterable<readonly OrderId[]> {
    this.heldCount += 1;
    this.heldMost = Math.max(this.heldMost, this.heldCount);
    try {
      const open = [...this.#eventsByOrder].flatMap(([orderId, events]) => {
        const { account: owner, parent } = events.at(-1)!;
        return owner !== account || parent === null || isTerminal(parent.status) ? [] : orderId;
      });
      for (let first = 0; first === 0 || first < open.length; first += partKeys) {
        yield open.slice(first, first + partKeys);
      }
    } finally {
      this.heldCount -= 1;
    }
  }

  lastEvent(orderId: OrderId, through: Seq | 0): EventEnvelope | null {
    return this.#eventsByOrder.get(orderId)?.findLast(({ seq }) => seq <= through) ?? null;
  }

  lastSeq(): Seq | 0 {
    return this.#lastSeq;
  }

  #note(envelope: EventEnvelope): void {
    const { orderId, seq } = envelope;
    if (orderId === null) return;
    this.#lastSeq = seq;
    const events = this.#eventsByOrder.get(orderId) ?? [];
    events.push(envelope);
    this.#eventsByOrder.set(orderId, events);
  }

  #framesOf({ account, topic, venue }: FeedKey): FeedFrame[] {
    const key = `${account}|${topic}|${venue}`;
    let frames = this.#feeds.get(key);
    if (frames === undefined) this.#feeds.set(key, (frames = []));
    return frames;
  }
}

function unread(): never {
  throw new Error('the streams must not read this');
}
