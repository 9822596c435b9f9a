import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { pino } from 'pino';
import { monotonicUs, ServiceClock } from '../src/clock.js';
import { accountSlot } from '../src/model/account-slot.js';
import { ownerOf } from '../src/model/ids.js';
import type { InstrumentIndex } from '../src/model/instrument.js';
import { BEAT_MS_MAX } from '../src/model/limits.js';
import type { Market } from '../src/model/market.js';
import type { EpochMs } from '../src/model/time.js';
import type { VenueReport } from '../src/model/venue-message.js';
import { decodeVenueRequest, encodeVenueReport } from '../src/wire/codec/index.js';
import { DepthSlateWriter } from '../src/wire/depth-slate.js';
import { BellRinger, BlockingBell } from '../src/wire/doorbell.js';
import { FeedInterestReader } from '../src/wire/feed-interest.js';
import { Lane } from '../src/wire/lane.js';
import { RingFeedOutlet } from '../src/wire/ring-feed-outlet.js';
import { RingConsumer, RingProducer } from '../src/wire/ring.js';
import { SlateWriter } from '../src/wire/slate.js';
import { BEAT_SLOTS, ThreadBeats } from '../src/wire/thread-beats.js';
import type { VenueWorkerData, WorkerNotice } from '../src/route/worker-data.js';
import { buildCatalogue, LatentBooks, LmdbVenueStore, openVenues, SimulatedVenues } from '../src/venue/index.js';

const data = workerData as VenueWorkerData;
const log = pino({ level: data.logLevel, base: { thread: 'venue' } }, pino.destination({ sync: true }));
const REQUESTS_PER_TURN_MAX = 512;
const MAIN_THREAD = -1;

function tell(notice: WorkerNotice): void {
  parentPort?.postMessage(notice);
}

function run(): void {
  const clock = new ServiceClock(data.clock);
  const control = new Int32Array(data.control);
  const beats = new ThreadBeats(data.beats);
  const mainBell = new BellRinger(data.mainBell);
  const shardBells = data.shards.map(({ bell }) => new BellRinger(bell));
  const slate = new SlateWriter(data.slate, [...shardBells, mainBell]);
  const depth = new DepthSlateWriter(data.depth, [...shardBells, mainBell]);
  const books = new LatentBooks((instrument, book) => depth.write(instrument, book, monotonicUs()));
  const outlet = new RingFeedOutlet({
    updates: new RingProducer(data.marketUpdates),
    mainBell,
    interest: new FeedInterestReader(data.feedInterest),
    depth,
    sendDepth: (instrument, book) => books.send(instrument, book),
    speed: data.clock.speed,
  });
  const lanes = new Map(
    data.shards.map((memory, shard) => [
      shard,
      new Lane(new RingProducer(memory.reports), shardBells[shard] as BellRinger),
    ]),
  );
  lanes.set(MAIN_THREAD, new Lane(new RingProducer(data.reports), mainBell));
  const origins = [
    ...data.shards.map((memory, shard) => ({ origin: shard, ring: new RingConsumer(memory.requests) })),
    { origin: MAIN_THREAD, ring: new RingConsumer(data.requests) },
  ];
  const { seed, faultScript, distance, rates, budgetFigures } = data;
  const catalogue = buildCatalogue();
  const open = (startMs: EpochMs): SimulatedVenues =>
    new SimulatedVenues({
      catalogue,
      seed,
      store: new LmdbVenueStore(join(data.dataDir, 'venue')),
      startMs,
      isWatched: (instrument) => slate.isWanted(instrument) || outlet.isLively(instrument),
      outlet,
      balanceHome: (account, venue) => ownerOf(accountSlot(account, venue), data.shardCount),
      onRepeated: ({ orderId, child }) => log.error({ orderId, child }, 'a client id was sent again'),
    });
  const startMs = clock.nowMs();
  const listeners = [...data.shards.keys()];
  const conditions = { faultScript, distance, rates };
  const venues = openVenues({ open, catalogue, seed, startMs, ...conditions, listeners, budgetFigures });
  const sink = {
    report: (report: VenueReport, destination: number) => lanes.get(destination)?.send(encodeVenueReport(report)),
    market: (instrument: InstrumentIndex, market: Market) => {
      slate.write(instrument, market, monotonicUs());
      books.arrive(instrument, market.atMs);
    },
    trade: () => undefined,
  };
  const bell = new BlockingBell(data.venueBell);
  venues.advance(clock.nowMs(), sink);
  tell({ kind: 'ready', openParents: 0 });
  while (Atomics.load(control, 0) === 0) {
    beats.beat(BEAT_SLOTS.venue);
    const nowMs = clock.nowMs();
    let taken = 0;
    // A shard that does not take its reports gets no new work done: the lane waits, its requests too.
    for (const { origin, ring } of origins) {
      if ((lanes.get(origin)?.waitingCount ?? 0) > 0) continue;
      taken += ring.drain(REQUESTS_PER_TURN_MAX, (bytes) => venues.handle(decodeVenueRequest(bytes), origin, nowMs));
    }
    venues.advance(nowMs, sink);
    outlet.flush();
    let isBlocked = false;
    for (const lane of lanes.values()) {
      lane.flush();
      isBlocked ||= lane.waitingCount > 0;
    }
    if (taken === 0) bell.wait(isBlocked ? 1 : Math.min(clock.realMsUntil(venues.nextWakeMs()), BEAT_MS_MAX));
  }
  venues.close();
}

try {
  run();
} catch (error) {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log.fatal({ err: error }, 'the venue worker stops');
  tell({ kind: 'failed', reason, isFatal: false });
}
