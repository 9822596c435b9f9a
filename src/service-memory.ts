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
import { createFaultFigures } from './wire/fault-figures.js';
import { createFeedInterest } from './wire/feed-interest.js';
import { createRing } from './wire/ring.js';
import { createSlate } from './wire/slate.js';
import { TapeClaims } from './wire/tape-claims.js';
import { ThreadBeats } from './wire/thread-beats.js';

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
  /** Word 0 set to 1 ends the venue worker, and the watchdog. */
  readonly venueControl: SharedArrayBuffer;
  readonly watchdogControl: SharedArrayBuffer;
  /** Beats of the threads but the shards. */
  readonly beats: SharedArrayBuffer;
}

/** Capacity of each kind of ring; a power of two. */
export interface RingSizes {
  readonly commandBytes: number;
  readonly eventBytes: number;
  readonly venueRequestBytes: number;
  readonly venueReportBytes: number;
  readonly marketBytes: number;
}

const RING_SIZES: RingSizes = {
  commandBytes: COMMAND_RING_BYTES,
  eventBytes: EVENT_RING_BYTES,
  venueRequestBytes: VENUE_REQUEST_RING_BYTES,
  venueReportBytes: VENUE_REPORT_RING_BYTES,
  marketBytes: MARKET_RING_BYTES,
};

export function createMemory(
  shardCount: number,
  catalogue: InstrumentCatalogue,
  rings: RingSizes = RING_SIZES,
): ServiceMemory {
  return {
    mainBell: createBell(),
    venueBell: createBell(),
    slate: createSlate(catalogue.instruments.length, shardCount + 1),
    depth: createDepthSlate(catalogue.instruments.length, shardCount + 1),
    tapeClaims: TapeClaims.create(catalogue.instruments.length),
    shards: Array.from({ length: shardCount }, () => ({
      commands: createRing(rings.commandBytes),
      events: createRing(rings.eventBytes),
      requests: createRing(rings.venueRequestBytes),
      reports: createRing(rings.venueReportBytes),
      bell: createBell(),
      beat: new SharedArrayBuffer(8),
      faults: createFaultFigures(),
    })),
    requests: createRing(rings.venueRequestBytes),
    reports: createRing(rings.venueReportBytes),
    feedInterest: createFeedInterest(catalogue.instruments.length),
    marketUpdates: createRing(rings.marketBytes),
    budgetFigures: createBudgetMemory(),
    venueControl: new SharedArrayBuffer(4),
    watchdogControl: new SharedArrayBuffer(4),
    beats: ThreadBeats.create(),
  };
}
