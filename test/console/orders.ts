import type { OrderFrame } from '../../src/client/frames.js';
import type { OrderDetails, TimelineEntry } from '../../src/client/wire.js';

export const STARTED_MS = 1_800_000_000_000;

export function details(orderId: number, changes: Partial<OrderDetails> = {}): OrderDetails {
  return {
    order_id: orderId,
    client_order_id: `client-${orderId}`,
    symbol: 'BTC/USDT',
    status: 'ACCEPTED',
    asset_class: 'SPOT',
    exchange: 'BINANCE',
    strategy: 'TWAP',
    start_time: STARTED_MS,
    end_time: STARTED_MS + 600_000,
    filled_quantity: 0,
    leaves_quantity: 2,
    side: 'BUY',
    last_quantity: 0,
    last_price: 0,
    average_price: 0,
    ...changes,
  };
}

export const QUARANTINE: NonNullable<OrderDetails['quarantine']> = {
  since: STARTED_MS,
  reason: 'CONTRADICTORY_REPORT',
  detail: 'CHILD_OVERFILL: fill 2 of 700 lots',
};

/** What the stream tells of an order, `afterMs` after it has started. */
export function orderFrame(
  orderId: number,
  afterMs: number,
  standing: Partial<OrderFrame['order_status']> = {},
  order: Partial<OrderFrame['order']> = {},
): OrderFrame {
  const ids = { order_id: String(orderId), client_order_id: `client-${orderId}`, exchange_id: 1, side: 'BUY' } as const;
  const filled = standing.filled_quantity ?? 0;
  return {
    topic: 'order',
    seq: 1,
    exchange_id: 1,
    exchange_name: 'BINANCE',
    order_status: {
      ...ids,
      source: 'SLUICE',
      status: 'ACCEPTED',
      created_at: STARTED_MS + afterMs,
      filled_quantity: filled,
      leaves_quantity: 2 - filled,
      average_price: 0,
      ...standing,
    },
    order: {
      ...ids,
      exchange_name: 'BINANCE',
      symbol: 'BTC/USDT',
      asset_class: 'SPOT',
      quantity: 2,
      strategy: 'TWAP',
      order_type: 'TWAP',
      created_at: STARTED_MS,
      start_time: STARTED_MS,
      end_time: STARTED_MS + 600_000,
      ...order,
    },
    order_progress: filled / 2,
  };
}

/** An entry of a timeline, `afterMs` after the start. */
export function entry(seq: number, afterMs: number, event: string, facts: Partial<TimelineEntry> = {}): TimelineEntry {
  const standing = { status: 'ACCEPTED', filled_quantity: 0, leaves_quantity: 2 } as const;
  return { seq, time: STARTED_MS + afterMs, event, ...standing, ...facts };
}

/** How an order of 2 begins: created, started, one child that is filled in part. */
export const BEGINNING: readonly TimelineEntry[] = [
  entry(1, 0, 'ParentCreated', { quantity: 2, price: 61_000, params: { duration_seconds: 600 } }),
  entry(2, 1, 'ParentAccepted'),
  entry(3, 10, 'ParentStarted', { arrival_price: 60_000.5 }),
  entry(4, 10, 'ChildSubmitted', {
    child_order_id: '7-1',
    side: 'BUY',
    quantity: 0.5,
    price: 60_000,
    order_type: 'LIMIT',
    tif: 'GTC',
    reason: 'JOIN_TOUCH',
    detail: 'target=50000 lag=50000 filled=0 working=0 bid=6000000 ask=6000100',
    child_status: 'PENDING_NEW',
    child_filled_quantity: 0,
  }),
  entry(5, 5_000, 'ChildFilled', {
    child_order_id: '7-1',
    trade_id: 1,
    quantity: 0.25,
    price: 60_000,
    taker_or_maker: 'MAKER',
    child_status: 'PARTIALLY_FILLED',
    child_filled_quantity: 0.25,
    status: 'PARTIALLY_FILLED',
    filled_quantity: 0.25,
    leaves_quantity: 1.75,
  }),
];
