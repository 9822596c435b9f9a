import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { amountOf } from '../../../src/model/amount.js';
import type { Ticks } from '../../../src/model/quantity.js';
import { liquidationPrice } from '../../../src/venue/account/liquidation-price.js';
import { Position } from '../../../src/venue/account/position.js';
import { termsOf } from '../../../src/venue/account/trading-terms.js';
import { maintenanceMargin, unrealisedPnl } from '../../../src/venue/account/valuation.js';
import { instrumentAt } from '../simulated-exchange.js';

const TERMS = termsOf(instrumentAt('BINANCE', 'BTC/USDT:USDT'));

function entered(net: number, price: number): Position {
  return new Position(net, BigInt(net) * BigInt(price));
}

/** What is left above the maintenance margin at a mark price. */
function spareAt(positions: readonly Position[], cushion: bigint, price: number): bigint {
  const spares = positions.map(
    (position) => unrealisedPnl(position, TERMS, price as Ticks) - maintenanceMargin(position, TERMS, price as Ticks),
  );
  return spares.reduce((sum, spare) => sum + spare, cushion);
}

describe('the liquidation price', () => {
  test('of one long position in the first tier is (entry − cushion) ÷ (1 − rate)', () => {
    const ticks = Math.ceil((32_481.9 - 1_535.44) / (1 - 0.004) / 0.1) - 1;
    const cushion = amountOf(153_544, 2);
    expect(liquidationPrice({ terms: TERMS, positions: [entered(1_000, 324_819)], cushion })).toBe(ticks);
  });

  test('there is none for a long position that its whole value is paid for', () => {
    const cushion = amountOf(64_000, 0);
    expect(liquidationPrice({ terms: TERMS, positions: [entered(1_000, 640_000)], cushion })).toBeNull();
  });

  test('is where the margin first falls short, long or short, in any tier', () => {
    const sizes = fc.oneof(fc.integer({ min: 1, max: 1_000 }), fc.integer({ min: 1_000, max: 5_000_000 }));
    fc.assert(
      fc.property(sizes, fc.boolean(), fc.integer({ min: 10, max: 1_500 }), (lots, isLong, perMille) => {
        const position = entered(isLong ? lots : -lots, 640_000);
        const cushion = (BigInt(lots) * 640_000n * TERMS.notionalUnit * BigInt(perMille)) / 1_000n;
        const price = liquidationPrice({ terms: TERMS, positions: [position], cushion });
        const [short, safe] = price === null ? [0, 1] : [price, isLong ? price + 1 : price - 1];
        expect(spareAt([position], cushion, safe)).toBeGreaterThanOrEqual(0n);
        if (price !== null) expect(spareAt([position], cushion, short)).toBeLessThan(0n);
      }),
      { numRuns: 300 },
    );
  });

  test('of a long and a short position side by side is where both together fall short', () => {
    const positions = [entered(3_000, 640_000), entered(-1_000, 650_000)];
    const cushion = amountOf(20_000, 0);
    const price = liquidationPrice({ terms: TERMS, positions, cushion })!;
    expect(spareAt(positions, cushion, price)).toBeLessThan(0n);
    expect(spareAt(positions, cushion, price + 1)).toBeGreaterThanOrEqual(0n);
  });
});
