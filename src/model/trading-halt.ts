import type { AccountId } from './ids.js';

/**
 * Why no order is placed. RESTORED: the data comes from a backup and is not reconciled and resumed yet.
 * DISK_FULL: the journal has too little room left. OPERATOR: an operator wants it so.
 */
export const HALT_REASONS = ['RESTORED', 'DISK_FULL', 'OPERATOR'] as const;
export type HaltReason = (typeof HALT_REASONS)[number];

/** Trading is halted for one reason. */
export interface TradingHalt {
  readonly reason: HaltReason;
  /** Real time, epoch milliseconds. */
  readonly sinceMs: number;
  /** For clients and operators: what has happened, and what ends the halt. */
  readonly message: string;
  /** Accounts that trade all the same. */
  readonly exempt: readonly AccountId[];
}

/** All halts together, as shards need them. */
export interface TradingMode {
  readonly isHalted: boolean;
  /** Accounts that trade while the others are halted. */
  readonly exempt: readonly AccountId[];
}

export const TRADING_OPEN: TradingMode = { isHalted: false, exempt: [] };

/** True when no child of the account's orders may be placed. */
export function isHaltedFor({ isHalted, exempt }: TradingMode, account: AccountId): boolean {
  return isHalted && !exempt.includes(account);
}
