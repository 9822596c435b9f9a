import { TERMINAL_STATUSES } from '../../client/index.js';
import type { ChildOrderFrame, Frame, OrderFrame, TickerFrame } from '../../client/index.js';

/** One child order as the table shows it. */
export interface ChildRow {
  /** Number within the parent, from 1. */
  readonly number: number;
  readonly status: string;
  readonly quantity: number;
  /** Null: at the market. */
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
  /** Planned, epoch milliseconds of service time. */
  readonly startMs: number;
  readonly endMs: number;
}

const ROWS_KEPT = 50;

/** What the streams have told about one order so far. */
export class OrderPicture {
  readonly order: PlacedOrder;
  status = 'PENDING_NEW';
  filled = 0;
  average = 0;
  childCount = 0;
  quote: Quote | null = null;
  /** In order of their numbers, the latest last. */
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

  /** Share of the quantity that an even schedule has planned by now, 0 to 1. */
  scheduled(nowMs: number): number {
    const { startMs, endMs } = this.order;
    return Math.min(1, Math.max(0, (nowMs - startMs) / (endMs - startMs)));
  }

  /** A side that is empty for a moment leaves the last full quote standing. */
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
    const number = childNumber(status.client_order_id ?? order.client_order_id ?? '');
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

/** A child's client id is `<parent id>-<number>`. */
function childNumber(clientOrderId: string): number {
  return Number(clientOrderId.slice(clientOrderId.lastIndexOf('-') + 1));
}
