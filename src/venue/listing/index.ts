export { buildCatalogue } from './catalogue.js';
export type { Delay, LatencyProfile, RequestRate } from './exchange-listing.js';
export { crossingRefusal } from './crossing-refusal.js';
export { VENUE_LISTINGS } from './exchange-listings.js';
export { filterRefusal, type FilterView } from './order-filter.js';
export { PAIR_LISTINGS } from './pair-listing.js';
