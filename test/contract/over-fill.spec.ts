import { describe, expect, it } from 'vitest';
import { OrderDetails } from '../../src/api/order/order-answer.js';
import { detailsText } from '../../src/api/order/order-details.js';
import { orderFrame } from '../../src/api/order/order-frame.js';
import { timelineEntryText } from '../../src/api/order/timeline.js';
import type { EventEnvelope, OrderEvent } from '../../src/domain/event.js';
import type { ChildNumber, CorrelationId, Seq } from '../../src/domain/ids.js';
import type { ParentState } from '../../src/domain/order-state.js';
import type { EpochMs } from '../../src/domain/time.js';
import { record, unnumberedEvent } from '../../src/order/snapshot.js';
import { measureOrder } from '../../src/tca/order-reading.js';
import { orderCostText } from '../../src/tca/order-report.js';
import { acknowledged, filled, orderOf, START_MS, submitted, unknown, WORKABLE } from '../order/orders.js';
import { closed, complaintsOf } from './compiled.js';

const ORDER = orderOf();
const { quantity } = ORDER.legs[0];

/** The order is filled, and then a child is executed that counted as absent. */
const STORY: readonly OrderEvent[] = [
  ...WORKABLE,
  submitted(1),
  unknown(1),
  { kind: 'ChildNeverPlaced', child: 1 as ChildNumber },
  submitted(2, { quantity }),
  acknowledged(2),
  filled(2, quantity),
  filled(1, 100, true),
];

let state: ParentState | null = null;
const entries: EventEnvelope[] = STORY.map((event, index) => {
  const recorded = record(state, event, START_MS);
  state = recorded.state;
  const head = { eventAtMs: START_MS, recordedAtMs: START_MS, correlationId: 0 as CorrelationId, causationSeq: 0 };
  return { ...unnumberedEvent(recorded, head), seq: (index + 1) as Seq };
});
const overFilled = state as unknown as ParentState;
const last = entries.at(-1)!;
const EXTRAS = { trades: null, withFees: false, withParams: false, outcome: null };

const eventsOf = (_id: unknown, after = 0): readonly EventEnvelope[] => (after > 0 ? [] : entries);

describe('an order that has filled more than its quantity', () => {
  it('says by how much, in its details, its frames, its timeline and its cost report', () => {
    const details = JSON.parse(detailsText(overFilled, EXTRAS)) as object;
    expect(complaintsOf(closed(OrderDetails), details)).toBe('');
    expect(details).toMatchObject({ status: 'FILLED', leaves_quantity: 0, over_filled_quantity: 0.001 });
    const frame = JSON.parse(orderFrame(1, 'BINANCE', last, ORDER)) as object;
    expect(frame).toMatchObject({ order_status: { over_filled_quantity: 0.001 } });
    expect(JSON.parse(timelineEntryText(ORDER, last))).toMatchObject({ is_late: true, over_filled_quantity: 0.001 });
    const quotes = [{ atMs: START_MS, bid: 6_400_000, ask: 6_400_010, volume: 0, turnover: 0n }];
    const reader = { events: eventsOf, quoteHistory: () => quotes } as never;
    const asOfMs = (START_MS + 3_600_000) as EpochMs;
    const cost = JSON.parse(orderCostText(measureOrder(reader, ORDER.orderId, asOfMs)!, asOfMs)) as object;
    expect(cost).toMatchObject({ legs: [{ over_filled_quantity: 0.001 }] });
  });

  it('says nothing before', () => {
    const before = entries.at(-2)!;
    expect(timelineEntryText(ORDER, before)).not.toContain('over_filled');
    expect(orderFrame(1, 'BINANCE', before, ORDER)).not.toContain('over_filled');
  });
});
