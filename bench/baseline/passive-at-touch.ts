import type { Strategy } from '../../src/model/intent.js';
import {
  cancel,
  circumstances,
  isAsAggressive,
  nearTouch,
  restingChildren,
  unplaced,
  whenAnything,
  whenLeftBehind,
} from '../../src/strategy/placement.js';
import { rest, waiting } from './legs.js';

/** Everything at the best price of the own side, moved with it at once, and never across. Memory: nothing. */
export const PASSIVE_AT_TOUCH: Strategy = {
  name: 'TWAP',
  begin: () => [],
  work: (view) => {
    const { side } = view.state.order;
    const touch = nearTouch(side, view.market);
    if (touch === 0) return { ...waiting(null), wake: { atMs: null, when: [whenAnything] } };
    const wake = { atMs: null, when: [whenLeftBehind(side, touch)] };
    const left = restingChildren(view).filter(({ order }) => !isAsAggressive(side, order.limitPrice ?? touch, touch));
    const reason = { code: 'BASELINE', detail: circumstances(view, null) };
    const intents = left.length > 0 ? cancel(left, reason) : rest(view, unplaced(view), touch);
    return { ...waiting(null), intents, wake };
  },
};
