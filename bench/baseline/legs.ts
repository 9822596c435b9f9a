import type { Strategy, StrategyDecision, StrategyIntent, StrategyView } from '../../src/model/intent.js';
import { endOf } from '../../src/model/order.js';
import type { Lots, Ticks } from '../../src/model/quantity.js';
import type { EpochMs } from '../../src/model/time.js';
import { QUIET } from '../../src/strategy/all-at-once.js';
import { circumstances, farTouch, minimumAt, unplaced } from '../../src/strategy/placement.js';

/** Legs of a schedule by the clock: 30 s apart, as they are published, and closer together in a short order. */
export interface Legs {
  readonly count: number;
  readonly intervalMs: number;
  readonly startMs: number;
}

const INTERVAL_MS = 30_000;
const LEGS_COUNT_MIN = 10;
/** What is left for the end of the time is sent so long before it. */
const LAST_CALL_MS = 1_000;

/** What a rule places when leg number `leg` (from 0) is due; `legs.count` names the end of the time. */
export type LegRule = (view: StrategyView, leg: number, legs: Legs) => readonly StrategyIntent[];

/** A rule that acts at its legs alone. Memory: legs that have been due. */
export function inLegs(rule: LegRule): Strategy {
  return {
    name: 'TWAP',
    begin: () => [0],
    work: (view) => {
      const legs = legsOf(view);
      const due = dueCount(legs, view.nowMs);
      const [done = 0] = view.state.memory;
      const wake = { atMs: dueAtMs(legs, due), when: [] };
      if (due <= done) return { ...QUIET, wake };
      return { ...QUIET, intents: rule(view, due - 1, legs), memory: [due], wake };
    },
  };
}

export function legsOf({ state, nowMs }: StrategyView): Legs {
  const startMs = state.startedAtMs ?? nowMs;
  const spanMs = (endOf(state.order, startMs) ?? startMs + LEGS_COUNT_MIN * INTERVAL_MS) - startMs;
  const count = Math.max(LEGS_COUNT_MIN, Math.round(spanMs / INTERVAL_MS));
  return { count, intervalMs: spanMs / count, startMs };
}

/** Legs whose time has come; one more than there are when the end is near. */
export function dueCount(legs: Legs, nowMs: EpochMs): number {
  let due = Math.min(legs.count, Math.floor((nowMs - legs.startMs) / legs.intervalMs) + 1);
  while ((dueAtMs(legs, due) ?? Infinity) <= nowMs) due += 1;
  return due;
}

/** When a leg is due; null behind the last. */
export function dueAtMs({ count, intervalMs, startMs }: Legs, leg: number): EpochMs | null {
  if (leg > count) return null;
  return Math.ceil(startMs + leg * intervalMs - (leg === count ? LAST_CALL_MS : 0)) as EpochMs;
}

/** A child that takes at once, at any price or up to a limit; none below the venue's minimum. */
export function take(view: StrategyView, wanted: number, limitPrice: Ticks | null): readonly StrategyIntent[] {
  return child(view, wanted, { limitPrice, timeInForce: 'IOC', type: limitPrice === null ? 'MARKET' : 'LIMIT' });
}

/** A child that waits at a price. */
export function rest(view: StrategyView, wanted: number, limitPrice: Ticks): readonly StrategyIntent[] {
  return child(view, wanted, { limitPrice, timeInForce: 'GTC', type: 'LIMIT' });
}

type Terms = Pick<Extract<StrategyIntent, { kind: 'Place' }>, 'limitPrice' | 'timeInForce' | 'type'>;

function child(view: StrategyView, wanted: number, terms: Terms): readonly StrategyIntent[] {
  const price = terms.limitPrice ?? farTouch(view.state.order.side, view.market);
  const quantity = Math.min(Math.floor(wanted), unplaced(view)) as Lots;
  if (price === 0 || quantity < minimumAt(view.instrument, price)) return [];
  const reason = { code: 'BASELINE', detail: circumstances(view, null) };
  return [{ kind: 'Place', quantity, ...terms, postOnly: false, reason }];
}

/** Nothing until something changes, or until then. */
export function waiting(atMs: number | null): StrategyDecision {
  return { ...QUIET, wake: { atMs: atMs as EpochMs | null, when: [] } };
}
