import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ORDER_TIMELINE } from '../../src/contract/timeline-operation.js';
import { timelineEntryText } from '../../src/http/present/timeline-entry.js';
import type { AnyEvent } from '../../src/model/event.js';
import { events } from '../codec/message-arbitraries.js';
import { CHILD_STANDING, envelopeOf, FILLED, PARENT } from '../stream/sample-events.js';
import { closed, complaintsOf } from './compiled.js';

const matches = closed(ORDER_TIMELINE.success.schema);
const complaint = (entry: string): string => complaintsOf(matches, JSON.parse(`{"order_id":7,"events":[${entry}]}`));

/** Terms as a create makes them: what they echo is JSON. */
function withRealTerms(event: AnyEvent): AnyEvent {
  return 'order' in event && 'orderId' in event.order ? ({ ...event, order: PARENT } as AnyEvent) : event;
}

const OF_NO_ORDER = new Set(['BalanceChanged', 'PositionChanged', 'MarketObserved']);
const ofOrders = Object.entries(events).filter(([kind]) => !OF_NO_ORDER.has(kind));

describe('an entry of the timeline', () => {
  it.each(ofOrders)('of %s is as documented', (_, arbitrary: fc.Arbitrary<AnyEvent>) => {
    fc.assert(
      fc.property(arbitrary, fc.boolean(), (event, hasChild) => {
        const child = hasChild ? CHILD_STANDING : null;
        const envelope = envelopeOf(withRealTerms(event), { child, causationSeq: hasChild ? 3 : 0 });
        expect(complaint(timelineEntryText(PARENT, envelope))).toBe('');
      }),
      { numRuns: 30 },
    );
  });

  it('shows what happened, to whom and where that leaves the order', () => {
    expect(JSON.parse(timelineEntryText(PARENT, FILLED))).toMatchObject({
      event: 'ChildFilled',
      child_order_id: `${PARENT.orderId}-${CHILD_STANDING.order.child}`,
      taker_or_maker: expect.stringMatching(/^(MAKER|TAKER)$/) as string,
      status: 'PARTIALLY_FILLED',
      child_status: 'PARTIALLY_FILLED',
    });
  });

  it('halves the arrival price exactly', () => {
    const started = envelopeOf({ kind: 'ParentStarted', arrivalTwiceMid: 12_800_001, memory: [] });
    expect(timelineEntryText({ ...PARENT, pricePrecision: 2 }, started)).toContain('"arrival_price":64000.005,');
  });
});
