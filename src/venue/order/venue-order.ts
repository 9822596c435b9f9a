import { assert } from '../../model/assert.js';
import type { Fill } from '../../model/event.js';
import type { VenueOrderId } from '../../model/ids.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import type { EpochMs } from '../../model/time.js';
import type { ChildSubmission, QueriedState } from '../../model/venue-message.js';
import { heldAmount, heldAsset, notionalOf, type TradingTerms } from '../account/trading-terms.js';
import type { VenueAccount } from '../account/venue-account.js';

/** Where an order stands; what a query answers. */
export type Standing = Exclude<QueriedState, { state: 'UNKNOWN' }>;

export interface FillRecord {
  readonly fill: Fill;
  readonly atMs: EpochMs;
}

/** One of our orders at a simulated venue. */
export class VenueOrder {
  readonly account: VenueAccount;
  readonly terms: TradingTerms;
  readonly submission: ChildSubmission;
  /** Its name among all orders of all accounts and venues. */
  readonly key: string;
  /** Its place in time among the orders of the instrument. */
  readonly sequence: number;
  standing: Standing;
  /** Shard that hears of the order unasked; null after a restart, until someone asks. */
  owner: number | null = null;
  filled = 0 as Lots;
  /** Background quantity in its level that came after the order before it and before this one. */
  ahead = 0;
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
    return (this.submission.quantity - this.filled) as Lots;
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

  /** Ties up what all leaves at the order's price need. */
  hold(): void {
    this.#lock(this.#needed(this.leaves));
  }

  /** Frees what `lots` of it had tied up. */
  release(lots: Lots): void {
    this.#lock(-this.#needed(lots));
  }

  #needed(lots: Lots): bigint {
    return heldAmount(this.terms, this.submission, lots, notionalOf(lots, this.price));
  }

  #lock(amount: bigint): void {
    if (amount !== 0n) this.account.lock(heldAsset(this.terms, this.submission.side), amount);
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
