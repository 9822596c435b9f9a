import type { ServiceFigures } from '../../src/http/metrics/service-figures.js';

/** Figures of a small running service. */
export const FIGURES: ServiceFigures = {
  version: '1.2.3',
  isReady: () => true,
  tradingHalts: () => [],
  reconciliation: () => null,
  isVenueUp: () => false,
  venueLinks: () => ({ BINANCE: true, OKX: false }),
  exchanges: () => [
    { venue: 'BINANCE', mode: 'testnet', accountsDown: 2 },
    { venue: 'OKX', mode: 'simulated', accountsDown: 0 },
  ],
  killSwitches: () => ({ service: null, accountCount: 2 }),
  shards: () => [
    { shard: 0, isUp: true, openParents: 17 },
    { shard: 1, isUp: false, openParents: 0 },
  ],
  quarantinedOrders: () => 2,
  contradictions: () => ({ CHILD_OVERFILL: 1, LATE_FILL: 7 }),
  pendingCommands: () => 3,
  openStreams: () => 5,
  subscriptions: () => ({ order: 4, ticker: 2 }),
  sessions: () => ({
    open: 5,
    authenticated: 3,
    openRequests: 9,
    records: 2,
    opened: 11,
    refused: 4,
    closed: { client: 6, going_away: 0 },
  }),
  rings: () => [{ ring: 'commands', thread: 'shard-0', usedRatio: 0.25 }],
  venueRequests: () => [
    { venue: 'OKX', requestClass: 'CANCEL', sent: 40, delayed: 9, refused: 0, withdrawn: 0, waiting: 2 },
    { venue: 'OKX', requestClass: 'RESTING', sent: 60, delayed: 30, refused: 5, withdrawn: 4, waiting: 11 },
  ],
  venueRates: () => ({ OKX: 30, KRAKEN: 1 }),
  journal: () => ({ appended: 12, released: 11, committed: 10 }),
  journalLagEvents: () => 2,
  disk: () => ({ freeBytes: 123_456_789, state: 'LOW' }),
  threadSilences: () => ({ venue: 7_500, keeper: 0 }),
  clock: () => ({ offsetMs: 3_600_250, errorMs: -1_500, stepCount: 2, lastStepMs: -4_000, pace: 1.25 }),
  workerRestarts: () => ({ 'shard-0': 2, venue: 0 }),
};
