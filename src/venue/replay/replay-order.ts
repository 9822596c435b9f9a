import type { Fill } from '../../model/event.js';
import type { VenueOrderId } from '../../model/ids.js';
import type { Side } from '../../model/order.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import type { EpochMs } from '../../model/time.js';
import type { ChildSubmission, QueriedState } from '../../model/venue-message.js';

/** Where an order stands; what a query answers. */
export type Standing = Exclude<QueriedState, { state: 'UNKNOWN' }>;

/** One of our orders at the replayed venue. */
export class ReplayOrder {
  readonly submission: ChildSubmission;
  readonly venueOrderId: VenueOrderId;
  standing: Standing;
  readonly fills: { readonly fill: Fill; readonly atMs: EpochMs }[] = [];
  #filled = 0;

  constructor(submission: ChildSubmission, venueOrderId: VenueOrderId) {
    this.submission = submission;
    this.venueOrderId = venueOrderId;
    this.standing = { state: 'OPEN', venueOrderId };
  }

  get side(): Side {
    return this.submission.side;
  }

  get filled(): Lots {
    return this.#filled as Lots;
  }

  get leaves(): Lots {
    return (this.submission.quantity - this.#filled) as Lots;
  }

  get isOpen(): boolean {
    return this.standing.state === 'OPEN';
  }

  /** True for an order that may trade at the price. */
  accepts(price: Ticks): boolean {
    const { limitPrice, side } = this.submission;
    return limitPrice === null || (side === 'BUY' ? price <= limitPrice : price >= limitPrice);
  }

  addFill(fill: Fill, atMs: EpochMs): void {
    this.fills.push({ fill, atMs });
    this.#filled += fill.quantity;
    if (this.leaves === 0) this.standing = { state: 'FILLED', venueOrderId: this.venueOrderId };
  }
}
