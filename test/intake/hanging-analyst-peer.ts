import type { CostRequest } from '../../src/domain/query.js';

/** Answers questions about orders with even ids and hangs on all others. */
export default function answer(question: CostRequest): string {
  if (question.kind === 'order' && question.orderId % 2 === 0) return `order ${question.orderId}`;
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
