import type { ServiceFigures } from '../../src/http/metrics/service-figures.js';

/** A small service at work. */
export const FIGURES: ServiceFigures = {
  isReady: () => true,
  isVenueUp: () => false,
  shards: () => [
    { shard: 0, isUp: true, openParents: 17 },
    { shard: 1, isUp: false, openParents: 0 },
  ],
  pendingCommands: () => 3,
  openStreams: () => 5,
  subscriptions: () => ({ order: 4, ticker: 2 }),
  rings: () => [{ ring: 'commands', thread: 'shard-0', usedRatio: 0.25 }],
  journal: () => ({ appended: 12, released: 11, committed: 10 }),
  workerRestarts: () => ({ 'shard-0': 2, venue: 0 }),
};
