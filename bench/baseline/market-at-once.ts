import type { Strategy } from '../../src/model/intent.js';
import type { EpochMs } from '../../src/model/time.js';
import { BOOK_REFILL_MS } from '../../src/model/limits.js';
import { unplaced } from '../../src/strategy/placement.js';
import { take, waiting } from './legs.js';

/** One market order for everything; what the book could not give is asked for again a moment later. Memory: when it last asked. */
export const MARKET_AT_ONCE: Strategy = {
  name: 'MARKET',
  begin: () => [0],
  work: (view) => {
    const [askedAtMs = 0] = view.state.memory;
    const againAtMs = askedAtMs + BOOK_REFILL_MS;
    if (unplaced(view) === 0) return waiting(null);
    if (view.nowMs < againAtMs) return waiting(againAtMs);
    const next = (view.nowMs + BOOK_REFILL_MS) as EpochMs;
    return { ...waiting(next), intents: take(view, unplaced(view), null), memory: [view.nowMs] };
  },
};
