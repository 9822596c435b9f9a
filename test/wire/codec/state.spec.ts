import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newState, type ParentState } from '../../../src/domain/order-state.js';
import { orderInState } from '../../../src/wire/codec/encoded-order.js';
import { decodeState, encodeState } from '../../../src/wire/codec/state.js';
import { runs } from '../../runs.js';
import { parentState } from './arbitraries.js';

/** Returns an equal value of new objects, with reversed key order. */
function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, part]) => [key, reordered(part)]),
  );
}

describe('encodeState', () => {
  it('gives equal bytes for equal states, in any order of keys', () => {
    fc.assert(
      fc.property(parentState, (state) => {
        const twin = reordered(state) as typeof state;
        expect(Buffer.compare(encodeState(state), encodeState(twin))).toBe(0);
      }),
      { numRuns: 100 },
    );
  });

  it('gives different bytes for different states', () => {
    fc.assert(
      fc.property(parentState, (state) => {
        const other = { ...state, lateFills: state.lateFills + 1 };
        expect(Buffer.compare(encodeState(state), encodeState(other))).not.toBe(0);
      }),
      { numRuns: 100 },
    );
  });

  it('gives the same bytes for an order that has not started when it takes the encoded order', () => {
    fc.assert(
      fc.property(parentState, (other) => {
        const untouched = { ...newState(other.order), status: other.status };
        // Each state differs in one member.
        const states = Object.keys(untouched).map((key) => ({ ...untouched, [key]: other[key as keyof ParentState] }));
        for (const state of [untouched, ...states]) {
          const whole = encodeState(state);
          expect(Buffer.compare(encodeState(state, orderInState(whole)), whole)).toBe(0);
          expect(Buffer.compare(encodeState(untouched, orderInState(whole)), encodeState(untouched))).toBe(0);
        }
      }),
      { numRuns: runs(100, 500) },
    );
  });

  it('gives bytes that later messages do not overwrite', () => {
    fc.assert(
      fc.property(parentState, parentState, (state, next) => {
        const waiting = newState(state.order);
        const [bytes, waitingBytes] = [encodeState(state), encodeState(waiting, orderInState(encodeState(state)))];
        encodeState(next);
        encodeState(newState(next.order), orderInState(encodeState(next)));
        expect(decodeState(bytes)).toStrictEqual(state);
        expect(decodeState(waitingBytes)).toStrictEqual(waiting);
      }),
      { numRuns: 30 },
    );
  });
});
