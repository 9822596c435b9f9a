import type { InstrumentIndex } from './instrument.js';
import { MARGIN_RATIO_MAX } from './limits/trading.js';
import type { Side } from './order.js';
import {
  addNotional,
  type Amount,
  averagePrice,
  formatLots,
  formatNotional,
  formatSteps,
  formatTicks,
  type Grid,
  type Lots,
  type Notional,
  type Ticks,
  ZERO_NOTIONAL,
} from './quantity.js';
/** CROSS: the whole balance is collateral of the position. ISOLATED: only the margin of the position is. */
export const MARGIN_MODES = ['CROSS', 'ISOLATED'] as const;
export type MarginMode = (typeof MARGIN_MODES)[number];

/** BOTH: one net position per future. LONG and SHORT: two separate positions. */
export const POSITION_SIDES = ['BOTH', 'LONG', 'SHORT'] as const;
export type PositionSide = (typeof POSITION_SIDES)[number];

/** One position of an account at its venue, valued at the mark price of the report that carries it. */
export interface PositionState {
  readonly instrument: InstrumentIndex;
  readonly positionSide: PositionSide;
  /** Lots, negative when short; 0 when closed. */
  readonly net: number;
  /** True when `net` is below 0. For a closed position: its last direction. */
  readonly isShort: boolean;
  /** Lots × ticks of the entries, with the sign of `net`: the entry price is cost ÷ net. */
  readonly cost: bigint;
  readonly marginMode: MarginMode;
  /** Notional that one unit of initial margin carries, 1 to 125. */
  readonly leverage: number;
  readonly markPrice: Ticks;
  /** Profit if it closed at the mark price; negative: a loss. In quote currency, like all amounts here. */
  readonly unrealisedPnl: Amount;
  readonly initialMargin: Amount;
  /** Least collateral. Below it the exchange liquidates the position. */
  readonly maintenanceMargin: Amount;
  /**
   * Collateral at the mark price. ISOLATED: own margin plus profit. CROSS: balance and profit outside isolated
   * positions.
   */
  readonly collateral: Amount;
  /** Mark price at which liquidation begins if nothing else changes; null: no price liquidates it. */
  readonly liquidationPrice: Ticks | null;
}

/** Lots of an account's positions in the instrument that an order on this side reduces. */
export function reducibleLots(positions: readonly PositionState[], instrument: InstrumentIndex, side: Side): Lots {
  let lots = 0;
  for (const { instrument: held, net } of positions) {
    if (held === instrument && (side === 'BUY' ? net < 0 : net > 0)) lots += Math.abs(net);
  }
  return lots as Lots;
}

/** Figures of a position as decimal texts. */
export interface PositionFigures {
  readonly side: 'LONG' | 'SHORT';
  /** Base units, never negative; `0`: closed. */
  readonly contracts: string;
  /** `0` when closed. */
  readonly entryPrice: string;
  readonly markPrice: string;
  /** `0` when no price liquidates it. */
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
 * Maintenance margin ÷ collateral, truncated to 8 digits, 0 to MARGIN_RATIO_MAX. Liquidation begins at 1 when no other
 * position uses the same collateral.
 */
export function marginRatio({ maintenanceMargin, collateral }: PositionState): string {
  if (maintenanceMargin === 0n) return '0';
  const highest = BigInt(MARGIN_RATIO_MAX) * RATIO_UNIT;
  const ratio = collateral > 0n ? (maintenanceMargin * RATIO_UNIT) / collateral : highest;
  return formatSteps(ratio < highest ? ratio : highest, RATIO_PRECISION);
}
