import { assert } from '../../model/assert.js';
import type { Fill } from '../../model/event.js';
import type { OrderId, VenueOrderId } from '../../model/ids.js';
import { ZERO_LOTS, type Lots, type Ticks } from '../../model/quantity.js';
import type { EpochMs } from '../../model/time.js';
import type { ChildSubmission, QueriedState } from '../../model/venue-message.js';
import type { Contract } from '../account/contract.js';
import { positionOf } from '../account/position-choice.js';
import type { Position } from '../account/position.js';
import { heldAmount, heldAsset, notionalOf, type TradingTerms } from '../account/trading-terms.js';
import type { VenueAccount } from '../account/venue-account.js';

/** Where an order stands; what a query answers. */
export type Standing = Exclude<QueriedState, { state: 'UNKNOWN' }>;

export interface FillRecord {
  readonly fill: Fill;
  readonly atMs: EpochMs;
}

/** Names the orders by which a venue liquidates: no parent has this id. */
export const FORCED_ORDER_ID = 0 as OrderId;

/** One of our orders at a simulated venue. */
export class VenueOrder {
  readonly account: VenueAccount;
  readonly terms: TradingTerms;
  /** As it was sent, or as it was amended since. */
  submission: ChildSubmission;
  /** Its name among all orders of all accounts and venues. */
  readonly key: string;
  /** Its place in time among the orders of the instrument. */
  sequence: number;
  standing: Standing;
  /** Shard that hears of the order unasked; null after a restart, until someone asks. */
  owner: number | null = null;
  /** Of the turn that changed it last; 0 in a row of an earlier version. */
  changedAtMs = 0 as EpochMs;
  filled = ZERO_LOTS;
  /** Lots that self-trade prevention took from it. */
  prevented = ZERO_LOTS;
  /** It waits in the book, with what it needs tied up. */
  isResting = false;
  /** How many fills lie in rows of their own; the later ones are fresh. */
  storedFills = 0;
  freshFills: FillRecord[] = [];

  constructor(account: VenueAccount, terms: TradingTerms, submission: ChildSubmission, placed: Placed) {
    this.account = account;
    this.terms = terms;
    this.submission = submission;
    this.key = orderKey(account, submission);
    this.sequence = placed.sequence;
    this.standing = placed.standing;
  }

  get leaves(): Lots {
    return (this.submission.quantity - this.filled - this.prevented) as Lots;
  }

  get isOpen(): boolean {
    return this.standing.state === 'OPEN';
  }

  get venueOrderId(): VenueOrderId {
    assert(this.standing.state !== 'REJECTED', 'a rejected order has no venue order id');
    return this.standing.venueOrderId;
  }

  /** Price of an order that can rest. */
  get price(): Ticks {
    const { limitPrice } = this.submission;
    assert(limitPrice !== null, 'only limit orders rest');
    return limitPrice;
  }

  /** The order of a parent's that moves the account; null when the venue itself does. */
  get causer(): OrderId | null {
    return this.submission.orderId === FORCED_ORDER_ID ? null : this.submission.orderId;
  }

  /** Of an order in a future. */
  get contract(): Contract {
    return this.account.contract(this.terms);
  }

  /** The position it trades into, of an order in a future. */
  get position(): Position {
    return positionOf(this.account, this.terms, this.submission);
  }

  /** What it ties up something of; a reduce-only order ties up nothing. */
  get heldAsset(): string {
    return heldAsset(this.terms, this.submission.side);
  }

  /** Ties up what all leaves at the order's price need. */
  hold(): void {
    this.#hold(this.leaves, 1);
  }

  /** Frees what `lots` of it had tied up. */
  release(lots: Lots): void {
    this.#hold(lots, -1);
  }

  /** Counts the leaves among what waits, of an order whose needs are tied up already. */
  resume(): void {
    const { terms, submission, contract } = this;
    if (!terms.isFuture || submission.reduceOnly) return;
    contract.wait(submission.side, this.leaves, notionalOf(this.leaves, this.price));
    contract.retie();
  }

  #hold(lots: Lots, direction: 1 | -1): void {
    const { account, terms, submission, heldAsset: asset } = this;
    const notional = notionalOf(lots, this.price) * BigInt(direction);
    if (!terms.isFuture)
      return account.lock(asset, heldAmount(terms, submission.side, (lots * direction) as Lots, notional));
    if (submission.reduceOnly) return;
    const { contract } = this;
    contract.wait(submission.side, lots * direction, notional);
    account.retie(contract);
  }
}

export interface Placed {
  readonly sequence: number;
  readonly standing: Standing;
}

/** `<account>/<venue>/<client id>` */
export function orderKey(
  account: VenueAccount,
  { orderId, child }: Pick<ChildSubmission, 'orderId' | 'child'>,
): string {
  return `${account.key}/${orderId}-${child}`;
}
