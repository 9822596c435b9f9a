export { buildCatalogue } from './catalogue.js';
export { LmdbVenueStore } from './lmdb-store.js';
export { MemoryVenueStore } from './memory-store.js';
export { SimulatedVenues, type SimulatedVenuesOptions } from './simulated-venues.js';
