import type { RealVenues } from '../domain/exchange.js';
import { FIRST_ADDED_INDEX, type InstrumentCatalogue } from '../domain/instrument.js';
import { ADDED_INSTRUMENTS_MAX } from '../domain/limits/live.js';
import {
  APPEND_RING_BYTES,
  COMMAND_RING_BYTES,
  EVENT_RING_BYTES,
  PLACE_RING_BYTES,
  VENUE_REPORT_RING_BYTES,
  VENUE_REQUEST_RING_BYTES,
} from '../domain/limits/process.js';
import { MARKET_RING_BYTES } from '../domain/limits/trading.js';
import {
  createFaultFigures,
  type RealVenueMemory,
  type ShardMemory,
  ThreadBeats,
  type VenueRings,
} from '../wire/worker-data.js';
import type { ProducerMemory } from '../journal/shared-journal.js';
import { createTradingMemory } from '../journal/trading-memory.js';
import { createThrottleMemory } from '../venue/throttle/throttle-figures.js';
import { createDepthCache } from '../marketdata/depth-cache.js';
import { type AccountMemory, createAccountCounts, createAccountMemory } from '../wire/account-counts.js';
import { createBell } from '../wire/bell.js';
import { createFeedSubscriptions } from '../marketdata/feed-subscriptions.js';
import { createFollowedAccounts } from '../wire/followed-accounts.js';
import { createRing } from '../wire/ring.js';
import { createSharedListing } from '../wire/shared-listing.js';
import { createMarketCache } from '../marketdata/market-cache.js';
import { QuoteClaims } from '../shard/quote-history.js';

/** All memory that threads share. The main thread creates it once. */
export interface ServiceMemory {
  readonly mainBell: SharedArrayBuffer;
  readonly venueBell: SharedArrayBuffer;
  /** Readers: the shards by number, then the main thread. */
  readonly marketCache: SharedArrayBuffer;
  /** Books, with the same readers. */
  readonly depth: SharedArrayBuffer;
  /** Assigns the observation of each market to one shard. */
  readonly quoteClaims: SharedArrayBuffer;
  readonly shards: readonly ShardMemory[];
  /** The accounts whose events the shards publish. */
  readonly followed: SharedArrayBuffer;
  /** Numbers of accounts, and what each writes to the journal. */
  readonly accounts: AccountMemory;
  /** Main → journal thread: creates; and journal thread → main: their places. */
  readonly intake: ProducerMemory;
  /** Main → venue and venue → main. */
  readonly requests: SharedArrayBuffer;
  readonly reports: SharedArrayBuffer;
  /** The market feeds that the main thread follows, and their updates: venue → main. */
  readonly feedSubscriptions: SharedArrayBuffer;
  readonly marketUpdates: SharedArrayBuffer;
  /** Figures of the requests to venues. */
  readonly throttleFigures: SharedArrayBuffer;
  /** Figures of what orders do. */
  readonly tradingFigures: SharedArrayBuffer;
  /** Word 0: 1 ends the venue worker, the watchdog, the journal thread, the projector. */
  readonly venueControl: SharedArrayBuffer;
  readonly journalControl: SharedArrayBuffer;
  readonly projectorControl: SharedArrayBuffer;
  readonly watchdogControl: SharedArrayBuffer;
  /** The workers of real exchanges, and the instruments that they list; null: no instrument was ever listed. */
  readonly real: readonly RealVenueMemory[];
  readonly listing: SharedArrayBuffer | null;
  /** Heartbeats of all threads except the shards. */
  readonly beats: SharedArrayBuffer;
}

/** Capacity of each kind of ring, a power of two. */
export interface RingSizes {
  readonly commandBytes: number;
  readonly eventBytes: number;
  readonly venueRequestBytes: number;
  readonly venueReportBytes: number;
  readonly marketBytes: number;
  readonly appendBytes: number;
  readonly placeBytes: number;
}

const RING_SIZES: RingSizes = {
  commandBytes: COMMAND_RING_BYTES,
  eventBytes: EVENT_RING_BYTES,
  venueRequestBytes: VENUE_REQUEST_RING_BYTES,
  venueReportBytes: VENUE_REPORT_RING_BYTES,
  marketBytes: MARKET_RING_BYTES,
  appendBytes: APPEND_RING_BYTES,
  placeBytes: PLACE_RING_BYTES,
};

/** Real exchanges that the service trades at. `hasListed`: the data directory has instruments of real exchanges. */
export interface RealExchanges {
  readonly venues: RealVenues;
  readonly hasListed: boolean;
}

const NO_EXCHANGES: RealExchanges = { venues: new Map(), hasListed: false };

export function createMemory(
  shardCount: number,
  catalogue: InstrumentCatalogue,
  rings: RingSizes = RING_SIZES,
  { venues, hasListed }: RealExchanges = NO_EXCHANGES,
): ServiceMemory {
  const mainBell = createBell();
  const isExtended = hasListed || venues.size > 0;
  const rowCount = isExtended ? FIRST_ADDED_INDEX + ADDED_INSTRUMENTS_MAX : catalogue.builtInCount;
  const venueRings = (): VenueRings => ({
    requests: createRing(rings.venueRequestBytes),
    reports: createRing(rings.venueReportBytes),
  });
  const followed = createFollowedAccounts();
  const accounts = createAccountMemory();
  return {
    mainBell,
    venueBell: createBell(),
    marketCache: createMarketCache(rowCount, shardCount + 1),
    depth: createDepthCache(rowCount, shardCount + 1),
    quoteClaims: QuoteClaims.create(rowCount),
    shards: Array.from({ length: shardCount }, () => ({
      commands: createRing(rings.commandBytes),
      events: createRing(rings.eventBytes),
      requests: createRing(rings.venueRequestBytes),
      reports: createRing(rings.venueReportBytes),
      appends: createRing(rings.appendBytes),
      places: createRing(rings.placeBytes),
      bell: createBell(),
      beat: new SharedArrayBuffer(8),
      faults: createFaultFigures(),
      followed,
      accounts,
      openOrders: createAccountCounts(),
      latestEvents: createAccountCounts(),
    })),
    followed,
    accounts,
    intake: { appends: createRing(rings.appendBytes), places: createRing(rings.placeBytes), bell: mainBell },
    requests: createRing(rings.venueRequestBytes),
    reports: createRing(rings.venueReportBytes),
    feedSubscriptions: createFeedSubscriptions(rowCount),
    marketUpdates: createRing(rings.marketBytes),
    throttleFigures: createThrottleMemory(),
    tradingFigures: createTradingMemory(rowCount),
    venueControl: new SharedArrayBuffer(4),
    journalControl: new SharedArrayBuffer(4),
    projectorControl: new SharedArrayBuffer(4),
    watchdogControl: new SharedArrayBuffer(4),
    real: [...venues.keys()].map((venue) => ({
      venue,
      bell: createBell(),
      control: new SharedArrayBuffer(4),
      ...venueRings(),
      shards: Array.from({ length: shardCount }, venueRings),
      marketUpdates: createRing(rings.marketBytes),
    })),
    listing: isExtended ? createSharedListing() : null,
    beats: ThreadBeats.create(),
  };
}
