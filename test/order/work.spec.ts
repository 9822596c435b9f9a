import { describe, expect, test } from 'vitest';
import { serviceCause } from '../../src/domain/cancel-cause.js';
import type { ChildNumber } from '../../src/domain/ids.js';
import type { StrategyDecision, StrategyIntent } from '../../src/domain/intent.js';
import type { ParentState } from '../../src/domain/order-state.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { type Decided, NOTHING, when } from './deciding.js';
import {
  accepted,
  BTC,
  created,
  filled,
  given,
  orderOf,
  refused,
  START_MS,
  started,
  submitted,
  WORKABLE,
} from './orders.js';
import { memoryOf } from './memories.js';

const REASON = { code: 'TAKE', detail: '', figures: [1] } as const;

function decisionOf(change: Partial<StrategyDecision>): StrategyDecision {
  return { intents: [], memory: null, note: null, end: null, wake: { atMs: null, when: [] }, ...change };
}

function placement(change: Partial<Extract<StrategyIntent, { kind: 'Place' }>> = {}): StrategyIntent {
  return {
    kind: 'Place',
    quantity: 100 as Lots,
    type: 'LIMIT',
    timeInForce: 'GTC',
    limitPrice: 6_400_000 as Ticks,
    postOnly: false,
    reason: REASON,
    ...change,
  };
}

function work(state: ParentState, change: Partial<StrategyDecision>, nowMs: number = START_MS + 10_000): Decided {
  return when(
    state,
    { kind: 'Work', leg: 0, instrument: BTC, decision: decisionOf(change) },
    { nowMs: nowMs as EpochMs },
  );
}

test('a placement becomes a numbered child that is recorded with its reason and sent', () => {
  const state = given([...WORKABLE, submitted(1)]);
  const { events, effects } = work(state, { intents: [placement()], memory: memoryOf(3) });
  const order = { child: 2, side: 'BUY', quantity: 100, type: 'LIMIT', timeInForce: 'GTC', limitPrice: 6_400_000 };
  expect(events).toEqual([
    {
      kind: 'ChildSubmitted',
      order: { ...order, leg: 0, postOnly: false, reduceOnly: false, submittedAtMs: START_MS + 10_000, reason: REASON },
      memory: memoryOf(3),
    },
  ]);
  expect(effects).toMatchObject([{ kind: 'Submit', submission: { ...order, orderId: 4_711, venue: 'BINANCE' } }]);
});

test('reduce-only passes on to every child', () => {
  const state = given([created(orderOf({ reduceOnly: true })), accepted, started]);
  expect(work(state, { intents: [placement()] }).events).toMatchObject([{ order: { reduceOnly: true } }]);
});

test('the first placement records the memory, or a note does when there is no placement', () => {
  const state = given(WORKABLE);
  const two = work(state, { intents: [placement(), placement()], memory: memoryOf(9) });
  expect(two.events).toMatchObject([{ memory: memoryOf(9) }, { memory: null }]);
  const noted = work(state, { note: REASON });
  expect(noted.events).toEqual([{ kind: 'StrategyNoted', reason: REASON, memory: state.legs[0].memory, leg: 0 }]);
  const remembered = work(state, { memory: memoryOf(9) });
  expect(remembered.events).toMatchObject([
    { kind: 'StrategyNoted', reason: { code: 'REMEMBER' }, memory: memoryOf(9) },
  ]);
  expect(work(state, {})).toEqual(NOTHING);
});

test('a repeated cancel of a child is sent once', () => {
  const cancel = { kind: 'CancelChild', child: 1 as ChildNumber, reason: REASON } as const;
  const { events, effects } = work(given([...WORKABLE, submitted(1)]), { intents: [cancel, cancel] });
  expect([events.length, effects.length]).toEqual([1, 1]);
});

test('a strategy may end its order after its children are cancelled', () => {
  const end = { code: 'SLIPPAGE_EXCEEDED', message: 'too far' } as const;
  expect(work(given([...WORKABLE, submitted(1)]), { end }).effects).toMatchObject([{ kind: 'Cancel' }]);
  expect(work(given(WORKABLE), { end }).events).toEqual([
    { kind: 'ParentCancelled', cause: end, cancelCause: serviceCause('SLIPPAGE_EXCEEDED') },
  ]);
});

test('an order that may not trade places no child', () => {
  const place = { intents: [placement()] };
  expect(work(given([created(), accepted]), place).events).toEqual([]);
  expect(work(given([...WORKABLE, { kind: 'ParentPauseRequested' }]), place).events).toEqual([]);
  expect(work(given(WORKABLE), place, START_MS + 60_000).events).toMatchObject([{ kind: 'ParentExpired' }]);
  const limit = orderOf({ strategy: 'LIMIT', limitPrice: 6_400_000 as Ticks });
  const givenUp = given([created(limit), accepted, started, submitted(1), submitted(2), refused(1)]);
  expect(work(givenUp, place).events).toMatchObject([{ kind: 'ChildCancelRequested', child: 2 }]);
});

describe('an intent that would break an invariant throws:', () => {
  const limited = given([created(orderOf({ limitPrice: 6_400_000 as Ticks })), accepted, started]);
  const nearlyDone = given([...WORKABLE, submitted(1, { quantity: 901 as Lots }), filled(1, 400)]);
  test.each([
    ['more than the order', given(WORKABLE), { quantity: 1_001 as Lots }, 'exceed'],
    ['more than is neither filled nor working', nearlyDone, { quantity: 100 as Lots }, 'exceed'],
    ['a price beyond the limit', limited, { limitPrice: 6_400_001 as Ticks }, 'is within the limit'],
    [
      'a market order under a limit',
      limited,
      { type: 'MARKET', timeInForce: 'IOC', limitPrice: null } as const,
      'every child has a price',
    ],
    ['no price', given(WORKABLE), { limitPrice: null }, 'limit price'],
    ['a price between ticks', given(WORKABLE), { limitPrice: 1.5 as Ticks }, 'whole number of ticks'],
    ['a part of a lot', given(WORKABLE), { quantity: 10.5 as Lots }, 'whole number of lots'],
    ['less than the least quantity', given(WORKABLE), { quantity: 9 as Lots }, 'are within the bounds'],
    [
      'less than the minimum notional',
      given(WORKABLE),
      { quantity: 10 as Lots, limitPrice: 1 as Ticks },
      'minimum notional',
    ],
    [
      'a market order that rests',
      given(WORKABLE),
      { type: 'MARKET', limitPrice: null } as const,
      'a market order is IOC',
    ],
    ['a post-only child that takes', given(WORKABLE), { timeInForce: 'IOC', postOnly: true } as const, 'post-only'],
  ])('%s', (_, state, change, message) => {
    expect(() => work(state, { intents: [placement(change)] })).toThrow(message);
  });

  test('too many children', () => {
    const order = orderOf({ quantity: 10_000 as Lots });
    const children = Array.from({ length: 200 }, (_, index) => submitted(index + 1, { quantity: 10 as Lots }));
    const state = given([created(order), accepted, started, ...children]);
    expect(() => work(state, { intents: [placement()] })).toThrow('at most 200 children');
  });

  test('the cancel of a child that has ended', () => {
    const cancel = { kind: 'CancelChild', child: 1 as ChildNumber, reason: REASON } as const;
    expect(() => work(given(WORKABLE), { intents: [cancel] })).toThrow('is live when its cancel is requested');
  });
});
