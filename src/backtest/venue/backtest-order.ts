import type { Fill } from '../../domain/event.js';
import type { VenueOrderId } from '../../domain/ids.js';
import type { Side } from '../../domain/order.js';
import type { Lots, Ticks } from '../../domain/quantity.js';
import { assert } from '../../domain/rejection.js';
import type { EpochMs } from '../../domain/time.js';
import type { ChildSubmission } from '../../domain/venue-message.js';
import type { OrderStatusAnswer } from '../../domain/venue-report.js';
import type { QueuePosition } from './queue-model.js';
import { isBetter } from './shown-book.js';

/** State of an order as a status request returns it. */
type BacktestOrderState = Exclude<OrderStatusAnswer, { state: 'UNKNOWN' }>;

export class BacktestOrder {
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

  get filled(): Lots {
    return this.#filled as Lots;
  }

  get leaves(): Lots {
    return (this.submission.quantity - this.#filled) as Lots;
  }

  get isOpen(): boolean {
    return this.state.state === 'OPEN';
  }

  /** True when the limit allows a trade at this price. */
  accepts(price: Ticks): boolean {
    const { limitPrice, side } = this.submission;
    return limitPrice === null || (side === 'BUY' ? price <= limitPrice : price >= limitPrice);
  }

  addFill(fill: Fill, atMs: EpochMs): void {
    this.fills.push({ fill, atMs });
    this.#filled += fill.quantity;
    if (this.leaves === 0) this.state = { state: 'FILLED', venueOrderId: this.venueOrderId };
  }
}

/** One of our orders in the recorded book. */
interface RestingOrder {
  readonly order: BacktestOrder;
  readonly price: Ticks;
  readonly queue: QueuePosition;
}

/** Our resting orders by price and time. A parent has at most some dozens of children, so lists suffice. */
export class BacktestRestingOrders {
  #bids: readonly RestingOrder[] = [];
  #asks: readonly RestingOrder[] = [];

  get count(): number {
    return this.#bids.length + this.#asks.length;
  }

  /** Best first. Every change makes a new list, so a caller can iterate while orders change. */
  side(side: Side): readonly RestingOrder[] {
    return side === 'BUY' ? this.#bids : this.#asks;
  }

  /** Best price of our orders; 0 when none rests. */
  best(side: Side): Ticks {
    return this.side(side)[0]?.price ?? (0 as Ticks);
  }

  quantityAt(side: Side, price: Ticks): Lots {
    let lots = 0;
    for (const resting of this.side(side)) if (resting.price === price) lots += resting.order.leaves;
    return lots as Lots;
  }

  add(order: BacktestOrder, queue: QueuePosition): void {
    const { side, limitPrice } = order.submission;
    assert(limitPrice !== null, 'only limit orders rest');
    const orders = this.side(side);
    const before = orders.filter(({ price }) => !isBetter(side, limitPrice, price));
    this.#put(side, [...before, { order, price: limitPrice, queue }, ...orders.slice(before.length)]);
  }

  remove(order: BacktestOrder): void {
    this.#put(
      order.side,
      this.side(order.side).filter((resting) => resting.order !== order),
    );
  }

  #put(side: Side, orders: readonly RestingOrder[]): void {
    if (side === 'BUY') this.#bids = orders;
    else this.#asks = orders;
  }
}
