import { assert } from '../../domain/rejection.js';
import type { Fill } from '../../domain/event.js';
import type { OrderId, VenueOrderId } from '../../domain/ids.js';
import type { Side } from '../../domain/order.js';
import { ZERO_LOTS, type Lots, type Ticks } from '../../domain/quantity.js';
import type { EpochMs } from '../../domain/time.js';
import type { MatchedOrder } from '../../venue/matching/resting-orders.js';
import type { ChildSubmission } from '../../domain/venue-message.js';
import type { OrderStatusAnswer } from '../../domain/venue-report.js';
import type { FuturesPosition } from '../account/futures-position.js';
import { heldAmount, heldAsset, notionalOf, type TradingTerms } from '../account/trading-terms.js';
import type { VenueAccount } from '../account/venue-account.js';

/** State of an order as a status request returns it. */
export type VenueOrderState = Exclude<OrderStatusAnswer, { state: 'UNKNOWN' | 'DENIED' }>;

export interface FillRecord {
  readonly fill: Fill;
  readonly atMs: EpochMs;
}

/** Order id of liquidation orders; no parent has this id. */
export const FORCED_ORDER_ID = 0 as OrderId;

/** One order of ours at a simulated venue. */
export class VenueOrder implements MatchedOrder {
  readonly account: VenueAccount;
  readonly terms: TradingTerms;
  readonly submission: ChildSubmission;
  /** Unique among all orders of all accounts and venues. */
  readonly key: string;
  /** Sequence number among the orders of the instrument. */
  readonly sequence: number;
  state: VenueOrderState;
  /** Shard that receives unsolicited reports; null after a restart, until a shard asks for the order. */
  owner: number | null = null;
  /** Time of the turn that changed it last. */
  changedAtMs = 0 as EpochMs;
  filled = ZERO_LOTS;
  /** Lots that self-trade prevention removed. */
  prevented = ZERO_LOTS;
  /** True while it rests in the book and locks its amount. */
  isResting = false;
  /** Number of fills in separate rows; later fills are fresh. */
  storedFills = 0;
  freshFills: FillRecord[] = [];

  constructor(account: VenueAccount, terms: TradingTerms, submission: ChildSubmission, placed: Placed) {
    this.account = account;
    this.terms = terms;
    this.submission = submission;
    this.key = orderKey(account, submission);
    this.sequence = placed.sequence;
    this.state = placed.state;
  }

  get side(): Side {
    return this.submission.side;
  }

  get limitPrice(): Ticks | null {
    return this.submission.limitPrice;
  }

  get leaves(): Lots {
    return (this.submission.quantity - this.filled - this.prevented) as Lots;
  }

  get isOpen(): boolean {
    return this.state.state === 'OPEN';
  }

  get venueOrderId(): VenueOrderId {
    assert(this.state.state !== 'REJECTED', 'a rejected order has no venue order id');
    return this.state.venueOrderId;
  }

  /** Price of an order that can rest. */
  get price(): Ticks {
    const { limitPrice } = this.submission;
    assert(limitPrice !== null, 'only limit orders rest');
    return limitPrice;
  }

  /** The parent order that moves the account; null for a liquidation by the venue. */
  get causingOrder(): OrderId | null {
    return this.submission.orderId === FORCED_ORDER_ID ? null : this.submission.orderId;
  }

  /** Position that an order in a future changes. */
  get position(): FuturesPosition {
    return this.account.position(this.terms);
  }

  /** Asset that the order locks; a reduce-only order locks nothing. */
  get heldAsset(): string {
    return heldAsset(this.terms, this.submission.side);
  }

  /** Locks the amount that the leaves need. */
  hold(): void {
    this.#hold(this.leaves, 1);
  }

  /** Unlocks the amount of `lots`. */
  release(lots: Lots): void {
    this.#hold(lots, -1);
  }

  /** Counts the leaves as resting again; their amount is already locked. */
  resume(): void {
    const { terms, submission } = this;
    if (!terms.isFuture || submission.reduceOnly) return;
    const { position } = this;
    position.wait(submission.side, this.leaves, notionalOf(this.leaves, this.price));
    position.takeLockChange();
  }

  #hold(lots: Lots, direction: 1 | -1): void {
    const { account, terms, submission, heldAsset: asset } = this;
    const notional = notionalOf(lots, this.price) * BigInt(direction);
    if (!terms.isFuture)
      return account.lock(asset, heldAmount(terms, submission.side, (lots * direction) as Lots, notional));
    if (submission.reduceOnly) return;
    const { position } = this;
    position.wait(submission.side, lots * direction, notional);
    account.updateLock(position);
  }
}

export interface Placed {
  readonly sequence: number;
  readonly state: VenueOrderState;
}

/** `<account>/<venue>/<client id>` */
export function orderKey(
  account: VenueAccount,
  { orderId, child }: Pick<ChildSubmission, 'orderId' | 'child'>,
): string {
  return `${account.key}/${orderId}-${child}`;
}
