import { describe, expect, it } from 'vitest';
import type { Amount } from '../../src/model/amount.js';
import { marginRatio, positionFigures } from '../../src/model/position.js';
import type { Ticks } from '../../src/model/quantity.js';
import { LONG } from './sample-position.js';

const GRID = { quantityPrecision: 3, pricePrecision: 1 };

describe('the figures of a position', () => {
  it('are exact decimals, and its entry is the average of what it cost', () => {
    expect(positionFigures(LONG, GRID)).toEqual({
      side: 'LONG',
      contracts: '0.3',
      entryPrice: '60000.033333333',
      markPrice: '61000.5',
      liquidationPrice: '54000.1',
      notional: '18300.15',
    });
  });

  it('of a short one carry no sign', () => {
    const short = { ...LONG, net: -LONG.net, cost: -LONG.cost, isShort: true };
    expect(positionFigures(short, GRID)).toEqual({ ...positionFigures(LONG, GRID), side: 'SHORT' });
  });

  it('of a closed one are 0, and its side is the one that was closed', () => {
    const closed = { ...LONG, net: 0, cost: 0n, isShort: true, liquidationPrice: null };
    const nothing = { contracts: '0', entryPrice: '0', liquidationPrice: '0', notional: '0' };
    expect(positionFigures(closed, GRID)).toEqual({ ...nothing, side: 'SHORT', markPrice: '61000.5' });
  });

  it('do not lose a digit that a JavaScript number would', () => {
    const large = { ...LONG, net: 9_007_199_254_740_991, markPrice: 9_007_199_254_740_991 as Ticks };
    expect(positionFigures(large, GRID).notional).toBe('8112963841460666368139049566.2081');
  });
});

describe('the margin ratio', () => {
  it.each([
    [0n, 5n, '0'],
    [0n, 0n, '0'],
    [1n, 3n, '0.33333333'],
    [4n, 4n, '1'],
    [5n, 4n, '1.25'],
    [1_001n, 1n, '1000'],
    [1n, 0n, '1000'],
    [1n, -1n, '1000'],
  ])('of maintenance %d and collateral %d is %s', (maintenance, collateral, ratio) => {
    const margins = { maintenanceMargin: maintenance as Amount, collateral: collateral as Amount };
    expect(marginRatio({ ...LONG, ...margins })).toBe(ratio);
  });
});
