import type { TimelineEntry } from '../client/wire.js';

/** An instant of service time and the quantity that holds from then on. */
export interface QuantityPoint {
  readonly atMs: number;
  readonly quantity: number;
}

export interface FillPoint extends QuantityPoint {
  readonly price: number;
  readonly liquidity: string;
}

/** How an order came along, folded from its timeline. */
export interface FillHistory {
  /** Each fill with what was filled after it. */
  readonly fills: FillPoint[];
  /** What the strategy meant to have filled by then, as it said when it acted. */
  readonly targets: QuantityPoint[];
}

/** What a strategy says with its reasons, in lots, both of the same count. */
const TARGET = /\btarget=(\d+)\b/;
const FILLED = /\bfilled=(\d+)\b/;

/** Takes further entries in. `lot`: base units; null leaves the targets out. */
export function foldHistory(history: FillHistory, entries: readonly TimelineEntry[], lot: number | null): void {
  for (const entry of entries) {
    const { time: atMs, filled_quantity: filled, price, taker_or_maker: liquidity } = entry;
    if (entry.event === 'ChildFilled' && price !== undefined) {
      history.fills.push({ atMs, quantity: filled, price, liquidity: liquidity ?? '' });
    }
    const ahead = lotsAhead(entry.detail ?? '');
    if (lot !== null && ahead !== null) history.targets.push({ atMs, quantity: filled + ahead * lot });
  }
}

/** After an amendment a strategy counts anew: only the distance between its two numbers holds for the whole order. */
function lotsAhead(detail: string): number | null {
  const target = TARGET.exec(detail)?.[1];
  const filled = FILLED.exec(detail)?.[1];
  return target === undefined || filled === undefined ? null : Number(target) - Number(filled);
}
