export { createBudgetMemory, parseVenueRates, readBudgetFigures, type VenueRates } from './budget/index.js';
export { buildCatalogue } from './listing/index.js';
export { LatentBooks } from './latency/index.js';
export { LmdbVenueStore } from './store/lmdb-store.js';
export { MemoryVenueStore } from './store/memory-store.js';
export { SimulatedVenues } from './simulated-venues.js';
export { openVenues, type VenueDistance } from './venue-conditions.js';
