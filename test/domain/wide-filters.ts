import type { OrderFilters } from '../../src/domain/instrument.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';

/** Filters so wide that no order of a test violates them. */
export const WIDE_FILTERS: OrderFilters = {
  priceMin: 1 as Ticks,
  priceMax: 1_000_000_000 as Ticks,
  buyBand: { minPpm: null, maxPpm: null },
  sellBand: { minPpm: null, maxPpm: null },
  marketQuantityMax: 1_000_000_000 as Lots,
  notionalMax: Number.MAX_SAFE_INTEGER,
  isReducingExempt: false,
  openOrdersMax: 200,
  isPostOnlyOffered: true,
  selfTradePreventions: ['EXPIRE_TAKER'],
};
