import type { OrderCostLeg, OrderDetails, OrderFrame, TimelineEntry } from '../../src/client/wire.js';

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
    quantity: 2,
    created_at: STARTED_MS,
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

/** A frame of an order, `afterMs` after its start. */
export function orderFrame(
  orderId: number,
  afterMs: number,
  current: Partial<OrderFrame['order_status']> = {},
  order: Partial<OrderFrame['order']> = {},
): OrderFrame {
  const ids = { order_id: String(orderId), client_order_id: `client-${orderId}`, exchange_id: 1, side: 'BUY' } as const;
  const filled = current.filled_quantity ?? 0;
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
      ...current,
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

/** A timeline entry, `afterMs` after the start. */
export function entry(seq: number, afterMs: number, event: string, facts: Partial<TimelineEntry> = {}): TimelineEntry {
  const order = { status: 'ACCEPTED', filled_quantity: 0, leaves_quantity: 2 } as const;
  return { seq, time: STARTED_MS + afterMs, event, ...order, ...facts };
}

/** The first events of an order of quantity 2: created, started, one child with a partial fill. */
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
    detail: { target: 0.5, filled: 0, working: 0, bid: 60_000, ask: 60_001 },
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

/** The cost report of one leg; its interval TWAP is unknown. */
export const COST_LEG: OrderCostLeg = {
  exchange: 'BINANCE',
  symbol: 'BTC/USDT',
  side: 'BUY',
  strategy: 'TWAP',
  quantity: 2,
  filled_quantity: 2,
  completion: 1,
  children: {
    sent: 2,
    filled: 2,
    rejected: 0,
    cancelled: 0,
    fills: 2,
    fill_rate: 1,
    sent_per_fill: 1,
    cancelled_per_fill: 0,
    messages_per_fill: 1,
  },
  fees_infos: { USDT: 1.5 },
  cost: {
    start_time: STARTED_MS,
    end_time: STARTED_MS + 600_000,
    on_time: true,
    arrival_price: 60_000.5,
    average_price: 60_015.5,
    arrival_slippage_bps: 2.5,
    all_in_slippage_bps: 2.6,
    implementation_shortfall_bps: 2.6,
    implementation_shortfall: { currency: 'USDT', trading: 28.75, missed: 0, fees: 1.5, total: 30.25 },
    vwap_slippage_bps: -1,
    vwap_with_own_slippage_bps: -0.9,
    twap_slippage_bps: null,
    schedule_deviation: null,
    participation: 0.01,
    participation_target: null,
    effective_spread_bps: -0.1,
    spread_capture: 0.5,
    markouts: [{ horizon_ms: 1_000, bps: 0.5, coverage: 1 }],
    maker_share: 0.75,
    fees_bps: 0.1,
    market: {
      observed_from: STARTED_MS,
      observed_to: STARTED_MS + 600_000,
      volume: 200,
      vwap: 60_021.5,
      vwap_with_own: 60_021,
      twap: null,
    },
  },
};
