import type { InstrumentCatalogue } from './model/instrument.js';
import {
  COMMAND_RING_BYTES,
  EVENT_RING_BYTES,
  MARKET_RING_BYTES,
  VENUE_REPORT_RING_BYTES,
  VENUE_REQUEST_RING_BYTES,
} from './model/limits.js';
import type { ShardMemory } from './route/worker-data.js';
import { createBudgetMemory } from './venue/index.js';
import { createDepthSlate } from './wire/depth-slate.js';
import { createBell } from './wire/doorbell.js';
import { createFeedInterest } from './wire/feed-interest.js';
import { createRing } from './wire/ring.js';
import { createSlate } from './wire/slate.js';
import { TapeClaims } from './wire/tape-claims.js';

/** All memory that threads share, made once by the main thread. */
export interface ServiceMemory {
  readonly mainBell: SharedArrayBuffer;
  readonly venueBell: SharedArrayBuffer;
  /** Readers: the shards by number, then the main thread. */
  readonly slate: SharedArrayBuffer;
  /** Books; the same readers. */
  readonly depth: SharedArrayBuffer;
  /** Which shard observes which market. */
  readonly tapeClaims: SharedArrayBuffer;
  readonly shards: readonly ShardMemory[];
  /** Main → venue and venue → main. */
  readonly requests: SharedArrayBuffer;
  readonly reports: SharedArrayBuffer;
  /** Which market feeds the main thread follows, and their updates: venue → main. */
  readonly feedInterest: SharedArrayBuffer;
  readonly marketUpdates: SharedArrayBuffer;
  /** What is counted of the requests to venues. */
  readonly budgetFigures: SharedArrayBuffer;
  /** Word 0 set to 1 ends the venue worker. */
  readonly venueControl: SharedArrayBuffer;
}

export function createMemory(shardCount: number, catalogue: InstrumentCatalogue): ServiceMemory {
  return {
    mainBell: createBell(),
    venueBell: createBell(),
    slate: createSlate(catalogue.instruments.length, shardCount + 1),
    depth: createDepthSlate(catalogue.instruments.length, shardCount + 1),
    tapeClaims: TapeClaims.create(catalogue.instruments.length),
    shards: Array.from({ length: shardCount }, () => ({
      commands: createRing(COMMAND_RING_BYTES),
      events: createRing(EVENT_RING_BYTES),
      requests: createRing(VENUE_REQUEST_RING_BYTES),
      reports: createRing(VENUE_REPORT_RING_BYTES),
      bell: createBell(),
      beat: new SharedArrayBuffer(8),
    })),
    requests: createRing(VENUE_REQUEST_RING_BYTES),
    reports: createRing(VENUE_REPORT_RING_BYTES),
    feedInterest: createFeedInterest(catalogue.instruments.length),
    marketUpdates: createRing(MARKET_RING_BYTES),
    budgetFigures: createBudgetMemory(),
    venueControl: new SharedArrayBuffer(4),
  };
}
