import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ORDER_TIMELINE, timelineEntryText } from '../../src/api/order/timeline.js';
import type { AnyEvent } from '../../src/domain/event.js';
import { events } from '../wire/codec/message-arbitraries.js';
import { CHILD_SNAPSHOT, envelopeOf, FILLED, PARENT } from '../stream/sample-events.js';
import { closed, complaintsOf } from './compiled.js';
import { memoryOf } from '../order/memories.js';
import { withTerms } from '../domain/plain-order.js';

const matches = closed(ORDER_TIMELINE.success.schema);
const complaint = (entry: string): string => complaintsOf(matches, JSON.parse(`{"order_id":7,"events":[${entry}]}`));

/** Terms of a create, whose echo is valid JSON. */
function withRealTerms(event: AnyEvent): AnyEvent {
  return 'order' in event && 'orderId' in event.order ? ({ ...event, order: PARENT } as AnyEvent) : event;
}

const OF_NO_ORDER = new Set(['BalanceChanged', 'PositionChanged', 'MarketObserved']);
const ofOrders = Object.entries(events).filter(([kind]) => !OF_NO_ORDER.has(kind));

describe('a timeline entry', () => {
  it.each(ofOrders)('matches the documented schema of %s', (_, arbitrary: fc.Arbitrary<AnyEvent>) => {
    fc.assert(
      fc.property(arbitrary, fc.boolean(), (event, hasChild) => {
        const child = hasChild ? CHILD_SNAPSHOT : null;
        const envelope = envelopeOf(withRealTerms(event), { child, causationSeq: hasChild ? 3 : 0 });
        expect(complaint(timelineEntryText(PARENT, envelope))).toBe('');
      }),
      { numRuns: 30 },
    );
  });

  it('shows the event, the child and the order after the event', () => {
    expect(JSON.parse(timelineEntryText(PARENT, FILLED))).toMatchObject({
      event: 'ChildFilled',
      child_order_id: `${PARENT.orderId}-${CHILD_SNAPSHOT.order.child}`,
      taker_or_maker: expect.stringMatching(/^(MAKER|TAKER)$/) as string,
      status: 'PARTIALLY_FILLED',
      child_status: 'PARTIALLY_FILLED',
    });
  });

  it('shows the exact arrival price', () => {
    const started = envelopeOf({ kind: 'ParentStarted', legs: [{ arrivalTwiceMid: 12_800_001, memory: memoryOf() }] });
    expect(timelineEntryText(withTerms(PARENT, { pricePrecision: 2 }), started)).toContain(
      '"arrival_price":64000.005,',
    );
  });
});
