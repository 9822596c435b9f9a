import { describe, expect, it } from 'vitest';
import { LIVE_CHILDREN_MAX } from '../../src/domain/limits/trading.js';
import type { ChildOrder, LegState, LiveChild, ParentState } from '../../src/domain/order-state.js';
import { InvariantViolation } from '../../src/domain/rejection.js';
import { checkInvariants } from '../../src/order/invariants.js';
import { given, orderOf, started, submitted, accepted, created } from './orders.js';

/** An order of 1,000 lots, a buy with a limit price, with children 1 and 2 live. */
const WORKING = given([
  created(orderOf({ limitPrice: 6_400_000 as never })),
  accepted,
  started,
  submitted(1),
  submitted(2),
]);

const state = (change: Partial<ParentState>): ParentState => ({ ...WORKING, ...change });
const leg = (change: Partial<LegState>, rest: Partial<ParentState> = {}): ParentState =>
  state({ legs: [{ ...WORKING.legs[0], ...change }], ...rest });
const filled = (lots: number): Pick<LegState, 'progress'> => ({
  progress: { filled: lots as never, notional: 0n as never },
});

function children(change: Partial<ChildOrder>, lots = 0): readonly LiveChild[] {
  const [first, second] = WORKING.legs[0].children as [LiveChild, LiveChild];
  return [first, { ...second, order: { ...second.order, ...change }, ...filled(lots) }];
}

const NAME = 'leg 0 of order 4711';
const ENDED = { endedAtMs: 1 as never };
const NONE = { children: [] };

/** Each violation with its text. */
const VIOLATIONS: readonly (readonly [string, ParentState])[] = [
  ['order 4711 has two legs if and only if it is a pair', state({ legs: [WORKING.legs[0], WORKING.legs[0]] })],
  ['order 4711 has no live child after its end', state({ status: 'CANCELLED', ...ENDED })],
  ['order 4711 has an end time if and only if it has ended', state(ENDED)],
  ['order 4711 has an end time if and only if it has ended', leg(NONE, { status: 'CANCELLED' })],
  [`${NAME} never exceeds its quantity`, leg(filled(1_001))],
  [`${NAME} never exceeds its quantity`, leg(filled(NaN))],
  [`${NAME} counts each fill once`, leg({ makerFilled: 1 as never })],
  [`${NAME} counts each fill once`, leg({ makerFilled: NaN as never })],
  [
    `${NAME} has at most ${LIVE_CHILDREN_MAX} live children`,
    leg({ children: Array.from({ length: LIVE_CHILDREN_MAX + 1 }, () => children({ quantity: 1 as never })[1]!) }),
  ],
  ['order 4711 is FILLED only with its whole quantity filled', leg(NONE, { status: 'FILLED', ...ENDED })],
  [`children of ${NAME} are sorted by number`, leg({ children: children({ child: 1 as never }) })],
  [`children of ${NAME} are sorted by number`, leg({ children: children({ child: NaN as never }) })],
  [`a live child of ${NAME} has unfilled quantity`, leg({ children: children({}, 100) })],
  [
    `a live child of ${NAME} has unfilled quantity`,
    leg({ children: children({ quantity: NaN as never }) }, { epoch: 1 }),
  ],
  [`children of ${NAME} are within its limit price`, leg({ children: children({ limitPrice: 6_400_001 as never }) })],
  [`children of ${NAME} are within its limit price`, leg({ children: children({ limitPrice: null }) })],
  [`children of ${NAME} have counted numbers`, leg({ children: children({ child: 3 as never }) })],
  ['order 4711 is REJECTED only without fills', leg({ ...NONE, ...filled(1) }, { status: 'REJECTED', ...ENDED })],
];

describe('checkInvariants', () => {
  it('accepts a working order', () => {
    expect(() => checkInvariants(WORKING)).not.toThrow();
  });

  it.each(VIOLATIONS.map(([text, violating]) => [text, violating] as const))(
    'names the violation: %s',
    (text, violating) => {
      expect(() => checkInvariants(violating)).toThrow(new InvariantViolation(text));
    },
  );

  it('accepts contradictory facts of a quarantined order, except for its end', () => {
    const quarantine = { atMs: 1, cause: '' } as never;
    expect(() => checkInvariants({ ...leg(filled(1_001)), quarantine })).not.toThrow();
    expect(() => checkInvariants({ ...state(ENDED), quarantine })).toThrow('has an end time');
  });
});
