import type { Amount } from './amount.js';
import type { InstrumentIndex } from './instrument.js';
import type { Ticks } from './quantity.js';

/** CROSS: the whole balance stands behind the position. ISOLATED: the margin that was tied up for it, and no more. */
export const MARGIN_MODES = ['CROSS', 'ISOLATED'] as const;
export type MarginMode = (typeof MARGIN_MODES)[number];

/** ONE_WAY: one net position a future. HEDGE: a long and a short one beside each other. */
export const POSITION_MODES = ['ONE_WAY', 'HEDGE'] as const;
export type PositionMode = (typeof POSITION_MODES)[number];

/** BOTH is the only position of one-way mode. */
export const POSITION_SIDES = ['BOTH', 'LONG', 'SHORT'] as const;
export type PositionSide = (typeof POSITION_SIDES)[number];

/** One position of an account at its venue, valued at the mark price of the report that carries it. */
export interface PositionState {
  readonly instrument: InstrumentIndex;
  readonly positionSide: PositionSide;
  /** Lots, negative when short; 0 when the position has been closed. */
  readonly net: number;
  /** Lots × ticks of the entries, with the sign of `net`: the entry price is cost ÷ net. */
  readonly cost: bigint;
  readonly marginMode: MarginMode;
  /** Notional that one unit of initial margin carries, 1 to 125. */
  readonly leverage: number;
  readonly markPrice: Ticks;
  /** Profit, negative when a loss, if it were closed at the mark price; in quote currency, as all amounts here. */
  readonly unrealisedPnl: Amount;
  readonly initialMargin: Amount;
  /** What must at least stand behind the position: below it the venue liquidates. */
  readonly maintenanceMargin: Amount;
  /** What stands behind it at the mark price: its own margin with its profit, or with CROSS all that is not isolated. */
  readonly collateral: Amount;
  /** Mark price at which liquidation begins if nothing else changes; null when no price would. */
  readonly liquidationPrice: Ticks | null;
}
