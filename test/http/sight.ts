import type { IntakeParts } from '../../src/intake/intake.js';
import type { Market } from '../../src/domain/market.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import { NOW_MS } from './orders.js';
import { PRICES } from './prices.js';

/** Every instrument is quoted at 60000.00 to 60000.01 quote units. Books and volumes are unknown. */
export const QUOTED: Market = {
  bid: 6_000_000 as Ticks,
  ask: 6_000_001 as Ticks,
  bidQuantity: 100_000 as Lots,
  askQuantity: 100_000 as Lots,
  last: 6_000_000 as Ticks,
  volume: 1_000_000 as Lots,
  volatility: 0.001,
  atMs: NOW_MS,
};

export const MARKET: IntakeParts['market'] = {
  ...PRICES,
  market: (_instrument, answer) => answer(QUOTED),
  book: (_instrument, answer) => answer(null),
  volume: (_instrument, _account, answer) => answer(null),
};
