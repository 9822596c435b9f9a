import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NumberMap } from '../../src/domain/number-map.js';
import { runs } from '../runs.js';

/** These begin in the last slots of a table of 8 to 64, or in the first ones, so that runs continue at slot 0. */
const AT_THE_ENDS = [0, 5, 8, 13, 21, 34, 55];

/** Keys with the same lower 32 bits begin in the same slot of a table of any capacity. */
const colliding = fc.tuple(fc.constantFrom(...AT_THE_ENDS), fc.nat(4)).map(([lower, upper]) => lower + upper * 2 ** 32);
const few = fc.oneof(fc.nat(30), colliding);
const many = fc.oneof(few, fc.nat(600), fc.nat(2 ** 31), fc.integer({ min: 2 ** 32, max: Number.MAX_SAFE_INTEGER }));

type Step = { kind: 'set' | 'delete' | 'clear'; key: number };

/** 600 steps on up to 65 keys, or on so many that the table grows. */
const steps: fc.Arbitrary<Step[]> = fc.constantFrom(few, many).chain((key) => {
  const set = { arbitrary: fc.record({ kind: fc.constant('set' as const), key }), weight: 60 };
  const remove = { arbitrary: fc.record({ kind: fc.constant('delete' as const), key }), weight: 40 };
  const clear = { arbitrary: fc.record({ kind: fc.constant('clear' as const), key }), weight: 1 };
  return fc.array(fc.oneof(set, remove, clear), { maxLength: 600 });
});

function sortedEntries(model: ReadonlyMap<number, object>): [number, object][] {
  return [...model].sort(([one], [other]) => one - other);
}

describe('NumberMap', () => {
  it('has the entries of a Map after the same changes', () => {
    fc.assert(
      fc.property(steps, (changes) => {
        const map = new NumberMap<number, object>();
        const model = new Map<number, object>();
        for (const { kind, key } of changes) {
          if (kind === 'set') {
            const value = { key };
            map.set(key, value);
            model.set(key, value);
          } else if (kind === 'delete') {
            expect(map.delete(key)).toBe(model.delete(key));
            for (const [other, value] of model) if (map.get(other) !== value) throw new Error(`lost ${other}`);
          } else {
            map.clear();
            model.clear();
          }
          expect(map.get(key)).toBe(model.get(key));
          expect(map.size).toBe(model.size);
        }
        expect(map.entries()).toEqual(sortedEntries(model));
        expect(map.values()).toEqual(sortedEntries(model).map(([, value]) => value));
      }),
      { numRuns: runs(150, 3_000) },
    );
  });

  it('finds every other entry of a full run after each deletion, in any order of deletions', () => {
    const keys = AT_THE_ENDS.flatMap((lower) => [0, 1, 2, 3].map((upper) => lower + upper * 2 ** 32));
    fc.assert(
      fc.property(fc.shuffledSubarray(keys, { minLength: keys.length }), (order) => {
        const map = new NumberMap<number, object>();
        for (const key of keys) map.set(key, { key });
        for (const [index, key] of order.entries()) {
          map.delete(key);
          expect(order.filter((other) => map.has(other))).toEqual(order.slice(index + 1));
        }
      }),
      { numRuns: runs(30, 1_000) },
    );
  });

  it('keeps the entries of ids that grow while the oldest leave', () => {
    const map = new NumberMap<number, { readonly id: number }>();
    const first = 3 * 2 ** 32 - 5_000;
    for (let id = first; id < first + 10_000; id += 1) {
      map.set(id, { id });
      if (id >= first + 100) expect(map.delete(id - 100)).toBe(true);
    }
    expect(map.values().map(({ id }) => id - first)).toEqual(Array.from({ length: 100 }, (_, index) => 9_900 + index));
  });

  it.each([-1, -2, 0.5, NaN, Infinity, -Infinity, 2 ** 53])('refuses the key %d and finds no entry for it', (key) => {
    const map = new NumberMap<number, object>();
    const value = {};
    map.set(1, value);
    expect(() => map.set(key, {})).toThrow('a key of a NumberMap');
    expect([map.get(key), map.has(key), map.delete(key), map.size]).toEqual([undefined, false, false, 1]);
    expect(map.entries()).toEqual([[1, value]]);
  });

  it('leaves a list of entries as it is when the table changes', () => {
    const map = new NumberMap<number, object>();
    const value = {};
    for (const key of [9, 2, 5]) map.set(key, value);
    const before = map.entries();
    map.delete(2);
    map.set(1, value);
    expect(before.map(([key]) => key)).toEqual([2, 5, 9]);
    expect(map.entries().map(([key]) => key)).toEqual([1, 5, 9]);
  });
});
