import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeState, encodeState } from '../../../src/wire/codec/state.js';
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

  it('gives bytes that later messages do not overwrite', () => {
    fc.assert(
      fc.property(parentState, parentState, (state, next) => {
        const bytes = encodeState(state);
        encodeState(next);
        expect(decodeState(bytes)).toStrictEqual(state);
      }),
      { numRuns: 30 },
    );
  });
});
