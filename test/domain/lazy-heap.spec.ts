import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LazyHeap } from '../../src/domain/queues.js';

type Step = { kind: 'push'; priority: number } | { kind: 'kill'; index: number } | { kind: 'pop'; bound: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('push' as const), priority: fc.integer({ min: 0, max: 100 }) }),
  fc.record({ kind: fc.constant('kill' as const), index: fc.nat(200) }),
  fc.record({ kind: fc.constant('pop' as const), bound: fc.integer({ min: 0, max: 100 }) }),
);

describe('LazyHeap', () => {
  it('pops the same items as a sorted list of the valid entries', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const heap = new LazyHeap<{ isLive: boolean }>((item) => item.isLive);
        const all: { item: { isLive: boolean }; priority: number }[] = [];
        for (const one of steps) {
          if (one.kind === 'push') {
            const entry = { item: { isLive: true }, priority: one.priority };
            all.push(entry);
            heap.push(entry.item, entry.priority);
          } else if (one.kind === 'kill') {
            const entry = all[one.index];
            if (entry !== undefined) entry.item.isLive = false;
          } else {
            const living = all.filter(({ item }) => item.isLive).map(({ priority }) => priority);
            const lowest = Math.min(Infinity, ...living);
            expect(heap.lowest()).toBe(lowest);
            const popped = heap.popUpTo(one.bound);
            expect(popped === undefined).toBe(lowest > one.bound);
            if (popped !== undefined) popped.isLive = false;
          }
        }
      }),
    );
  });

  it('holds at most about twice as many entries as are valid', () => {
    const heap = new LazyHeap<{ isLive: boolean }>((item) => item.isLive);
    let last = { isLive: true };
    let checks = 0;
    const counting = new LazyHeap<{ isLive: boolean }>((item) => {
      checks += 1;
      return item.isLive;
    });
    for (let index = 0; index < 100_000; index += 1) {
      last.isLive = false;
      last = { isLive: true };
      heap.push(last, index);
      counting.push(last, index);
    }
    expect(heap.lowest()).toBe(99_999);
    // A pass over invalid entries costs no more than the pushes since the last pass.
    expect(checks).toBeLessThan(300_000);
  });
});
