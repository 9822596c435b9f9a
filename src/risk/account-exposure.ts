import { type Amount, type Lots, ZERO_AMOUNT } from '../domain/quantity.js';
import { isOrderEvent, type EventEnvelope, type OrderSnapshot } from '../domain/event.js';
import type { OrderId, Seq } from '../domain/ids.js';
import { RISK_LIMIT_AMENDMENTS_PER_ORDER_MAX } from '../domain/limits/trading.js';
import { NumberMap } from '../domain/number-map.js';
import { isTerminal, type ParentOrder } from '../domain/order.js';
import { mapLegs } from '../domain/pair.js';
import type { Rejection } from '../domain/rejection.js';
import { type ReservedExposure, type Filled, NOTHING_FILLED, reservedWorth, worthOfLots } from './order-worth.js';
import { OwnQuotes } from './self-cross.js';

interface OpenOrder {
  reserved: ReservedExposure;
  /** Terms of the pending amendments, oldest first. All terms count until they are in effect or refused. */
  amendments: readonly ReservedExposure[];
  filled: Filled;
  /** The order's share of the sum. */
  worth: Amount;
  /** Events up to this one are included in the initial values. */
  readonly asOfSeq: Seq | 0;
}

/**
 * Whether the exposure is complete after an event. 'incomplete': the event is of an order or of terms that it lacks.
 */
export type ExposureEffect = 'applied' | 'incomplete';

/**
 * The open orders of one account as its risk limits count them, including commands without an answer. Events carry the
 * state of an order and not the change, so a repeated or late event does no harm.
 */
export class AccountExposure {
  readonly quotes = new OwnQuotes();
  readonly #asOfSeq: Seq | 0;
  readonly #orders = new NumberMap<OrderId, OpenOrder>();
  /** Orders that had ended when they were read, and the last event before the read. */
  readonly #ended = new Map<OrderId, Seq | 0>();
  #worth = ZERO_AMOUNT;
  #futuresFilled = ZERO_AMOUNT;

  /** `asOfSeq`: the last event that is included in the initial values. */
  constructor(asOfSeq: Seq | 0) {
    this.#asOfSeq = asOfSeq;
  }

  get openOrderCount(): number {
    return this.#orders.size;
  }

  /** Worth of the leaves of all open orders, in USD. */
  get openWorth(): Amount {
    return this.#worth;
  }

  /** Worth of all futures fills of open orders, in USD. It only grows. Positions may have grown by its increase. */
  get futuresFilled(): Amount {
    return this.#futuresFilled;
  }

  /** True for an open order, and for one that had ended when it was read. */
  has(orderId: OrderId): boolean {
    return this.#orders.has(orderId) || this.#ended.has(orderId);
  }

  /** `asOfSeq`: events of the order up to this one are included in the arguments. */
  add(reserved: ReservedExposure, filled = NOTHING_FILLED, asOfSeq: Seq | 0 = 0): void {
    const { orderId } = reserved.order;
    this.remove(orderId);
    this.#orders.set(orderId, { reserved, amendments: [], filled, worth: ZERO_AMOUNT, asOfSeq });
    this.#quote(reserved, true);
    this.#value(this.#orders.get(orderId) as OpenOrder);
  }

  /** The order had ended by this event. Its events up to there change nothing when they arrive later. */
  markEnded(orderId: OrderId, asOfSeq: Seq | 0): void {
    this.remove(orderId);
    this.#ended.set(orderId, asOfSeq);
  }

  /** Refuses a further amendment of an order that has too many pending ones. */
  refusalOfAmendment(orderId: OrderId): Rejection | null {
    const count = this.#orders.get(orderId)?.amendments.length ?? 0;
    if (count < RISK_LIMIT_AMENDMENTS_PER_ORDER_MAX) return null;
    const message = `order_id ${orderId} has ${count} amendments that are not decided; repeat the request later`;
    return { code: 'SYSTEM_BUSY', message };
  }

  /** Adds the terms of a pending amendment. The shard takes no terms of a revision that is in effect. */
  addAmendment(reserved: ReservedExposure): void {
    const found = this.#orders.get(reserved.order.orderId);
    if (found === undefined || reserved.order.revision <= found.reserved.order.revision) return;
    found.amendments = [...found.amendments, reserved];
    this.#quote(reserved, true);
    this.#value(found);
  }

  /** The shard has taken the terms. It decides in order, so it takes no earlier terms of the same revision. */
  acceptAmendment(terms: ParentOrder): void {
    const found = this.#orders.get(terms.orderId);
    const place = found?.amendments.findIndex(({ order }) => order === terms) ?? -1;
    if (found === undefined || place <= 0) return;
    this.#keep(found, ({ order }, index) => index >= place || order.revision !== terms.revision);
    this.#value(found);
  }

  /** Removes the terms of a refused amendment. Other amendments may have the same revision. */
  dropAmendment(terms: ParentOrder): void {
    const found = this.#orders.get(terms.orderId);
    if (found === undefined) return;
    this.#keep(found, ({ order }) => order !== terms);
    this.#value(found);
  }

  remove(orderId: OrderId): void {
    const found = this.#orders.get(orderId);
    if (found === undefined) return;
    this.#keep(found, () => false);
    this.#quote(found.reserved, false);
    this.#worth = (this.#worth - found.worth) as Amount;
    this.#orders.delete(orderId);
  }

  onEvent({ seq, orderId, event, parent }: EventEnvelope): ExposureEffect {
    if (!isOrderEvent(event) || orderId === null || parent === null || seq <= this.#asOfSeq) return 'applied';
    const found = this.#orders.get(orderId);
    if (seq <= (found?.asOfSeq ?? this.#ended.get(orderId) ?? 0)) return 'applied';
    // A late fill of an ended order changes a position, and the exposure has no order to count it for.
    if (found === undefined)
      return isTerminal(parent.status) && event.kind !== 'ChildFilled' ? 'applied' : 'incomplete';
    if (event.kind === 'ParentAmendRequested' || event.kind === 'ParentAmended') {
      const terms = termsOf(found, event.order);
      // The terms were decided while the orders were read, after their order and before the pending commands.
      if (terms === undefined) return 'incomplete';
      if (event.kind === 'ParentAmended') this.#amend(found, { ...terms, order: event.order });
    }
    this.#applyFills(found, parent);
    if (isTerminal(parent.status)) this.remove(orderId);
    return 'applied';
  }

  #amend(found: OpenOrder, inEffect: ReservedExposure): void {
    // Terms of a later revision can be sent before this event arrives.
    this.#keep(found, ({ order }) => order.revision > inEffect.order.revision);
    this.#quote(found.reserved, false);
    found.reserved = inEffect;
    this.#quote(inEffect, true);
  }

  #applyFills(found: OpenOrder, { legs }: OrderSnapshot): void {
    const { order, lotWorths } = found.reserved;
    const now = mapLegs(legs, ({ filled }) => filled);
    for (const [index, leg] of order.legs.entries()) {
      const more = now[index]! - found.filled[index]!;
      if (more <= 0 || leg.assetCategory !== 'FUTURE' || order.reduceOnly) continue;
      const worth = worthOfLots(more as Lots, lotWorths[index] as Amount);
      this.#futuresFilled = (this.#futuresFilled + worth) as Amount;
    }
    found.filled = now;
    this.#value(found);
  }

  /** Removes the pending amendments that are not to be kept. */
  #keep(found: OpenOrder, isKept: (amendment: ReservedExposure, index: number) => boolean): void {
    const { amendments } = found;
    found.amendments = amendments.filter(isKept);
    for (const amendment of amendments) if (!found.amendments.includes(amendment)) this.#quote(amendment, false);
  }

  #quote({ order }: ReservedExposure, isOpen: boolean): void {
    for (const leg of order.legs) {
      if (isOpen) this.quotes.add(order.orderId, leg);
      else this.quotes.remove(order.orderId, leg);
    }
  }

  #value(found: OpenOrder): void {
    const { reserved, amendments, filled } = found;
    let worth = reservedWorth(reserved, filled);
    for (const amendment of amendments) {
      const amended = reservedWorth(amendment, filled);
      if (amended > worth) worth = amended;
    }
    this.#worth = (this.#worth - found.worth + worth) as Amount;
    found.worth = worth;
  }
}

/**
 * The pending terms that an event shows. Refused ones are removed before it, so the first of its revision are taken.
 */
function termsOf({ amendments }: OpenOrder, { revision }: ParentOrder): ReservedExposure | undefined {
  return amendments.find(({ order }) => order.revision === revision);
}
