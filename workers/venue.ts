import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { monotonicUs, ServiceClock } from '../src/runtime/clock.js';
import { notify, runThread } from '../src/runtime/worker.js';
import { threadLog } from '../src/runtime/log.js';
import { accountSlot, ownerOf } from '../src/domain/ids.js';
import type { InstrumentIndex } from '../src/domain/instrument.js';
import { BEAT_MS_MAX } from '../src/domain/limits/process.js';
import type { Market } from '../src/domain/market.js';
import type { EpochMs } from '../src/domain/time.js';
import type { VenueReport } from '../src/domain/venue-report.js';
import { encodeVenueReport } from '../src/wire/codec/venue-report.js';
import { decodeVenueRequest } from '../src/wire/codec/venue-request.js';
import { DepthCacheWriter } from '../src/marketdata/depth-cache.js';
import { BellRinger, BlockingBell } from '../src/wire/bell.js';
import { FeedSubscriptionsReader, RingFeedOutlet } from '../src/marketdata/feed-subscriptions.js';
import { OutboundQueue } from '../src/wire/outbound-queue.js';
import { RingConsumer, RingProducer } from '../src/wire/ring.js';
import { MarketCacheWriter } from '../src/marketdata/market-cache.js';
import { BEAT_SLOTS, ThreadBeats, type VenueWorkerData } from '../src/wire/worker-data.js';
import { LatentBooks } from '../src/sim/latency/latent-venues.js';
import { openVenues, SimulatedVenues } from '../src/sim/simulated-venues.js';
import { LmdbVenueStore } from '../src/sim/store/lmdb-store.js';
import { buildCatalogue } from '../src/venue/listing/catalogue.js';

const data = workerData as VenueWorkerData;
const log = threadLog(data.logLevel, data.log, { thread: 'venue' });
const REQUESTS_PER_TURN_MAX = 512;
const MAIN_THREAD = -1;

function run(): void {
  const clock = new ServiceClock(data.clock);
  const control = new Int32Array(data.control);
  const beats = new ThreadBeats(data.beats);
  const mainBell = new BellRinger(data.mainBell);
  const shardBells = data.shards.map(({ bell }) => new BellRinger(bell));
  const marketCache = new MarketCacheWriter(data.marketCache, [...shardBells, mainBell]);
  const depth = new DepthCacheWriter(data.depth, [...shardBells, mainBell]);
  const books = new LatentBooks((instrument, book) => depth.write(instrument, book, monotonicUs()));
  const outlet = new RingFeedOutlet({
    updates: new RingProducer(data.marketUpdates),
    mainBell,
    subscriptions: new FeedSubscriptionsReader(data.feedSubscriptions, 'simulated'),
    depth,
    sendDepth: (instrument, book) => books.send(instrument, book),
    speed: data.clock.speed,
  });
  const queues = new Map(
    data.shards.map((memory, shard) => [
      shard,
      new OutboundQueue(new RingProducer(memory.reports), shardBells[shard] as BellRinger),
    ]),
  );
  queues.set(MAIN_THREAD, new OutboundQueue(new RingProducer(data.reports), mainBell));
  const origins = [
    ...data.shards.map((memory, shard) => ({ origin: shard, ring: new RingConsumer(memory.requests) })),
    { origin: MAIN_THREAD, ring: new RingConsumer(data.requests) },
  ];
  const { seed, faultScript, distance, rates, throttleFigures } = data;
  const catalogue = buildCatalogue();
  const open = (startMs: EpochMs): SimulatedVenues =>
    new SimulatedVenues({
      catalogue,
      seed,
      store: new LmdbVenueStore(join(data.dataDir, 'venue')),
      startMs,
      isWatched: (instrument) => marketCache.isWanted(instrument) || outlet.needsActiveMarket(instrument),
      // The rows of real exchanges follow in the same memory. Their own threads write them.
      takeNewlyWatched: (wake) => marketCache.takeNewlyWanted(catalogue.instruments.length, wake),
      outlet,
      balanceHome: (account, venue) => ownerOf(accountSlot(account, venue), data.shardCount),
      realVenues: data.realVenues,
      onRepeated: ({ orderId, child }) => log.error({ orderId, child }, 'a client id was sent again'),
    });
  const startMs = clock.nowMs();
  const listeners = [...data.shards.keys(), MAIN_THREAD];
  const conditions = { faultScript, distance, rates };
  const venues = openVenues({ open, catalogue, seed, startMs, ...conditions, listeners, throttleFigures });
  const sink = {
    report: (report: VenueReport, destination: number) => queues.get(destination)?.send(encodeVenueReport(report)),
    market: (instrument: InstrumentIndex, market: Market) => {
      marketCache.write(instrument, market, monotonicUs());
      books.arrive(instrument, market.atMs);
    },
    trade: () => undefined,
  };
  const bell = new BlockingBell(data.venueBell);
  venues.advance(clock.nowMs(), sink);
  notify({ kind: 'ready', openParents: 0 });
  while (Atomics.load(control, 0) === 0) {
    beats.beat(BEAT_SLOTS.venue);
    const nowMs = clock.nowMs();
    let taken = 0;
    // A shard that does not take its reports gets no new work. Its requests and its queue wait.
    for (const { origin, ring } of origins) {
      if ((queues.get(origin)?.waitingCount ?? 0) > 0) continue;
      taken += ring.drain(REQUESTS_PER_TURN_MAX, (bytes) => venues.handle(decodeVenueRequest(bytes), origin, nowMs));
    }
    venues.advance(nowMs, sink);
    outlet.flush();
    let isBlocked = false;
    for (const queue of queues.values()) {
      queue.flush();
      isBlocked ||= queue.waitingCount > 0;
    }
    if (taken === 0) bell.wait(isBlocked ? 1 : Math.min(clock.realMsUntil(venues.nextWakeMs()), BEAT_MS_MAX));
  }
  venues.close();
  // An end by a failure waits for this (runtime/threads).
  Atomics.store(control, 0, 2);
  Atomics.notify(control, 0);
}

runThread(log, run, () => ({ message: 'the venue worker stops', isFatal: false }));
