import type { Strategy, StrategyView } from '../../src/model/intent.js';
import type { Ticks } from '../../src/model/quantity.js';
import { cancel, circumstances, restingChildren, unplaced } from '../../src/strategy/placement.js';
import { dueAtMs, dueCount, legsOf, rest, waiting, type Legs } from './legs.js';

/**
 * The maker mode of hummingbot's TWAP (strategy_v2/executors/twap_executor): at each leg a limit order at the mid, which
 * waits at the own side of it, for an even part of what is neither done nor open. One that has waited for a leg's time is
 * withdrawn and placed anew. It never crosses; what is left at the end stays undone.
 * Memory: legs that have been due, and whether a withdrawn order is to be placed again.
 */
export const EVEN_MAKER: Strategy = { name: 'TWAP', begin: () => [0, 0], work };

function work(view: StrategyView): ReturnType<Strategy['work']> {
  const legs = legsOf(view);
  const due = Math.min(legs.count, dueCount(legs, view.nowMs));
  const [done = 0, isOwed = 0] = view.state.memory;
  const old = restingChildren(view).filter((child) => view.nowMs >= child.order.submittedAtMs + legs.intervalMs);
  const sleep = waiting(nextAtMs(view, legs, due));
  if (old.length > 0) {
    const reason = { code: 'BASELINE', detail: circumstances(view, null) };
    return { ...sleep, intents: cancel(old, reason), memory: [done, 1] };
  }
  const isWithdrawing = view.state.children.some(({ state }) => state === 'CANCEL_IN_FLIGHT');
  if (isWithdrawing || (due <= done && isOwed === 0)) return sleep;
  const { bid, ask } = view.market;
  if (bid === 0 || ask === 0) return sleep;
  const round = view.state.order.side === 'BUY' ? Math.floor : Math.ceil;
  const quantity = unplaced(view) / Math.max(1, legs.count - done);
  return { ...sleep, intents: rest(view, quantity, round((bid + ask) / 2) as Ticks), memory: [due, 0] };
}

function nextAtMs(view: StrategyView, legs: Legs, due: number): number {
  const oldAtMs = view.state.children.map(({ order }) => order.submittedAtMs + legs.intervalMs);
  return Math.max(view.nowMs + 1, Math.ceil(Math.min(dueAtMs(legs, due) ?? Infinity, ...oldAtMs)));
}
