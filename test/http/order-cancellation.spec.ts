import { describe, expect, it } from 'vitest';
import { OrderCancellation, type CancelAllResult } from '../../src/http/order-cancellation.js';
import type { ChangeOutcome, OrderChange } from '../../src/http/port.js';
import type { OrderId } from '../../src/model/ids.js';
import { CANCELS_IN_FLIGHT_MAX } from '../../src/model/limits.js';
import { FakeOrderBook } from './fake-order-book.js';
import { DEMO, NOW_MS, parentState } from './orders.js';

const COUNT = 2 * CANCELS_IN_FLIGHT_MAX + 7;

function bookOf(count: number): FakeOrderBook {
  const book = new FakeOrderBook();
  for (let orderId = 1; orderId <= count; orderId++) book.put(parentState({ orderId: orderId as OrderId }));
  return book;
}

describe('cancelling all orders', () => {
  it('sends a bounded number at a time and answers when the last has its outcome', () => {
    const book = bookOf(COUNT);
    const waiting: { orderId: OrderId; answer: (outcome: ChangeOutcome) => void }[] = [];
    let waitingMost = 0;
    const desk = {
      create: () => undefined,
      change: (change: OrderChange, answer: (outcome: ChangeOutcome) => void) => {
        if (change.kind === 'AmendParent') throw new Error('nothing is amended');
        waiting.push({ orderId: change.orderId, answer });
        waitingMost = Math.max(waitingMost, waiting.length);
      },
    };
    let results: readonly CancelAllResult[] | null = null;
    const cancellation = new OrderCancellation({ desk, reader: book, clock: { nowMs: () => NOW_MS } });
    cancellation.cancelAll(DEMO, (given) => (results = given));
    let answered = 0;
    while (waiting.length > 0) {
      expect(results).toBeNull();
      const { orderId, answer } = (answered % 2 === 0 ? waiting.pop() : waiting.shift()) as (typeof waiting)[0];
      answered += 1;
      answer({ kind: 'pending', orderId });
    }
    expect(waitingMost).toBe(CANCELS_IN_FLIGHT_MAX);
    expect(results).toEqual(Array.from({ length: COUNT }, (_, index) => ({ orderId: index + 1, refusal: null })));
  });

  it('does not nest when every outcome comes at once', () => {
    const book = bookOf(COUNT);
    book.refusal = { code: 'SYSTEM_BUSY', message: 'full' };
    let count = 0;
    const cancellation = new OrderCancellation({ desk: book, reader: book, clock: { nowMs: () => NOW_MS } });
    cancellation.cancelAll(DEMO, (results) => (count = results.length));
    expect(count).toBe(COUNT);
  });

  it('answers at once when nothing is open', () => {
    const book = new FakeOrderBook();
    let results: readonly CancelAllResult[] | null = null;
    const cancellation = new OrderCancellation({ desk: book, reader: book, clock: { nowMs: () => NOW_MS } });
    cancellation.cancelAll(DEMO, (given) => (results = given));
    expect(results).toEqual([]);
  });
});
