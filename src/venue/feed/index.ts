export { FairPast } from './fair-past.js';
export { MarketFeeds } from './market-feeds.js';
export { MarkPrices } from './mark-prices.js';
export { OpenInterestLevel } from './open-interest.js';
export { ownLots } from './own-lots.js';
export type { FeedOutlet } from './port.js';
