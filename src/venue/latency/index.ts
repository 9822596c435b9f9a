export { LatentBooks } from './latent-books.js';
export { LatentVenues } from './latent-venues.js';
export { latencyOf, type LatencyModel, type VenueLatency } from './latency-model.js';
export { Timeline } from './timeline.js';
