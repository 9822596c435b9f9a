import type { TradingHalt } from './command.js';
import type { EngagedKillSwitch } from './risk-limit.js';

/**
 * Whether new orders are accepted, by halts and kill switches together. HALTED: no order, or only those of the exempt
 * accounts of a halt. PARTLY_HALTED: all, except of accounts with an engaged kill switch or a halt of their own.
 */
export const TRADING_STATES = ['OPEN', 'PARTLY_HALTED', 'HALTED'] as const;
export type TradingState = (typeof TRADING_STATES)[number];

/** The engaged kill switches: that of the whole service, and the number of those of single accounts. */
export interface KillSwitches {
  /** null: not engaged. */
  readonly service: EngagedKillSwitch | null;
  readonly accountCount: number;
}

/** `isStopped`: the kill switch of the whole service is engaged. `stoppedCount`: accounts with an engaged one. */
export function tradingStateOf(
  halts: readonly Pick<TradingHalt, 'only'>[],
  isStopped: boolean,
  stoppedCount: number,
): TradingState {
  if (isStopped || halts.some(({ only }) => only === undefined)) return 'HALTED';
  return halts.length + stoppedCount === 0 ? 'OPEN' : 'PARTLY_HALTED';
}
