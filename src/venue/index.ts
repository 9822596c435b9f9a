export { buildCatalogue } from './listing/index.js';
export { LmdbVenueStore } from './lmdb-store.js';
export { MemoryVenueStore } from './memory-store.js';
export { SimulatedVenues } from './simulated-venues.js';
