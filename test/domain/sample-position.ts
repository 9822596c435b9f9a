import type { Amount, Ticks } from '../../src/domain/quantity.js';
import type { InstrumentIndex } from '../../src/domain/instrument.js';
import type { PositionState } from '../../src/domain/position.js';

const units = (count: bigint): Amount => (count * 10n ** 18n) as Amount;

/** 300 lots that were bought for 180,000,100 lot-ticks. */
export const LONG: PositionState = {
  instrument: 0 as InstrumentIndex,
  positionSide: 'BOTH',
  net: 300,
  isShort: false,
  cost: 180_000_100n,
  marginMode: 'CROSS',
  leverage: 10,
  markPrice: 610_005 as Ticks,
  unrealisedPnl: units(300n),
  initialMargin: units(1_800n),
  maintenanceMargin: units(73n),
  collateral: units(2_100n),
  liquidationPrice: 540_001 as Ticks,
};
