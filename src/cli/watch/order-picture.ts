import { childNumberOf, ofLegs, placeText } from '../order-table.js';
import { number, sum } from '../output.js';
import { TERMINAL_STATUSES } from '../../client/index.js';
import type { ChildOrderFrame, Frame, OrderDetails, OrderFrame, TickerFrame } from '../../client/index.js';

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

interface Quote {
  readonly bid: number;
  readonly ask: number;
}

const ROWS_KEPT = 50;

/** State of one order, folded from the frames of the streams. */
export class OrderPicture {
  readonly title: string;
  readonly quantity: number;
  status = '';
  filled = 0;
  average = 0;
  childCount = 0;
  quote: Quote | null = null;
  isConnected = true;
  readonly #id: string;
  /** Epoch milliseconds of service time. */
  readonly #startMs: number;
  /** Planned end; null: the order has none. */
  #endMs: number | null = null;
  /** Sorted by number, latest last. */
  readonly #children = new Map<number, ChildRow>();

  constructor(order: OrderDetails) {
    const { order_id: id, strategy, algo, filled_quantity: filled, leaves_quantity: leaves } = order;
    const what = [strategy ?? algo ?? '', ofLegs(order, 'side').join('+')].join(' ');
    const where = (order.legs ?? [order]).map(placeText).join('+');
    this.quantity = sum(filled, leaves);
    this.title = `${what} ${number(this.quantity)} ${ofLegs(order, 'symbol').join('+')} on ${where}`;
    this.#id = String(id);
    this.#startMs = order.start_time ?? order.created_at ?? 0;
    this.onDetails(order);
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

  onDetails({ status, filled_quantity: filled, average_price: average, end_time: endMs }: OrderDetails): void {
    this.status = status;
    this.filled = filled;
    this.average = average;
    this.#endMs = endMs ?? null;
  }

  /** Share of the quantity that an even schedule plans by `nowMs`, 0 to 1; null without an end. */
  scheduled(nowMs: number): number | null {
    if (this.#endMs === null) return null;
    const share = (nowMs - this.#startMs) / (this.#endMs - this.#startMs);
    return Number.isNaN(share) ? 1 : Math.min(1, Math.max(0, share));
  }

  /** Milliseconds until the planned end, at least 0; null without one. */
  leftMs(nowMs: number): number | null {
    return this.#endMs === null ? null : Math.max(0, this.#endMs - nowMs);
  }

  /** Keeps the latest quote with both sides. */
  #onTicker({ bid, ask }: TickerFrame): void {
    if (bid !== undefined && ask !== undefined) this.quote = { bid, ask };
  }

  #onOrder({ order_status: status }: OrderFrame): void {
    if (status.order_id !== this.#id) return;
    this.status = status.status;
    this.filled = status.filled_quantity;
    this.average = status.average_price;
  }

  #onChild({ order_status: status, order }: ChildOrderFrame): void {
    if (order.parent_order_id !== this.#id) return;
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
