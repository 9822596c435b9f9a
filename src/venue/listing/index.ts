export { buildCatalogue } from './catalogue.js';
export type { Delay, FeeRates, LatencyProfile, VenueListing } from './exchange-listing.js';
export { VENUE_LISTINGS } from './exchange-listings.js';
export { filterRefusal, type FilterView } from './order-filter.js';
export { PAIR_LISTINGS, PERPETUAL_LIQUIDITY, type PairListing } from './pair-listing.js';
