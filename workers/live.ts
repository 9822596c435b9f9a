import { parentPort, workerData } from 'node:worker_threads';
import type { RealMode } from '../src/domain/exchange.js';
import type { Market } from '../src/domain/market.js';
import { masterOf } from '../src/domain/ids.js';
import { BEAT_MS_MAX } from '../src/domain/limits/process.js';
import { isRejected } from '../src/domain/rejection.js';
import type { InstrumentIndex } from '../src/domain/instrument.js';
import { DepthCacheWriter } from '../src/marketdata/depth-cache.js';
import { FeedSubscriptionsReader, RingFeedOutlet } from '../src/marketdata/feed-subscriptions.js';
import { MarketCacheWriter } from '../src/marketdata/market-cache.js';
import { monotonicUs, ServiceClock } from '../src/runtime/clock.js';
import { openIdentity } from '../src/runtime/identity.js';
import { threadLog } from '../src/runtime/log.js';
import { notify } from '../src/runtime/worker.js';
import { LIVE_EXCHANGES } from '../src/venue/live/live-exchanges.js';
import { LiveVenue } from '../src/venue/live/live-venue.js';
import { writeBarredUntil } from '../src/venue/throttle/throttle-figures.js';
import { ThrottledVenues } from '../src/venue/throttle/throttled-venues.js';
import { VenueLoop } from '../src/venue/venue-loop.js';
import { BellRinger, EventLoopBell } from '../src/wire/bell.js';
import { RingProducer } from '../src/wire/ring.js';
import { SharedListingWriter } from '../src/wire/shared-listing.js';
import { type LiveWorkerData, realVenueSlot, ThreadBeats } from '../src/wire/worker-data.js';

const data = workerData as LiveWorkerData;
const { venue } = data.memory;
const mode = data.realVenues.get(venue) as RealMode;
const log = threadLog(data.logLevel, data.log, { thread: `live-${venue}` });

const clock = new ServiceClock(data.clock);
const nowMs = () => clock.nowMs();
const beats = new ThreadBeats(data.beats);
const mainBell = new BellRinger(data.mainBell);
const shardBells = data.shardBells.map((bell) => new BellRinger(bell));
const marketCache = new MarketCacheWriter(data.marketCache, [...shardBells, mainBell]);
const depth = new DepthCacheWriter(data.depth, [...shardBells, mainBell]);
const subscriptions = new FeedSubscriptionsReader(data.feedSubscriptions, mode);
const feeds = new RingFeedOutlet({
  updates: new RingProducer(data.memory.marketUpdates),
  mainBell,
  subscriptions,
  depth,
  sendDepth: (instrument, book) => depth.write(instrument, book, monotonicUs()),
  speed: data.clock.speed,
});
const identity = openIdentity(data.dataDir, { masterKey: data.masterKey ?? undefined });
const listing = new SharedListingWriter(data.listing as SharedArrayBuffer);
const writeMarket = (instrument: InstrumentIndex, market: Market): void =>
  marketCache.write(instrument, market, monotonicUs());

let timer: NodeJS.Timeout | null = null;
/** True while a turn is due anyway: the first one follows the opening. */
let isWoken = true;
/** True from the order to end: no further turn may read the database, which is being closed. */
let isEnding = false;

const opened = await LiveVenue.open({
  venue,
  mode,
  openers: LIVE_EXCHANGES[venue] ?? [],
  proxy: data.proxy,
  origin: data.origin,
  registry: identity.instruments,
  publish: (instrument) => {
    listing.put(instrument);
    mainBell.ring();
    for (const bell of shardBells) bell.ring();
  },
  keys: identity.venueKeyDirectory,
  hasRiskLimits: (account) => identity.riskLimitDirectory.hasLimits(masterOf(account)),
  outlet: {
    isWanted: (instrument) => marketCache.isWanted(instrument),
    isDepthWanted: (instrument) => depth.isWanted(instrument),
    get feedsVersion() {
      return subscriptions.version;
    },
    followed: () => subscriptions.followed(),
    nextClosedMs: (instrument, interval) => subscriptions.nextClosedMs(instrument, interval),
    writeMarket,
    writeDepth: (instrument, book) => feeds.showDepth(instrument, book),
    offer: (update) => feeds.offer(update),
  },
  shardCount: data.shardCount,
  nowMs,
  onBarred: (untilMs) => writeBarredUntil(data.throttleFigures, venue, untilMs),
  wake: () => wake(),
  log,
});
if (isRejected(opened)) throw new Error(`${venue}: ${opened.rejection.message}`);
const live = opened;
const gateway = new ThrottledVenues({
  gateway: live.gateway,
  exchangeLimits: live.gateway,
  rates: data.rates,
  figures: data.throttleFigures,
});

const loop = new VenueLoop({
  gateway,
  clock,
  shards: data.memory.shards.map((rings, shard) => ({ rings, bell: shardBells[shard] as BellRinger })),
  main: { rings: data.memory, bell: mainBell },
  onMarket: writeMarket,
  feeds,
});

/** Many calls within one turn of the event loop make one turn of the gateway. */
function wake(): void {
  if (isWoken) return;
  isWoken = true;
  setImmediate(() => turn());
}

function turn(): void {
  isWoken = false;
  if (isEnding) return;
  if (loop.turn()) return wake();
  if (timer !== null) clearTimeout(timer);
  timer = setTimeout(turn, loop.waitMs());
}

const control = new Int32Array(data.memory.control);
const bell = new EventLoopBell(data.memory.bell, () => {
  if (Atomics.load(control, 0) === 1) return stopWriting();
  live.round();
  turn();
});
const beating = setInterval(() => beats.beat(realVenueSlot(venue)), BEAT_MS_MAX / 2);
beats.beat(realVenueSlot(venue));

/** An end by a failure must not fall into a transaction (runtime/threads). The process ends this thread. */
function stopWriting(): void {
  Atomics.store(control, 0, 2);
  Atomics.notify(control, 0);
  Atomics.wait(control, 0, 2);
}

parentPort?.on('message', (message) => {
  if (message !== 'end') return;
  isEnding = true;
  bell.close();
  clearInterval(beating);
  if (timer !== null) clearTimeout(timer);
  void live
    .close()
    .then(() => identity.close())
    .finally(() => process.exit(0));
});
turn();
notify({ kind: 'ready', openParents: 0 });
