import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { amountOf, type Ticks } from '../../../src/domain/quantity.js';
import { FuturesPosition } from '../../../src/sim/account/futures-position.js';
import { liquidationPrice, maintenanceMargin, unrealisedPnl } from '../../../src/sim/account/margin.js';
import { termsOf } from '../../../src/sim/account/trading-terms.js';
import { instrumentAt } from '../simulated-exchange.js';

const TERMS = termsOf(instrumentAt('BINANCE', 'BTC/USDT:USDT'));

function entered(net: number, price: number): FuturesPosition {
  const position = new FuturesPosition(TERMS);
  position.net = net;
  position.cost = BigInt(net) * BigInt(price);
  return position;
}

/** Equity above the maintenance margin at a mark price. */
function spareAt(position: FuturesPosition, cushion: bigint, price: number): bigint {
  const mark = price as Ticks;
  return cushion + unrealisedPnl(position, mark) - maintenanceMargin(position, mark);
}

describe('the liquidation price', () => {
  test('is (entry − cushion) ÷ (1 − rate) for one long position in the first tier', () => {
    const ticks = Math.ceil((32_481.9 - 1_535.44) / (1 - 0.004) / 0.1) - 1;
    const cushion = amountOf(153_544, 2);
    expect(liquidationPrice(entered(1_000, 324_819), cushion)).toBe(ticks);
  });

  test('is null for a long position whose cushion covers its whole value', () => {
    const cushion = amountOf(64_000, 0);
    expect(liquidationPrice(entered(1_000, 640_000), cushion)).toBeNull();
  });

  test('is the first price with too little margin, for long and short positions in any tier', () => {
    const sizes = fc.oneof(fc.integer({ min: 1, max: 1_000 }), fc.integer({ min: 1_000, max: 5_000_000 }));
    fc.assert(
      fc.property(sizes, fc.boolean(), fc.integer({ min: 10, max: 1_500 }), (lots, isLong, perMille) => {
        const position = entered(isLong ? lots : -lots, 640_000);
        const cushion = (BigInt(lots) * 640_000n * TERMS.notionalUnit * BigInt(perMille)) / 1_000n;
        const price = liquidationPrice(position, cushion);
        const [short, safe] = price === null ? [0, 1] : [price, isLong ? price + 1 : price - 1];
        expect(spareAt(position, cushion, safe)).toBeGreaterThanOrEqual(0n);
        if (price !== null) expect(spareAt(position, cushion, short)).toBeLessThan(0n);
      }),
      { numRuns: 300 },
    );
  });
});
