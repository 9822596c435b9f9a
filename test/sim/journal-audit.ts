import { isDeepStrictEqual } from 'node:util';
import type { NumberedEvent } from '../../src/journal/port.js';
import { assert } from '../../src/model/assert.js';
import { isOrderEvent, type EventEnvelope, type OrderEvent } from '../../src/model/event.js';
import type { OrderId } from '../../src/model/ids.js';
import type { Instrument } from '../../src/model/instrument.js';
import { isTerminal, type ChildOrder, type ParentState } from '../../src/model/order.js';
import type { ChildRef, VenueRequest } from '../../src/model/venue-message.js';
import { foldEnvelope } from '../../src/order/evolve.js';
import { checkInvariants } from '../../src/order/invariants.js';
import { parentStanding } from '../../src/order/standing.js';
import { decodeEvent, encodeState } from '../../src/wire/codec/index.js';
import type { FillLedger } from './fill-ledger.js';
import { CATALOGUE } from './listed.js';

/**
 * Replays the journal as it grows, from its bytes alone, and checks at every event what must always hold. The numbers
 * are those of the list of invariants in the architecture.
 */
export class JournalAudit {
  readonly submitted = new Map<string, ChildOrder>();
  readonly #states = new Map<OrderId, ParentState>();
  readonly #sent = new Set<string>();
  readonly #feedHeads = new Map<string, number>();
  readonly #fills: FillLedger;
  #lastSeq = 0;

  constructor(fills: FillLedger) {
    this.#fills = fills;
  }

  get states(): ReadonlyMap<OrderId, ParentState> {
    return this.#states;
  }

  /** Client ids of the children that their orders count as working. */
  live(): string[] {
    return [...this.#states.values()].flatMap(({ order: { orderId }, children }) =>
      children.map(({ order: { child } }) => nameOf({ orderId, child })),
    );
  }

  /** One turn of a shard that is on disk now. */
  onTurn(
    writer: { shard: number; shardCount: number },
    turn: readonly NumberedEvent[],
    touched: readonly ParentState[],
  ) {
    const orders = new Set<OrderId>();
    for (const event of turn) {
      const envelope = decodeEvent(event.bytes);
      this.#lastSeq += 1;
      assert(envelope.seq === this.#lastSeq && envelope.causationSeq < envelope.seq, 'the journal has one order');
      // 7. One writer per order, and one recorder of an account's balances and positions.
      assert(
        envelope.slot % writer.shardCount === writer.shard,
        `shard ${writer.shard} writes to slot ${envelope.slot}`,
      );
      this.#checkMarks(event);
      if (isOrderEvent(envelope.event)) orders.add(this.#fold(envelope, envelope.event));
    }
    assert(touched.length === orders.size, 'a turn stores the states of the orders that it has events of');
    // 8. Replay gives byte-equal state.
    for (const state of touched) {
      const folded = this.#states.get(state.order.orderId);
      assert(folded !== undefined, `order ${state.order.orderId} was created`);
      const isEqual = Buffer.compare(encodeState(folded), encodeState(state)) === 0;
      assert(isEqual, `the stored state of order ${state.order.orderId} is the fold of its events`);
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

  #fold(envelope: EventEnvelope, event: OrderEvent): OrderId {
    const orderId = envelope.orderId as OrderId;
    const before = this.#states.get(orderId) ?? null;
    const after = foldEnvelope(before, envelope);
    // 2. Nothing exceeds the quantity; 4. children lie inside the limit.
    checkInvariants(after);
    if (before !== null && isTerminal(before.status)) {
      // 6. A terminal status absorbs.
      const isLateFill = event.kind === 'ChildFilled' && event.isLate && after.status === before.status;
      assert(isLateFill, `${event.kind} after the end of order ${orderId}`);
    }
    assert(isDeepStrictEqual(parentStanding(after), envelope.parent), 'the envelope tells where the order stands');
    if (event.kind === 'ChildSubmitted') this.#submit(after, event.order);
    if (event.kind === 'ChildFilled') this.#fills.record(after.order, event.child, event.fill);
    this.#states.set(orderId, after);
    return orderId;
  }

  /** 4. Every child lies on the instrument's grid. */
  #submit({ order }: ParentState, child: ChildOrder): void {
    const id = `${order.orderId}-${child.child}`;
    const { quantityMin, quantityMax, notionalMin }: Instrument = CATALOGUE.at(order.instrument);
    const { quantity, limitPrice } = child;
    assert(Number.isSafeInteger(quantity) && quantity >= quantityMin && quantity <= quantityMax, `${id}: quantity`);
    assert(limitPrice === null || quantity * limitPrice >= notionalMin, `${id}: notional`);
    assert(!this.submitted.has(id), `child ${id} is new`);
    this.submitted.set(id, child);
  }

  /** 9. Every feed has no gap and no repeat. */
  #checkMarks({ envelope: { account, venue }, marks }: NumberedEvent): void {
    for (const { topic, n, venue: at = venue } of marks) {
      const feed = `${account} ${topic} ${at}`;
      assert(n === (this.#feedHeads.get(feed) ?? 0) + 1, `frame ${n} follows in feed ${feed}`);
      this.#feedHeads.set(feed, n);
    }
  }
}

function nameOf({ orderId, child }: Pick<ChildRef, 'orderId' | 'child'>): string {
  return `${orderId}-${child}`;
}
