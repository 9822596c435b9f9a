import { signOf, type Execution } from './execution.js';
import type { MidPath } from './mid-path.js';

/** How the mid stood some time after the fills. */
export interface Markout {
  readonly horizonMs: number;
  /** Mean of 10^4 · s·(mid − fill price) / fill price by quantity: positive when the market went our way; null without fills. */
  readonly bps: number | null;
  /** Part of the filled quantity whose horizon lies within what is known of the market, 0..1. */
  readonly coverage: number;
}

export const MARKOUT_HORIZONS_MS = [1_000, 5_000, 60_000] as const;

/** Markouts of the fills whose horizon is reached by `knownUntilMs`. */
export function markouts(
  { side, fills }: Execution,
  mids: MidPath,
  knownUntilMs: number,
  horizonsMs: readonly number[] = MARKOUT_HORIZONS_MS,
): Markout[] {
  const filled = fills.reduce((sum, { quantity }) => sum + quantity, 0);
  return horizonsMs.map((horizonMs) => {
    let covered = 0;
    let sum = 0;
    for (const { atMs, price, quantity } of fills) {
      const mid = atMs + horizonMs <= knownUntilMs ? mids.at(atMs + horizonMs) : null;
      if (mid === null) continue;
      covered += quantity;
      sum += (quantity * signOf(side) * (mid - price)) / price;
    }
    return {
      horizonMs,
      bps: covered === 0 ? null : (10_000 * sum) / covered,
      coverage: filled === 0 ? 0 : covered / filled,
    };
  });
}
