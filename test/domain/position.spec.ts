import { describe, expect, it } from 'vitest';
import type { Amount, Ticks } from '../../src/domain/quantity.js';
import { marginRatio, positionFigures } from '../../src/domain/position.js';
import { LONG } from './sample-position.js';

const GRID = { quantityPrecision: 3, pricePrecision: 1, quantityStep: 1, priceStep: 1 };

describe('positionFigures', () => {
  it('gives exact decimals, with the average cost as entry price', () => {
    expect(positionFigures(LONG, GRID)).toEqual({
      side: 'LONG',
      contracts: '0.3',
      entryPrice: '60000.033333333',
      markPrice: '61000.5',
      liquidationPrice: '54000.1',
      notional: '18300.15',
    });
  });

  it('gives the figures of a short position without a sign', () => {
    const short = { ...LONG, net: -LONG.net, cost: -LONG.cost, isShort: true };
    expect(positionFigures(short, GRID)).toEqual({ ...positionFigures(LONG, GRID), side: 'SHORT' });
  });

  it('gives 0 for a closed position and keeps its side', () => {
    const closed = { ...LONG, net: 0, cost: 0n, isShort: true, liquidationPrice: null };
    const nothing = { contracts: '0', entryPrice: '0', liquidationPrice: '0', notional: '0' };
    expect(positionFigures(closed, GRID)).toEqual({ ...nothing, side: 'SHORT', markPrice: '61000.5' });
  });

  it('keeps every digit of a value that no JavaScript number can hold', () => {
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
  ])('is maintenance divided by collateral: %d, %d, %s', (maintenance, collateral, ratio) => {
    const margins = { maintenanceMargin: maintenance as Amount, collateral: collateral as Amount };
    expect(marginRatio({ ...LONG, ...margins })).toBe(ratio);
  });
});
