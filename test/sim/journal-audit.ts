import type { NumberedEvent } from '../../src/journal/port.js';
import { assert } from '../../src/model/assert.js';
import { isOrderEvent, type OrderEvent } from '../../src/model/event.js';
import type { OrderId } from '../../src/model/ids.js';
import type { Instrument } from '../../src/model/instrument.js';
import type { ChildOrder } from '../../src/model/order.js';
import type { ChildRef, VenueRequest } from '../../src/model/venue-message.js';
import { decodeEvent } from '../../src/wire/codec/index.js';
import type { ClientBook } from './client-book.js';
import type { FeedLog } from './feed-log.js';
import type { FillLedger } from './fill-ledger.js';
import { CATALOGUE } from './listed.js';
import { OrderModel, type ModelOrder } from './order-model.js';

export interface AuditParts {
  readonly fills: FillLedger;
  readonly feeds: FeedLog;
  readonly clients: ClientBook;
}

/**
 * Follows the journal as it grows, from its bytes alone, and checks at every event what must always hold. The numbers
 * are those of the list of invariants in the architecture. Where orders stand is found by the audit's own model.
 */
export class JournalAudit {
  readonly submitted = new Map<string, ChildOrder>();
  readonly model = new OrderModel();
  readonly kinds = new Set<OrderEvent['kind'] | 'BalanceChanged' | 'PositionChanged' | 'MarketObserved'>();
  readonly #sent = new Set<string>();
  readonly #parts: AuditParts;
  #lastSeq = 0;

  constructor(parts: AuditParts) {
    this.#parts = parts;
  }

  get orders(): ReadonlyMap<OrderId, ModelOrder> {
    return this.model.orders;
  }

  /** Client ids of the children that their orders count as working. */
  live(): string[] {
    const ids: string[] = [];
    for (const [orderId, { children }] of this.model.orders) {
      for (const [child, { isLive }] of children) if (isLive) ids.push(nameOf({ orderId, child }));
    }
    return ids;
  }

  /** Entries that are on disk now; `writer` is null for what a recovery has found. */
  onTurn(writer: { shard: number; shardCount: number } | null, turn: readonly NumberedEvent[]): void {
    for (const entry of turn) {
      const envelope = decodeEvent(entry.bytes);
      const { event, slot, seq } = envelope;
      this.#lastSeq += 1;
      assert(seq === this.#lastSeq && envelope.causationSeq < seq, 'the journal has one order');
      // 7. One writer per order, and one recorder of an account's balances and positions.
      const isOwn = writer === null || slot % writer.shardCount === writer.shard;
      assert(isOwn, `shard ${writer?.shard} writes to slot ${slot}`);
      this.kinds.add(event.kind);
      const order = isOrderEvent(event) ? this.model.apply(envelope, event) : null;
      if (order !== null && isOrderEvent(event)) this.#onOrderEvent(order, event);
      this.#parts.feeds.record(entry, order);
    }
  }

  /** 3. No child without its journalled intent, and no client id is ever sent twice. */
  onSent(request: VenueRequest): void {
    if (!('orderId' in request)) return;
    const id = nameOf(request);
    const child = this.submitted.get(id);
    assert(child !== undefined, `${request.kind} of ${id} before its intent is on disk`);
    if (request.kind !== 'Submit') return;
    assert(!this.#sent.has(id), `child ${id} is sent once`);
    this.#sent.add(id);
    const { quantity, limitPrice, side, type, timeInForce } = request;
    const isSame = child.quantity === quantity && child.limitPrice === limitPrice && child.side === side;
    assert(
      isSame && child.type === type && child.timeInForce === timeInForce,
      `child ${id} is sent as it was intended`,
    );
  }

  #onOrderEvent(order: ModelOrder, event: OrderEvent): void {
    const { fills, clients } = this.#parts;
    if (event.kind === 'ParentCreated') clients.onPlaced(event.order);
    if (event.kind === 'ChildSubmitted') this.#submit(order, event.order);
    if (event.kind === 'ChildFilled') fills.record(order.terms, event.child, event.fill);
  }

  /** 4. Every child lies on the instrument's grid. */
  #submit({ created }: ModelOrder, child: ChildOrder): void {
    const id = nameOf({ orderId: created.orderId, child: child.child });
    const { quantityMin, quantityMax, notionalMin }: Instrument = CATALOGUE.at(created.instrument);
    const { quantity, limitPrice } = child;
    assert(Number.isSafeInteger(quantity) && quantity >= quantityMin && quantity <= quantityMax, `${id}: quantity`);
    assert(limitPrice === null || quantity * limitPrice >= notionalMin, `${id}: notional`);
    assert(!this.submitted.has(id), `child ${id} is new`);
    this.submitted.set(id, child);
  }
}

function nameOf({ orderId, child }: { orderId: number; child: number } | Pick<ChildRef, 'orderId' | 'child'>): string {
  return `${orderId}-${child}`;
}
