import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import { MARGIN_MODES, POSITION_SIDES, type PositionState } from '../../src/model/position.js';
import { amount, instrument, record, ticks } from './arbitraries.js';

export const leverage = fc.integer({ min: 1, max: 125 });
export const marginMode = fc.constantFrom(...MARGIN_MODES);

/** Any content, not only such as can be. */
export const position: Arbitrary<PositionState> = record({
  instrument,
  positionSide: fc.constantFrom(...POSITION_SIDES),
  net: fc.maxSafeInteger(),
  isShort: fc.boolean(),
  cost: amount,
  marginMode,
  leverage,
  markPrice: ticks,
  unrealisedPnl: amount,
  initialMargin: amount,
  maintenanceMargin: amount,
  collateral: amount,
  liquidationPrice: fc.option(ticks, { nil: null }),
});
