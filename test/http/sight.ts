import type { MarketSight } from '../../src/http/port.js';
import type { Market } from '../../src/model/market.js';
import type { Lots, Ticks } from '../../src/model/quantity.js';
import { NOW_MS } from './orders.js';

/** Everything is quoted at 60000.00 to 60000.01 quote units; nothing is known of books and volumes. */
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

export const SIGHT: MarketSight = {
  market: (_instrument, answer) => answer(QUOTED),
  book: (_instrument, answer) => answer(null),
  volume: (_instrument, _account, answer) => answer(null),
};
