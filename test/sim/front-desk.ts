import type { Command, ShardMessage } from '../../src/model/command.js';
import { shardOf, type AccountId, type CorrelationId, type OrderId } from '../../src/model/ids.js';
import type { OrderChange } from '../../src/route/order-desk.js';
import type { ParentOrder } from '../../src/model/order.js';
import { decodeShardMessage, encodeCommand } from '../../src/wire/codec/index.js';
import { RingConsumer, RingProducer } from '../../src/wire/ring.js';
import type { FeedAudit } from './feed-audit.js';
import type { OrderBook } from './order-book.js';
import type { ShardRings } from './shared-memory.js';

const MESSAGES_PER_DRAIN_MAX = 256;

interface Pending {
  readonly kind: 'create' | 'cancel' | 'change';
  readonly shard: number;
  readonly orderId: OrderId;
}

interface Link {
  readonly commands: RingProducer;
  readonly events: RingConsumer;
  /** What every shard must hear, in order, as soon as there is room. */
  readonly links: boolean[];
}

/** The main thread of one process: sends commands, gives every command its answer, and watches what is published. */
export class FrontDesk {
  readonly #links: Link[];
  readonly #pending = new Map<CorrelationId, Pending>();
  readonly #orders: OrderBook;
  readonly #feeds: FeedAudit;
  #lastCorrelationId = 0;

  constructor(rings: readonly ShardRings[], orders: OrderBook, feeds: FeedAudit) {
    this.#orders = orders;
    this.#feeds = feeds;
    this.#links = rings.map(linkOf);
  }

  get pendingCount(): number {
    return this.#pending.size;
  }

  /** The shard of an order in this process. */
  shardOf(orderId: OrderId): number {
    return shardOf(orderId, this.#links.length);
  }

  create(order: ParentOrder): void {
    const command = { kind: 'CreateParent', correlationId: this.#nextId(), order } as const;
    const pending: Pending = { kind: 'create', shard: this.shardOf(order.orderId), orderId: order.orderId };
    if (this.#send(pending, command)) return;
    this.#orders.refused(order.orderId);
  }

  cancel(account: AccountId, orderId: OrderId): void {
    const command = { kind: 'CancelParent', correlationId: this.#nextId(), account, orderId } as const;
    this.#send({ kind: 'cancel', shard: this.shardOf(orderId), orderId }, command);
  }

  /** What else may be asked of an open order; whether it was done is the order's own story. */
  change(change: OrderChange): void {
    const { orderId } = change.kind === 'AmendParent' ? change.order : change;
    this.#send({ kind: 'change', shard: this.shardOf(orderId), orderId }, { ...change, correlationId: this.#nextId() });
  }

  /** Tells every shard that the venue went or came back. */
  tellVenueLink(isUp: boolean): void {
    for (const { links } of this.#links) links.push(isUp);
  }

  turn(): void {
    this.#links.forEach((link, shard) => {
      link.events.drain(MESSAGES_PER_DRAIN_MAX, (bytes) => this.#onMessage(shard, decodeShardMessage(bytes)));
      while (link.links.length > 0 && this.#post(link, link.links[0] as boolean)) link.links.shift();
    });
  }

  /** The shard's thread has died: what became of its commands is read from the journal. */
  onShardDown(shard: number, rings: ShardRings, isVenueUp: boolean): void {
    const link = linkOf(rings);
    this.#links[shard] = link;
    if (!isVenueUp) link.links.push(false);
    for (const [correlationId, pending] of this.#pending) {
      if (pending.shard !== shard) continue;
      this.#pending.delete(correlationId);
      if (pending.kind === 'create') this.#orders.settle(pending.orderId);
    }
    this.#feeds.onShardDown(shard);
  }

  #onMessage(shard: number, message: ShardMessage): void {
    switch (message.kind) {
      case 'Published':
        if (message.envelope !== null) this.#feeds.onPublished(shard, message.envelope, message.marks);
        return this.#answer(message.correlationId, true);
      case 'Refused':
        return this.#answer(message.correlationId, false);
      case 'Unchanged':
        return this.#answer(message.correlationId, true);
      case 'Missed':
        this.#feeds.onMissed(shard);
        return this.#settleFromJournal(shard);
      default:
        return message satisfies never;
    }
  }

  #answer(correlationId: CorrelationId, isDone: boolean): void {
    const pending = this.#pending.get(correlationId);
    if (pending === undefined) return;
    this.#pending.delete(correlationId);
    if (pending.kind !== 'create') return;
    if (isDone) this.#orders.acknowledged(pending.orderId);
    else this.#orders.refused(pending.orderId);
  }

  /** Answers may be among what was left out: the journal says what became of most. */
  #settleFromJournal(shard: number): void {
    for (const [correlationId, { kind, shard: asked, orderId }] of this.#pending) {
      if (asked !== shard) continue;
      // Whether a change was made is the order's own story.
      const isDone = kind === 'create' ? this.#orders.isStored(orderId) : this.#orders.isEnding(orderId);
      if (isDone || kind === 'change') {
        this.#answer(correlationId, true);
      }
    }
  }

  #send(pending: Pending, command: Command): boolean {
    const link = this.#links[pending.shard] as Link;
    if (link.commands.tryWrite(encodeCommand(command)) !== 'written') return false;
    this.#pending.set(command.correlationId, pending);
    return true;
  }

  #post(link: Link, isUp: boolean): boolean {
    const command = { kind: 'VenueLink', correlationId: this.#nextId(), isUp } as const;
    return link.commands.tryWrite(encodeCommand(command)) === 'written';
  }

  #nextId(): CorrelationId {
    this.#lastCorrelationId += 1;
    return this.#lastCorrelationId as CorrelationId;
  }
}

function linkOf({ commands, events }: ShardRings): Link {
  return { commands: new RingProducer(commands), events: new RingConsumer(events), links: [] };
}
