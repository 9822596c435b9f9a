import type { OrderFilters } from '../../src/model/instrument.js';
import type { Lots, Ticks } from '../../src/model/quantity.js';

/** Filters that no reasonable order of a test meets. */
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
