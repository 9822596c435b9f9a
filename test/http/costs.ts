import type { CostDesk } from '../../src/http/port.js';
import type { EventEnvelope } from '../../src/model/event.js';
import type { OrderId } from '../../src/model/ids.js';
import type { EpochMs } from '../../src/model/time.js';
import { measureOrder, type CostReader } from '../../src/tca/order-reading.js';
import { orderCostText } from '../../src/tca/order-report.js';
import { windowCostText } from '../../src/tca/window-report.js';
import { envelopeOf } from '../stream/sample-events.js';
import type { FakeOrderBook } from './fake-order-book.js';

/** Reckons at once, in this thread, from what a book knows of its orders; of their markets nothing was seen. */
export function costsOf(book: FakeOrderBook): CostDesk {
  const reader: CostReader = {
    events: (orderId, after = 0) => (after === 0 ? courseOf(book, orderId) : []),
    tape: () => [],
  };
  return {
    ask: (question, answer) => {
      if (question.kind === 'window') {
        const find = book.find.bind(book);
        return answer(windowCostText({ ...reader, find }, question));
      }
      const measured = measureOrder(reader, question.orderId, question.asOfMs);
      answer(measured === null ? null : orderCostText(measured, question.asOfMs));
    },
  };
}

function courseOf(book: FakeOrderBook, orderId: OrderId): EventEnvelope[] {
  const state = book.order(orderId);
  if (state === null) return [];
  const { order } = state;
  const head = { orderId, account: order.account, eventAtMs: order.createdAtMs };
  const startedAtMs = (order.createdAtMs + 1) as EpochMs;
  return [
    envelopeOf({ kind: 'ParentCreated', order }, head),
    envelopeOf({ kind: 'ParentStarted', arrivalTwiceMid: 12_800_001, memory: [] }, { ...head, eventAtMs: startedAtMs }),
    ...book.trades(orderId),
  ];
}
