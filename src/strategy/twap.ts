import { assert } from '../model/assert.js';
import type { StrategyView } from '../model/intent.js';
import { endOf } from '../model/order.js';
import type { EpochMs } from '../model/time.js';
import { cumulative } from './schedule.js';
import { slotted } from './slotted.js';

/** Equal slices at about equal times. */
export const TWAP = slotted({
  name: 'TWAP',
  endsAtMs: givenEnd,
  curve: (_view, slots, _kept, fired) => cumulative(slots, fired),
});

/** The end that the client has set: a schedule by the clock has one. */
export function givenEnd({ state, nowMs }: StrategyView): EpochMs {
  const endAtMs = endOf(state.order, state.startedAtMs ?? nowMs);
  assert(endAtMs !== null, `a ${state.order.strategy} has an end time`);
  return endAtMs;
}
