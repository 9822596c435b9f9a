import type { Execution, ExecutedFill } from '../../src/analytics/execution.js';
import type { Amount } from '../../src/model/amount.js';
import type { Liquidity, Side } from '../../src/model/order.js';
import type { Lots, Ticks } from '../../src/model/quantity.js';
import type { EpochMs } from '../../src/model/time.js';

/** A fill without a fee. */
export function fillOf(atMs: number, quantity: number, price: number, liquidity: Liquidity = 'TAKER'): ExecutedFill {
  return { atMs: atMs as EpochMs, quantity: quantity as Lots, price: price as Ticks, liquidity, fee: 0n as Amount };
}

/** An order of 10 lots that arrived at 100 and was worked from 0 to 1000 ms, lot and tick of 1. */
export function executionOf(side: Side, fills: readonly ExecutedFill[]): Execution {
  return {
    side,
    quantity: 10 as Lots,
    quantityPrecision: 0,
    pricePrecision: 0,
    arrivalMid: 100,
    startMs: 0 as EpochMs,
    endMs: 1000 as EpochMs,
    fills,
  };
}
