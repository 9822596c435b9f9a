import type { CostQuestion } from '../../src/route/cost-question.js';

/** Answers questions about orders with an even id, and hangs on all others. */
export default function answer(question: CostQuestion): string {
  if (question.kind === 'order' && question.orderId % 2 === 0) return `order ${question.orderId}`;
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
