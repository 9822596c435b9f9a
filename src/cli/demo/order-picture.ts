import { childNumberOf } from '../order-table.js';
import { TERMINAL_STATUSES } from '../../client/index.js';
import type { ChildOrderFrame, Frame, OrderFrame, TickerFrame } from '../../client/index.js';

/** One row of the table of child orders. */
export interface ChildRow {
  /** Number within the parent, from 1. */
  readonly number: number;
  readonly status: string;
  readonly quantity: number;
  /** null: market order. */
  readonly price: number | null;
  readonly filled: number;
}

export interface Quote {
  readonly bid: number;
  readonly ask: number;
}

export interface PlacedOrder {
  readonly orderId: number;
  readonly title: string;
  readonly quantity: number;
  /** Planned start, epoch milliseconds of service time. */
  readonly startMs: number;
  readonly endMs: number;
}

const ROWS_KEPT = 50;

/** State of one order, folded from the frames of the streams. */
export class OrderPicture {
  readonly order: PlacedOrder;
  status = 'PENDING_NEW';
  filled = 0;
  average = 0;
  childCount = 0;
  quote: Quote | null = null;
  /** Sorted by number, latest last. */
  readonly #children = new Map<number, ChildRow>();

  constructor(order: PlacedOrder) {
    this.order = order;
  }

  get isOver(): boolean {
    return TERMINAL_STATUSES.includes(this.status);
  }

  latestChildren(count: number): readonly ChildRow[] {
    return [...this.#children.values()].slice(-count);
  }

  apply(frame: Frame): void {
    switch (frame.topic) {
      case 'ticker':
        return this.#onTicker(frame);
      case 'order':
        return this.#onOrder(frame);
      case 'child_order':
        return this.#onChild(frame);
      case 'trade':
      case 'balance':
      case 'position':
      case 'position_risk':
      case 'ohlcv':
      case 'open_interest':
        return;
    }
  }

  /** Share of the quantity that an even schedule plans by `nowMs`, 0 to 1. */
  scheduled(nowMs: number): number {
    const { startMs, endMs } = this.order;
    return Math.min(1, Math.max(0, (nowMs - startMs) / (endMs - startMs)));
  }

  /** Keeps the latest quote with both sides. */
  #onTicker({ bid, ask }: TickerFrame): void {
    if (bid !== undefined && ask !== undefined) this.quote = { bid, ask };
  }

  #onOrder({ order_status: status }: OrderFrame): void {
    if (status.order_id !== String(this.order.orderId)) return;
    this.status = status.status;
    this.filled = status.filled_quantity;
    this.average = status.average_price;
  }

  #onChild({ order_status: status, order }: ChildOrderFrame): void {
    if (order.parent_order_id !== String(this.order.orderId)) return;
    const number = Number(childNumberOf(status.client_order_id ?? order.client_order_id));
    this.#children.set(number, {
      number,
      status: status.status,
      quantity: order.quantity,
      price: order.limit_price ?? null,
      filled: status.filled_quantity,
    });
    this.childCount = Math.max(this.childCount, number);
    if (this.#children.size > ROWS_KEPT) this.#children.delete(Math.min(...this.#children.keys()));
  }
}
