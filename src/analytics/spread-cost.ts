import { signOf, type Execution } from './execution.js';
import type { Tape } from './tape.js';

/** What fills paid or earned of the spread, by quantity; null without a fill whose market is known. */
export interface SpreadCost {
  /** 10^4 · 2s·(fill price − mid) / mid, with the mid when it was filled: negative when the spread was earned. */
  readonly effectiveSpreadBps: number | null;
  /** s·(mid − fill price) in half spreads: 1 is all at the own touch, -1 all at the far one. */
  readonly spreadCapture: number | null;
}

export function spreadCost({ side, fills }: Execution, tape: Tape): SpreadCost {
  let [quantity, spread, earned, offered] = [0, 0, 0, 0];
  for (const fill of fills) {
    const quote = tape.quoteAt(fill.atMs);
    if (quote === null) continue;
    const paid = signOf(side) * (fill.price - quote.mid);
    quantity += fill.quantity;
    spread += (fill.quantity * 2 * paid) / quote.mid;
    earned -= fill.quantity * paid;
    offered += fill.quantity * quote.halfSpread;
  }
  return {
    effectiveSpreadBps: quantity === 0 ? null : (10_000 * spread) / quantity,
    spreadCapture: offered === 0 ? null : earned / offered,
  };
}
