import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { monotonicUs, ServiceClock } from '../src/runtime/clock.js';
import { notify, runThread } from '../src/runtime/worker.js';
import { threadLog } from '../src/runtime/log.js';
import { accountSlot, ownerOf } from '../src/domain/ids.js';
import type { EpochMs } from '../src/domain/time.js';
import { DepthCacheWriter } from '../src/marketdata/depth-cache.js';
import { BellRinger, BlockingBell } from '../src/wire/bell.js';
import { FeedSubscriptionsReader, RingFeedOutlet } from '../src/marketdata/feed-subscriptions.js';
import { RingProducer } from '../src/wire/ring.js';
import { MarketCacheWriter } from '../src/marketdata/market-cache.js';
import { BEAT_SLOTS, ThreadBeats, type VenueWorkerData } from '../src/wire/worker-data.js';
import { LatentBooks } from '../src/sim/latency/latent-venues.js';
import { openVenues, SimulatedVenues } from '../src/sim/simulated-venues.js';
import { LmdbVenueStore } from '../src/sim/store/lmdb-store.js';
import { buildCatalogue } from '../src/venue/listing/catalogue.js';
import { MAIN_THREAD, VenueLoop } from '../src/venue/venue-loop.js';

const data = workerData as VenueWorkerData;
const log = threadLog(data.logLevel, data.log, { thread: 'venue' });

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
  const loop = new VenueLoop({
    gateway: venues,
    clock,
    shards: data.shards.map((rings, shard) => ({ rings, bell: shardBells[shard] as BellRinger })),
    main: { rings: data, bell: mainBell },
    onMarket: (instrument, market) => {
      marketCache.write(instrument, market, monotonicUs());
      books.arrive(instrument, market.atMs);
    },
    feeds: outlet,
  });
  const bell = new BlockingBell(data.venueBell);
  loop.turn();
  notify({ kind: 'ready', openParents: 0 });
  while (Atomics.load(control, 0) === 0) {
    beats.beat(BEAT_SLOTS.venue);
    if (!loop.turn()) bell.wait(loop.waitMs());
  }
  venues.close();
  // An end by a failure waits for this (runtime/threads).
  Atomics.store(control, 0, 2);
  Atomics.notify(control, 0);
}

runThread(log, run, () => ({ message: 'the venue worker stops', isFatal: false }));
