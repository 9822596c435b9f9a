import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import { MARGIN_MODES, POSITION_SIDES, type PositionState } from '../../../src/domain/position.js';
import { amount, instrument, record, ticks } from './arbitraries.js';

const leverage = fc.integer({ min: 1, max: 125 });
const marginMode = fc.constantFrom(...MARGIN_MODES);

/** Any values, also impossible ones. */
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
