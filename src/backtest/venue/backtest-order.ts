import type { Fill } from '../../domain/event.js';
import type { VenueOrderId } from '../../domain/ids.js';
import type { Side } from '../../domain/order.js';
import type { Lots, Ticks } from '../../domain/quantity.js';
import type { EpochMs } from '../../domain/time.js';
import type { ChildSubmission } from '../../domain/venue-message.js';
import type { OrderStatusAnswer } from '../../domain/venue-report.js';
import type { MatchedOrder } from '../../venue/matching/resting-orders.js';

/** State of an order as a status request returns it. */
type BacktestOrderState = Exclude<OrderStatusAnswer, { state: 'UNKNOWN' | 'DENIED' }>;

export class BacktestOrder implements MatchedOrder {
  readonly submission: ChildSubmission;
  readonly venueOrderId: VenueOrderId;
  state: BacktestOrderState;
  readonly fills: { readonly fill: Fill; readonly atMs: EpochMs }[] = [];
  #filled = 0;

  constructor(submission: ChildSubmission, venueOrderId: VenueOrderId) {
    this.submission = submission;
    this.venueOrderId = venueOrderId;
    this.state = { state: 'OPEN', venueOrderId };
  }

  get side(): Side {
    return this.submission.side;
  }

  get limitPrice(): Ticks | null {
    return this.submission.limitPrice;
  }

  get filled(): Lots {
    return this.#filled as Lots;
  }

  get leaves(): Lots {
    return (this.submission.quantity - this.#filled) as Lots;
  }

  get isOpen(): boolean {
    return this.state.state === 'OPEN';
  }

  addFill(fill: Fill, atMs: EpochMs): void {
    this.fills.push({ fill, atMs });
    this.#filled += fill.quantity;
    if (this.leaves === 0) this.state = { state: 'FILLED', venueOrderId: this.venueOrderId };
  }
}
