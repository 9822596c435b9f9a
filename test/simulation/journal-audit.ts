import type { NumberedEvent } from '../../src/journal/port.js';
import { assert } from '../../src/domain/rejection.js';
import { isOrderEvent, type OrderEvent } from '../../src/domain/event.js';
import type { AccountId, OrderId } from '../../src/domain/ids.js';
import type { Instrument, InstrumentIndex } from '../../src/domain/instrument.js';
import type { ChildOrder } from '../../src/domain/order-state.js';
import type { ParentOrder } from '../../src/domain/order.js';
import type { VenueRequest } from '../../src/domain/venue-message.js';
import { decodeEvent } from '../../src/wire/codec/envelope.js';
import type { ClientBook } from './client-book.js';
import type { FeedLog } from './feed-log.js';
import type { FillLedger } from './fill-ledger.js';
import { CATALOGUE } from './listed.js';
import { isEnded, otherLegOf, OrderModel, type ModelOrder } from './order-model.js';
import { nameOf, textOf, type VenueTruth } from './venue-truth.js';
import { legAt } from '../../src/domain/pair.js';
import { leadingLeg } from '../../src/domain/order-legs.js';

export interface AuditParts {
  readonly fills: FillLedger;
  readonly feeds: FeedLog;
  readonly clients: ClientBook;
  readonly truth: VenueTruth;
}

/**
 * Reads the bytes of the growing journal and checks the invariants at every event. The numbers are those of the list of
 * invariants in the architecture. The audit has its own model of the orders.
 */
export class JournalAudit {
  readonly submitted = new Map<string, ChildOrder>();
  model: OrderModel;
  readonly kinds = new Set<OrderEvent['kind'] | 'BalanceChanged' | 'PositionChanged' | 'MarketObserved'>();
  readonly #parts: AuditParts;
  readonly #otherInstruments = new Map<OrderId, InstrumentIndex>();
  readonly #otherQuantityMax = new Map<OrderId, number>();
  readonly #quantityMax = new Map<OrderId, number>();
  #isRewinding = false;
  /** Latest events of accounts: on disk, and released by a thread. */
  readonly #durable = new Map<AccountId, number>();
  readonly #released = new Map<AccountId, number>();
  #lastSeq = 0;

  constructor(parts: AuditParts) {
    this.#parts = parts;
    this.model = this.#newModel();
  }

  #newModel(): OrderModel {
    return new OrderModel((orderId) => this.#parts.truth.isForged(orderId));
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

  /**
   * Starts again after a restore with the entries of the backup. Numbers of children and orders of a lost future stay
   * used, and the largest quantity of an order stays its bound.
   */
  rewind(entries: readonly NumberedEvent[]): void {
    const { feeds, fills } = this.#parts;
    this.model = this.#newModel();
    this.submitted.clear();
    this.#durable.clear();
    this.#released.clear();
    this.#lastSeq = 0;
    feeds.clear();
    fills.clear();
    this.#isRewinding = true;
    this.onTurn(null, entries);
    this.#isRewinding = false;
    for (const order of this.model.orders.values()) order.isOld = isEnded(order);
  }

  /** The largest quantity that an order or the hedging leg of a pair ever had, in lots, lost futures included. */
  quantityMaxOf(orderId: OrderId, ofOther = false): number {
    return (ofOther ? this.#otherQuantityMax : this.#quantityMax).get(orderId) ?? 0;
  }

  /** True for the instrument of the pair's leg that does not lead. */
  isOfOther(orderId: OrderId, instrument: InstrumentIndex): boolean {
    return this.#otherInstruments.get(orderId) === instrument;
  }

  /** Entries that are on disk now. `writer` is null for entries that a recovery has found. */
  onTurn(writer: { shard: number; shardCount: number } | null, turn: readonly NumberedEvent[]): void {
    for (const entry of turn) {
      const envelope = decodeEvent(entry.bytes);
      const { event, slot, seq, account } = envelope;
      this.#lastSeq += 1;
      this.#durable.set(account, seq);
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

  /** A thread releases an event: its answer may leave. */
  onReleased({ envelope: { account, seq } }: NumberedEvent): void {
    this.#released.set(account, Math.max(seq, this.#released.get(account) ?? 0));
  }

  /** A process starts, and knows every event on disk. */
  onStart(): void {
    for (const [account, seq] of this.#durable) this.#released.set(account, seq);
  }

  /** False: an event of the account is on disk, and no thread has released it or a later one. */
  isReleased(account: AccountId): boolean {
    return (this.#durable.get(account) ?? 0) <= (this.#released.get(account) ?? 0);
  }

  /** 3. No child without its journalled intent, and no client id is ever sent twice. */
  onSent(request: VenueRequest): void {
    if (!('orderId' in request)) return;
    const id = nameOf(request);
    const child = this.submitted.get(id);
    assert(child !== undefined, `${request.kind} of ${id} before its intent is on disk`);
    if (request.kind !== 'Submit') return;
    const { submissions } = this.#parts.truth;
    assert(!submissions.has(id), `child ${id} is sent once`);
    this.#parts.truth.onSubmit(request);
    const { quantity, limitPrice, side, type, timeInForce } = request;
    const isSame = child.quantity === quantity && child.limitPrice === limitPrice && child.side === side;
    assert(
      isSame && child.type === type && child.timeInForce === timeInForce,
      `child ${id} is sent as it was intended`,
    );
  }

  #onOrderEvent(order: ModelOrder, event: OrderEvent): void {
    if (event.kind === 'ParentCreated') this.#create(event.order);
    if (event.kind === 'ParentAmended') this.#noteQuantity(event.order);
    if (event.kind === 'ChildAdopted')
      this.submitted.set(nameOf({ orderId: order.created.orderId, child: event.order.child }), event.order);
    if (event.kind === 'ChildSubmitted') this.#submit(order, event.order);
    if (event.kind === 'ChildFilled') this.#fill(order, event);
  }

  #create(order: ParentOrder): void {
    if (!this.#isRewinding) {
      assert(!this.#quantityMax.has(order.orderId), `order id ${order.orderId} is given once`);
      const openCount = [...this.model.open.values()].filter(({ created }) => created.account === order.account).length;
      this.#parts.clients.onPlaced(order, openCount);
    }
    this.#noteQuantity(order);
  }

  #noteQuantity(order: ParentOrder): void {
    const { orderId } = order;
    const { quantity } = leadingLeg(order);
    this.#quantityMax.set(orderId, Math.max(quantity, this.quantityMaxOf(orderId)));
    const leg = otherLegOf(order);
    if (leg !== null) this.#otherInstruments.set(orderId, leg.instrument);
    const other = leg?.quantity ?? 0;
    this.#otherQuantityMax.set(orderId, Math.max(other, this.quantityMaxOf(orderId, true)));
  }

  #fill(
    { terms, children }: ModelOrder,
    { child, leg: index, fill }: Extract<OrderEvent, { kind: 'ChildFilled' }>,
  ): void {
    // A child of a lost future was placed by other terms.
    const isAdopted = children.get(child)?.isAdopted === true;
    const { fills, truth } = this.#parts;
    const { orderId } = terms;
    const leg = legAt(terms.legs, index);
    assert(truth.wasTold(orderId, child, fill), `fill ${textOf(fill)} of child ${orderId}-${child} was reported`);
    const isBound = !truth.isForged(orderId) && !isAdopted;
    fills.record(nameOf({ orderId, child }), fill, leg.side, isBound ? leg.limitPrice : null);
  }

  /** 4. Every child is on the instrument's grid. */
  #submit({ created }: ModelOrder, child: ChildOrder): void {
    const id = nameOf({ orderId: created.orderId, child: child.child });
    const { instrument } = legAt(created.legs, child.leg);
    const { quantityMin, quantityMax, notionalMin, filters }: Instrument = CATALOGUE.at(instrument);
    const { quantity, limitPrice, reduceOnly } = child;
    const isExempt = limitPrice === null || (reduceOnly && filters.isReducingExempt);
    assert(Number.isSafeInteger(quantity) && quantity >= quantityMin && quantity <= quantityMax, `${id}: quantity`);
    assert(isExempt || quantity * limitPrice >= notionalMin, `${id}: notional`);
    assert(!this.submitted.has(id), `child ${id} is new`);
    this.submitted.set(id, child);
  }
}
