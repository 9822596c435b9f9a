import type { PreviewedOrder } from '../../src/pretrade/previewed-order.js';
import type { Market } from '../../src/domain/market.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import { BINS_PER_DAY } from '../../src/strategy/volume/profile.js';
import { BTC, orderOf, START_MS } from '../order/orders.js';
import type { FlatTerms } from '../domain/plain-order.js';

export const MARKET: Market = {
  bid: 6_399_990 as Ticks,
  ask: 6_400_010 as Ticks,
  bidQuantity: 50_000 as Lots,
  askQuantity: 70_000 as Lots,
  last: 6_400_000 as Ticks,
  volume: 90_000_000 as Lots,
  volatility: 0.0005,
  atMs: START_MS,
};

/** An order placed now in a market with known quote, volume and volatility, but without depth. */
export function previewed(order: Partial<FlatTerms>, more: Partial<PreviewedOrder> = {}): PreviewedOrder {
  const shares = Array.from({ length: BINS_PER_DAY }, () => 1 / BINS_PER_DAY);
  return {
    order: orderOf({ startAtMs: START_MS, createdAtMs: START_MS, ...order }),
    instrument: BTC,
    market: MARKET,
    depth: null,
    profile: { shares, dailyVolume: 86_400_000 as Lots },
    nowMs: START_MS,
    ...more,
  };
}
