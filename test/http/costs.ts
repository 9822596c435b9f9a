import type { IntakeParts } from '../../src/intake/intake.js';
import type { EventEnvelope } from '../../src/domain/event.js';
import type { OrderId } from '../../src/domain/ids.js';
import type { EpochMs } from '../../src/domain/time.js';
import { measureOrder, type CostReader } from '../../src/tca/order-reading.js';
import { orderCostText } from '../../src/tca/order-report.js';
import { windowCostText } from '../../src/tca/window-report.js';
import { envelopeOf } from '../stream/sample-events.js';
import type { FakeOrderBook } from '../intake/fake-order-book.js';
import { memoryOf } from '../order/memories.js';
import { mapLegs } from '../../src/domain/pair.js';

/** Computes costs at once in this thread, from the orders of a book and without market observations. */
export function costsOf(book: FakeOrderBook): IntakeParts['costs'] {
  const reader: CostReader = {
    events: (orderId, after = 0) => (after === 0 ? courseOf(book, orderId) : []),
    quoteHistory: () => [],
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
    envelopeOf(
      { kind: 'ParentStarted', legs: mapLegs(state.legs, () => ({ arrivalTwiceMid: 12_800_001, memory: memoryOf() })) },
      { ...head, eventAtMs: startedAtMs },
    ),
    ...book.trades(orderId),
  ];
}
