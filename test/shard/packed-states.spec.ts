import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ParentState } from '../../src/domain/order-state.js';
import { evolve } from '../../src/order/evolve.js';
import { orderInState } from '../../src/wire/codec/encoded-order.js';
import { encodeState } from '../../src/wire/codec/state.js';
import { Actor } from '../../src/shard/actor.js';
import { NOT_PACKED, PackedStates, type PackedPlace } from '../../src/shard/packed-states.js';
import { accepted, acknowledged, BTC, created, given, orderOf, START_MS, started, submitted } from '../order/orders.js';

describe('PackedStates', () => {
  it('returns each state unchanged while others come and go', () => {
    const step = fc.record({ isFreed: fc.boolean(), state: fc.uint8Array({ minLength: 1, maxLength: 4_200 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const store = new PackedStates();
        const expected = new Map<PackedPlace, Uint8Array>();
        for (const { isFreed, state } of steps) {
          const [oldest] = expected.keys();
          if (isFreed && oldest !== undefined) {
            store.free(oldest);
            expected.delete(oldest);
          }
          const place = store.put(state);
          if (state.length > 4_096) {
            expect(place).toBe(NOT_PACKED);
            continue;
          }
          expect(expected.has(place)).toBe(false);
          expected.set(place, state.slice());
          state.fill(0xee);
        }
        expect(store.count).toBe(expected.size);
        for (const [place, state] of expected) expect(Buffer.compare(store.read(place), state)).toBe(0);
      }),
      { numRuns: 200 },
    );
  });

  it('uses freed cells again', () => {
    const store = new PackedStates();
    const state = new Uint8Array(300);
    for (let round = 0; round < 10; round += 1) {
      const places = Array.from({ length: 1_000 }, () => store.put(state));
      for (const place of places) store.free(place);
    }
    const { capacityBytes } = store;
    for (let count = 0; count < 1_000; count += 1) store.put(state);
    expect(store.capacityBytes).toBe(capacityBytes);
    expect(capacityBytes).toBeLessThan(2 * 1_000 * 320);
  });
});

const CREATED = evolve(null, { kind: 'ParentCreated', order: orderOf() }, START_MS);

function actorOf(state: ParentState): { readonly actor: Actor; readonly store: PackedStates } {
  return { actor: new Actor(state, BTC), store: new PackedStates() };
}

describe('An order that waits', () => {
  it('keeps only the bytes of its state, until the next read', () => {
    const { actor, store } = actorOf(CREATED);
    actor.rest(store);
    expect(store.count).toBe(1);
    const { state } = actor;
    expect(state).not.toBe(CREATED);
    expect(state).toEqual(CREATED);
    expect(actor.state, 'one object until it rests again').toBe(state);
    actor.rest(store);
    expect(store.count).toBe(1);
    expect(actor.state).toEqual(CREATED);
  });

  it('takes a new state', () => {
    const { actor, store } = actorOf(CREATED);
    actor.rest(store);
    const next = given([created(orderOf()), accepted]);
    actor.state = next;
    expect(actor.state).toBe(next);
    actor.rest(store);
    expect(actor.state).toEqual(next);
  });

  it('encodes the order once, until it has new terms', () => {
    const order = orderOf();
    const first = given([created(order)]);
    const encodedOrder = orderInState(encodeState(first)).slice();
    const store = new PackedStates();
    const actor = new Actor(first, BTC, encodedOrder);
    const expectStored = (state: ParentState): void => {
      actor.state = state;
      actor.rest(store);
      expect(store.count).toBe(1);
      const { state: read } = actor;
      expect(read).toEqual(state);
      expect(Buffer.from(encodeState(read))).toEqual(Buffer.from(encodeState(state)));
    };
    expectStored(given([created(order), accepted]));
    for (const lateFills of [1, 2]) expectStored({ ...actor.state, contradictions: lateFills });
    expectStored({ ...actor.state, order: { ...actor.state.order, revision: 1 } });
    expectStored({ ...actor.state, contradictions: 3 });
    expect(actor.state.order.revision).toBe(1);
  });

  it('takes a state from before its work on the order back', () => {
    const { actor, store } = actorOf(CREATED);
    actor.rest(store);
    const before = actor.state;
    actor.state = { ...before, contradictions: 9 };
    actor.state = before;
    actor.rest(store);
    expect(actor.state).toEqual(CREATED);
  });

  it('frees its bytes at its end, and shows its last state', () => {
    const { actor, store } = actorOf(CREATED);
    actor.rest(store);
    actor.release();
    expect(store.count).toBe(0);
    expect(actor.state).toEqual(CREATED);
  });

  it('keeps its objects while it has a live child, or waits for the market', () => {
    const working = given([created(orderOf()), accepted, started, submitted(1), acknowledged(1)]);
    const withChild = actorOf(working);
    withChild.actor.rest(withChild.store);
    expect(withChild.actor.state).toBe(working);
    const waiting = actorOf(CREATED);
    waiting.actor.conditions = [{ field: 'volume', at: 'or above', bound: 0 }];
    waiting.actor.rest(waiting.store);
    expect(waiting.actor.state).toBe(CREATED);
  });

  it('keeps its objects after its end', () => {
    const ended = given([created(orderOf()), accepted, { kind: 'ParentCancelled', cause: null, cancelCause: null }]);
    const { actor, store } = actorOf(ended);
    actor.rest(store);
    expect(store.count).toBe(0);
  });
});
