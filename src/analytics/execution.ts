import type { Amount } from '../model/amount.js';
import type { Liquidity, Side } from '../model/order.js';
import type { Grid, Lots, Ticks } from '../model/quantity.js';
import type { EpochMs } from '../model/time.js';

/** One fill of an order. */
export interface ExecutedFill {
  readonly atMs: EpochMs;
  readonly quantity: Lots;
  readonly price: Ticks;
  readonly liquidity: Liquidity;
  /** In quote currency. */
  readonly fee: Amount;
}

/** An order as it was done, as far as its cost depends on it. */
export interface Execution extends Grid {
  readonly side: Side;
  /** What was wanted; more than 0. */
  readonly quantity: Lots;
  /** Mid in ticks when the order first could trade. */
  readonly arrivalMid: number;
  /** When it first could trade, and when it ended. */
  readonly startMs: EpochMs;
  readonly endMs: EpochMs;
  /** In order of time. */
  readonly fills: readonly ExecutedFill[];
}

/** +1 for a BUY, -1 for a SELL: times this, paying more or getting less is positive. */
export function signOf(side: Side): 1 | -1 {
  return side === 'BUY' ? 1 : -1;
}

/** How much worse for the side a price is than the reference, in basis points of the reference: positive is cost. */
export function costBps(side: Side, price: number, reference: number): number {
  return 10_000 * signOf(side) * (price / reference - 1);
}
