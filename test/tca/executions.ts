import type { CostInput } from '../../src/tca/execution-cost.js';
import type { ExecutedFill } from '../../src/tca/traded-volume.js';
import type { Amount, Lots, Ticks } from '../../src/domain/quantity.js';
import type { Liquidity, Side } from '../../src/domain/order.js';
import type { EpochMs } from '../../src/domain/time.js';

/** A fill without a fee. */
export function fillOf(atMs: number, quantity: number, price: number, liquidity: Liquidity = 'TAKER'): ExecutedFill {
  return { atMs: atMs as EpochMs, quantity: quantity as Lots, price: price as Ticks, liquidity, fee: 0n as Amount };
}

/** An order of 10 lots with arrival mid 100, worked from 0 to 1000 ms, with a lot and a tick of 1. */
export function executionOf(side: Side, fills: readonly ExecutedFill[]): CostInput {
  return {
    side,
    quantity: 10 as Lots,
    quantityPrecision: 0,
    pricePrecision: 0,
    quantityStep: 1,
    priceStep: 1,
    arrivalMid: 100,
    startMs: 0 as EpochMs,
    endMs: 1000 as EpochMs,
    fills,
  };
}
