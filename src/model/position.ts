import type { Amount } from './amount.js';
import type { InstrumentIndex } from './instrument.js';
import { MARGIN_RATIO_MAX } from './limits.js';
import {
  addNotional,
  averagePrice,
  formatLots,
  formatNotional,
  formatSteps,
  formatTicks,
  ZERO_NOTIONAL,
  type Grid,
  type Lots,
  type Notional,
  type Ticks,
} from './quantity.js';

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
  /** Which way it is held: `net` below 0; of a closed one, as it was held. */
  readonly isShort: boolean;
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

/** What a position amounts to, as decimal texts. */
export interface PositionFigures {
  readonly side: 'LONG' | 'SHORT';
  /** Base units, never negative; `0`: closed. */
  readonly contracts: string;
  /** `0` when closed. */
  readonly entryPrice: string;
  readonly markPrice: string;
  /** `0` when no price would liquidate it. */
  readonly liquidationPrice: string;
  /** Value at the mark price, never negative. */
  readonly notional: string;
}

export function positionFigures(position: PositionState, grid: Grid): PositionFigures {
  const { net, cost, isShort, markPrice, liquidationPrice } = position;
  const lots = Math.abs(net) as Lots;
  return {
    side: isShort ? 'SHORT' : 'LONG',
    contracts: formatLots(lots, grid),
    entryPrice: averagePrice((isShort ? -cost : cost) as Notional, lots, grid),
    markPrice: formatTicks(markPrice, grid),
    liquidationPrice: formatTicks(liquidationPrice ?? (0 as Ticks), grid),
    notional: formatNotional(addNotional(ZERO_NOTIONAL, lots, markPrice), grid),
  };
}

const RATIO_PRECISION = 8;
const RATIO_UNIT = 10n ** BigInt(RATIO_PRECISION);

/**
 * Maintenance margin ÷ collateral, cut at 8 digits, 0 to MARGIN_RATIO_MAX. Liquidation begins at 1 when it is the only
 * position that the collateral stands behind.
 */
export function marginRatio({ maintenanceMargin, collateral }: PositionState): string {
  if (maintenanceMargin === 0n) return '0';
  const highest = BigInt(MARGIN_RATIO_MAX) * RATIO_UNIT;
  const ratio = collateral > 0n ? (maintenanceMargin * RATIO_UNIT) / collateral : highest;
  return formatSteps(ratio < highest ? ratio : highest, RATIO_PRECISION);
}
