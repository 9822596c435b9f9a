import type { Side } from '../../domain/order.js';
import type { Lots, Ticks } from '../../domain/quantity.js';

/**
 * One order and its place in the book. The caller owns it and may extend the class; the book references it only while
 * it rests. Only the book changes price and leaves.
 */
export class BookOrder {
  readonly id: number;
  readonly participant: number;
  readonly side: Side;
  price: Ticks;
  /** Lots still to trade. A cancelled or expired order keeps its last value. */
  leaves: Lots;

  /** Set by the book only: the order's level and its neighbours there, towards the front and the rear. */
  level: PriceLevel | null = null;
  ahead: BookOrder | null = null;
  behind: BookOrder | null = null;

  constructor({ id, participant, side, price, leaves }: BookOrderTerms) {
    this.id = id;
    this.participant = participant;
    this.side = side;
    this.price = price;
    this.leaves = leaves;
  }

  get isResting(): boolean {
    return this.level !== null;
  }
}

/** Participant of the background orders. Self-trade prevention does not apply to it. */
export const BACKGROUND = 0;

/** Price of a market order without a price bound. */
export const ANY_PRICE = 0 as Ticks;

/** Fields of a new order. */
export interface BookOrderTerms {
  readonly id: number;
  /** 0 for the background; any other integer takes part in self-trade prevention. */
  readonly participant: number;
  readonly side: Side;
  /** Above 0: the limit, or the worst price of a market order. Only a market order may have ANY_PRICE. */
  readonly price: Ticks;
  /** Lots to trade, above 0. */
  readonly leaves: Lots;
}

/** GTC rests with its leaves, IOC expires with them, FOK fills completely at once or is refused. */
export type BookTimeInForce = 'GTC' | 'IOC' | 'FOK';

/**
 * Result of an order. RESTING: in the book with its leaves. FILLED: no leaves. EXPIRED: the rest of an IOC or market
 * order, or an end by self-trade prevention. WOULD_CROSS (post-only) and NOT_FILLABLE (FOK): refused without any
 * change.
 */
export type SubmitResult = 'RESTING' | 'FILLED' | 'EXPIRED' | 'WOULD_CROSS' | 'NOT_FILLABLE';

/**
 * Result of matching a taker with one maker. PREVENTED: self-trade prevention applied and the taker continues. ENDED:
 * it ended the taker. OUT_OF_REACH: no maker at an acceptable price.
 */
export type MatchOutcome = 'TRADED' | 'PREVENTED' | 'ENDED' | 'OUT_OF_REACH';

/** The last acceptable price of a taker. */
export function worstPrice(takerSide: Side, price: Ticks): Ticks {
  return price === ANY_PRICE && takerSide === 'BUY' ? (Number.MAX_SAFE_INTEGER as Ticks) : price;
}

/**
 * The orders at one price of one side, in order of arrival:
 *
 *     front ─▶ order ⇄ order ⇄ order ◀─ rear: new arrivals
 *
 * The links are in the orders, so a removal needs no search.
 */
export class PriceLevel {
  price = 0 as Ticks;
  /** Sum of the leaves. */
  quantity = 0 as Lots;
  front: BookOrder | null = null;
  rear: BookOrder | null = null;

  get isEmpty(): boolean {
    return this.front === null;
  }

  enqueue(order: BookOrder): void {
    const rear = this.rear;
    order.level = this;
    order.ahead = rear;
    if (rear === null) this.front = order;
    else rear.behind = order;
    this.rear = order;
    this.quantity = (this.quantity + order.leaves) as Lots;
  }

  /** Removes an order of this level with its current leaves. */
  remove(order: BookOrder): void {
    const { ahead, behind } = order;
    if (ahead === null) this.front = behind;
    else ahead.behind = behind;
    if (behind === null) this.rear = ahead;
    else behind.ahead = ahead;
    order.level = null;
    // Clears the links: an owner may keep a finished order, which must not keep its former neighbours in memory.
    order.ahead = null;
    order.behind = null;
    this.quantity = (this.quantity - order.leaves) as Lots;
  }

  /** Removes lots from an order of this level; the order stays, even with no leaves. */
  reduce(order: BookOrder, lots: Lots): void {
    order.leaves = (order.leaves - lots) as Lots;
    this.quantity = (this.quantity - lots) as Lots;
  }
}
