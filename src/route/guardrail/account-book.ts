import { ZERO_AMOUNT, type Amount } from '../../model/amount.js';
import { isOrderEvent, type EventEnvelope, type ParentStanding } from '../../model/event.js';
import type { OrderId, Seq } from '../../model/ids.js';
import { isTerminal, type ParentOrder } from '../../model/order.js';
import { ZERO_LOTS, type Lots } from '../../model/quantity.js';
import { NOTHING_FILLED, partFilled, worthOfClaim, type Claim, type Filled } from './claim.js';
import { partsOf, worthOfLots } from './order-worth.js';
import { OwnQuotes } from './own-quotes.js';

interface OpenOrder {
  claim: Claim;
  /** New terms that may come to hold: both count until one of them is out of the question. */
  wanted: Claim | null;
  filled: Filled;
  /** As it stands in the sum. */
  worth: Amount;
  /** Events up to here are in what the book was given. */
  readonly asOfSeq: Seq | 0;
}

/** Whether the book is still right after an event: it knew the order, or the order is one it should have known. */
export type BookEffect = 'taken' | 'behind';

/**
 * The open orders of one account as its guardrails count them: those that are on their way into the journal too. Events
 * tell where an order stands, not what has changed, so that one told twice, or late, does no harm.
 */
export class AccountBook {
  readonly quotes = new OwnQuotes();
  readonly #asOfSeq: Seq | 0;
  readonly #orders = new Map<OrderId, OpenOrder>();
  /** Orders that had ended when they were read, and the last event by then. */
  readonly #passed = new Map<OrderId, Seq | 0>();
  #worth = ZERO_AMOUNT;
  #futuresFilled = ZERO_AMOUNT;

  /** `asOfSeq`: the last event that is in what the book is begun with. */
  constructor(asOfSeq: Seq | 0) {
    this.#asOfSeq = asOfSeq;
  }

  get openOrderCount(): number {
    return this.#orders.size;
  }

  /** Of all that is left to trade, in USD. */
  get openWorth(): Amount {
    return this.#worth;
  }

  /** What open orders have filled in futures, in USD: grows for ever. What it grew by since, positions may have grown by. */
  get futuresFilled(): Amount {
    return this.#futuresFilled;
  }

  /** True for an open order, and for one that was passed over. */
  knows(orderId: OrderId): boolean {
    return this.#orders.has(orderId) || this.#passed.has(orderId);
  }

  /** `asOfSeq`: events of the order up to here are in what is given. */
  add(claim: Claim, filled = NOTHING_FILLED, asOfSeq: Seq | 0 = 0): void {
    const { orderId } = claim.order;
    this.remove(orderId);
    this.#orders.set(orderId, { claim, wanted: null, filled, worth: ZERO_AMOUNT, asOfSeq });
    this.#quote(claim, true);
    this.#value(this.#orders.get(orderId) as OpenOrder);
  }

  /** The order had ended by this event: events of it up to there that come later tell nothing new. */
  passOver(orderId: OrderId, asOfSeq: Seq | 0): void {
    this.#passed.set(orderId, asOfSeq);
  }

  /** New terms of an open order are on their way. */
  want(claim: Claim): void {
    const found = this.#orders.get(claim.order.orderId);
    if (found === undefined) return;
    this.#drop(found);
    found.wanted = claim;
    this.#quote(claim, true);
    this.#value(found);
  }

  /** They were refused. */
  unwant({ orderId, revision }: ParentOrder): void {
    const found = this.#orders.get(orderId);
    if (found?.wanted?.order.revision !== revision) return;
    this.#drop(found);
    this.#value(found);
  }

  remove(orderId: OrderId): void {
    const found = this.#orders.get(orderId);
    if (found === undefined) return;
    this.#drop(found);
    this.#quote(found.claim, false);
    this.#worth = (this.#worth - found.worth) as Amount;
    this.#orders.delete(orderId);
  }

  onEvent({ seq, orderId, event, parent }: EventEnvelope): BookEffect {
    if (!isOrderEvent(event) || orderId === null || parent === null || seq <= this.#asOfSeq) return 'taken';
    const found = this.#orders.get(orderId);
    if (seq <= (found?.asOfSeq ?? this.#passed.get(orderId) ?? 0)) return 'taken';
    // A late fill of an order that is over moves a position that nobody expected to move.
    if (found === undefined) return isTerminal(parent.status) && event.kind !== 'ChildFilled' ? 'taken' : 'behind';
    if (event.kind === 'ParentAmended') this.#amend(found, event.order);
    this.#stand(found, parent);
    if (isTerminal(parent.status)) this.remove(orderId);
    return 'taken';
  }

  #amend(found: OpenOrder, order: ParentOrder): void {
    const { lotWorths } = found.wanted ?? found.claim;
    this.#drop(found);
    this.#quote(found.claim, false);
    found.claim = { order, lotWorths };
    this.#quote(found.claim, true);
  }

  #stand(found: OpenOrder, { filled, follower }: ParentStanding): void {
    const { order, lotWorths } = found.claim;
    const now = { leading: filled, follower: follower?.filled ?? ZERO_LOTS };
    for (const [index, part] of partsOf(order).entries()) {
      const more = partFilled(order, index, now) - partFilled(order, index, found.filled);
      if (more <= 0 || part.assetCategory !== 'FUTURE' || order.reduceOnly) continue;
      const worth = worthOfLots(more as Lots, lotWorths[index] as Amount);
      this.#futuresFilled = (this.#futuresFilled + worth) as Amount;
    }
    found.filled = now;
    this.#value(found);
  }

  #drop(found: OpenOrder): void {
    if (found.wanted !== null) this.#quote(found.wanted, false);
    found.wanted = null;
  }

  #quote({ order }: Claim, isOpen: boolean): void {
    for (const part of partsOf(order)) {
      if (isOpen) this.quotes.add(order.orderId, part);
      else this.quotes.remove(order.orderId, part);
    }
  }

  #value(found: OpenOrder): void {
    const { claim, wanted, filled } = found;
    const [held, asked] = [worthOfClaim(claim, filled), wanted === null ? ZERO_AMOUNT : worthOfClaim(wanted, filled)];
    const worth = asked > held ? asked : held;
    this.#worth = (this.#worth - found.worth + worth) as Amount;
    found.worth = worth;
  }
}
