import { describe, expect, test } from 'vitest';
import type { ChildSettlement } from '../../src/domain/child-settlement.js';
import type { ChildNumber } from '../../src/domain/ids.js';
import type { ParentState } from '../../src/domain/order-state.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import { isRejected } from '../../src/domain/rejection.js';
import type { VenueTradeId } from '../../src/domain/ids.js';
import { decide, type OrderInput } from '../../src/order/decide.js';
import { evolve } from '../../src/order/evolve.js';
import { answeredWith, CONTEXT, facts, NOTHING, sent, when } from './deciding.js';
import {
  acknowledged,
  filled,
  given,
  orderOf,
  reportOf,
  START_MS,
  submitted,
  unknown,
  venueId,
  WORKABLE,
} from './orders.js';

const ORDER = orderOf().orderId;
const PRICE = 6_400_000 as Ticks;

function settlementOf(lots: number, price: Ticks | null = lots === 0 ? null : PRICE, child = 1): ChildSettlement {
  return {
    orderId: ORDER,
    child: child as ChildNumber,
    filled: lots as Lots,
    price,
    reason: 'seen on the page',
    by: 'kim',
  };
}

const settling = (...terms: Parameters<typeof settlementOf>): OrderInput => ({
  kind: 'Settle',
  settlement: settlementOf(...terms),
});

function after(state: ParentState, input: OrderInput): ParentState {
  return when(state, input).events.reduce((folded, event) => evolve(folded, event, CONTEXT.nowMs), state);
}

function refusalOf(state: ParentState, input: OrderInput) {
  const decision = decide(state, input, CONTEXT);
  if (!isRejected(decision)) throw new Error('it is not refused');
  return decision.rejection;
}

const denial = (child: number): OrderInput => {
  const answer = answeredWith({ state: 'DENIED', venueOrderId: venueId(child), deniedSinceMs: START_MS });
  return { kind: 'Report', report: reportOf(child, answer, CONTEXT.nowMs) };
};

/** A fill of the exchange with `lots` of child 1. */
const shown = (lots: number, tradeId: number): OrderInput => {
  const event = filled(1, lots);
  if (event.kind !== 'ChildFilled') throw new Error('a fill');
  const fill = { ...event.fill, tradeId: tradeId as VenueTradeId, fee: 7n as never };
  return { kind: 'Report', report: reportOf(1, { kind: 'Filled', fill }) };
};

/** A refusal of the cancel of child 1. */
const refused = (code: 'EXCHANGE_NOT_AVAILABLE' | 'INVALID_ORDER'): OrderInput => ({
  kind: 'Report',
  report: reportOf(1, { kind: 'CancelRejected', rejection: { code, message: 'no' } }),
});

/** Two children of 100 lots each; the order has 1,000. */
const lost = given([...WORKABLE, submitted(1), acknowledged(1), submitted(2), acknowledged(2), unknown(1)]);
const denied = after(lost, denial(1));

describe('A settlement of an unknown child', () => {
  test('ends a child that has filled nothing', () => {
    expect(facts(when(lost, settling(0)))).toEqual(['ChildSettled 1', 'ChildCancelled 1']);
    const never = given([...WORKABLE, submitted(1), unknown(1)]);
    expect(facts(when(never, settling(0)))).toEqual(['ChildSettled 1', 'ChildNeverPlaced 1']);
  });

  test('records the reason and the operator, then the fill of what no known fill shows, then the end', () => {
    const half = given([...WORKABLE, submitted(1), acknowledged(1), unknown(1), filled(1, 40)]);
    const { events } = when(half, settling(60));
    expect(events).toMatchObject([
      { kind: 'ChildSettled', filled: 60, price: PRICE, reason: 'seen on the page', by: 'kim' },
      { kind: 'ChildFilled', isLate: false, fill: { quantity: 20, price: PRICE, fee: 0n, feeCurrency: 'USDT' } },
      { kind: 'ChildCancelled', cause: null },
    ]);
    expect(after(half, settling(60)).legs[0]).toMatchObject({ progress: { filled: 60 }, children: [] });
  });

  test('ends a child by its fill when that is all of it, and an order when that is all of its quantity', () => {
    const { quantity } = lost.legs[0].children[0]!.order;
    expect(facts(when(lost, settling(quantity)))).toEqual(['ChildSettled 1', 'ChildFilled 1']);
    const all = orderOf().legs[0].quantity;
    const one = given([...WORKABLE, submitted(1, { quantity: all }), acknowledged(1), unknown(1)]);
    expect(after(one, settling(all))).toMatchObject({ status: 'FILLED', settled: [{ child: 1, unseen: all }] });
  });

  test('leaves the order at work when it is not quarantined', () => {
    expect(after(lost, settling(0))).toMatchObject({ status: lost.status, quarantine: null });
  });

  test('releases an order that is quarantined for the child; the order ends with its last child', () => {
    const decision = when(denied, settling(30));
    const released = ['ChildSettled 1', 'ChildFilled 1', 'ChildCancelled 1', 'ParentReleased', 'ChildUnknown 2'];
    expect([facts(decision), sent(decision)]).toEqual([[...released, 'ChildCancelRequested 2'], ['QueryStatus 2']]);
    const ending = after(denied, settling(30));
    const gone = answeredWith({ state: 'CANCELLED', venueOrderId: venueId(2), cause: null });
    const ended = after(ending, { kind: 'Report', report: reportOf(2, gone) });
    expect(ended).toMatchObject({ status: 'CANCELLED', legs: [{ progress: { filled: 30 } }] });
    expect(ended.cancelCause).toMatchObject({ by: 'OPERATOR' });
  });

  test.each([
    ['a child that is open', settling(0, null, 2), 'INVALID_ORDER', 'child 4711-2 is OPEN, not UNKNOWN'],
    ['a child that has ended or was never placed', settling(0, null, 3), 'INVALID_ORDER', 'child 4711-3 is not live'],
    ['more than the child', settling(101), 'INVALID_QUANTITY', 'filled 0.00101 exceeds the quantity 0.001 of child'],
    ['a quantity without a price', settling(50, null), 'INVALID_LIMIT_PRICE', 'the price is missing'],
  ])('is refused for %s', (_what, input, code, message) => {
    expect(refusalOf(lost, input)).toMatchObject({ code, message: expect.stringContaining(message) });
  });

  test('is refused below the fills that the exchange has reported', () => {
    const half = given([...WORKABLE, submitted(1), acknowledged(1), unknown(1), filled(1, 40)]);
    expect(refusalOf(half, settling(0))).toMatchObject({
      code: 'INVALID_QUANTITY',
      message: 'filled 0 is below 0.0004, which the exchange has reported of child 4711-1',
    });
    expect(facts(when(half, settling(40, null)))).toEqual(['ChildSettled 1', 'ChildCancelled 1']);
  });

  test('is refused for an order that has ended', () => {
    const ended = after(
      given([...WORKABLE, submitted(1), unknown(1), { kind: 'ParentCancelRequested', cancelCause: null }]),
      settling(0),
    );
    expect(ended.status).toBe('CANCELLED');
    expect(refusalOf(ended, settling(0))).toMatchObject({
      message: 'child 4711-1 is not live: its order is CANCELLED',
    });
  });
});

describe('A fill that the exchange shows after a settlement', () => {
  const settled = after(denied, settling(60));

  test('counts only beyond the settled quantity, with its fee', () => {
    const some = after(settled, shown(50, 901));
    expect(when(settled, shown(50, 901)).events).toMatchObject([
      { kind: 'ChildFilled', isLate: true, settled: 50, fill: { quantity: 0, fee: 7n } },
    ]);
    expect(some).toMatchObject({ settled: [{ child: 1, unseen: 10 }], legs: [{ progress: { filled: 60 } }] });
    expect(some.legs[0].lastQuantity).toBe(60);
    const more = after(some, shown(30, 902));
    expect(more).toMatchObject({ settled: [], legs: [{ progress: { filled: 80 } }] });
    expect(after(more, shown(5, 903)).legs[0].progress.filled).toBe(85);
  });

  test('counts whole when the child was settled as absent', () => {
    expect(after(after(denied, settling(0)), shown(50, 901)).legs[0].progress.filled).toBe(50);
  });
});

describe('A child that is executed after it was settled or counted as absent', () => {
  const ended = given([...WORKABLE, submitted(1), unknown(1), { kind: 'ChildNeverPlaced', child: 1 as ChildNumber }]);

  test('is cancelled at its exchange when it rests there', () => {
    const decision = when(ended, {
      kind: 'Report',
      report: reportOf(1, { kind: 'Accepted', venueOrderId: venueId(1) }),
    });
    expect([facts(decision), sent(decision)]).toEqual([[], ['Cancel 1']]);
    expect(decision.effects).toMatchObject([{ target: { venueOrderId: 'v1', instrument: 0 } }]);
    const open = answeredWith({ state: 'OPEN', venueOrderId: venueId(1) });
    expect(sent(when(ended, { kind: 'Report', report: reportOf(1, open) }))).toEqual(['Cancel 1']);
  });

  test('is asked for when its cancel could not be sent, and not when the exchange knows no open order', () => {
    expect(sent(when(ended, refused('EXCHANGE_NOT_AVAILABLE')))).toEqual(['QueryStatus 1']);
    expect(when(ended, refused('INVALID_ORDER'))).toEqual(NOTHING);
  });

  test('makes an over-fill, which is recorded, also by the fill of a child that is live', () => {
    const { quantity } = orderOf().legs[0];
    const almost = given([
      ...WORKABLE,
      submitted(1),
      unknown(1),
      { kind: 'ChildNeverPlaced', child: 1 as ChildNumber },
      submitted(2, { quantity: quantity }),
      acknowledged(2),
    ]);
    const late = after(almost, shown(100, 901));
    expect(facts(when(almost, shown(100, 901)))).toEqual(['ChildFilled 1', 'ChildCancelRequested 2']);
    const last = filled(2, quantity);
    if (last.kind !== 'ChildFilled') throw new Error('a fill');
    const whole: OrderInput = { kind: 'Report', report: reportOf(2, { kind: 'Filled', fill: last.fill }) };
    expect(when(late, whole).events).toMatchObject([
      { kind: 'ReportContradicted', child: 2, contradiction: 'ORDER_OVERFILL' },
      { kind: 'ChildFilled', child: 2 },
    ]);
    expect(after(late, whole)).toMatchObject({ status: 'FILLED', legs: [{ progress: { filled: quantity + 100 } }] });
  });
});
