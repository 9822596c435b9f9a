import { workerData } from 'node:worker_threads';
import { ServiceClock } from '../src/runtime/clock.js';
import { notify, runThread } from '../src/runtime/worker.js';
import { threadLog } from '../src/runtime/log.js';
import { openTurnJournal } from '../src/journal/turn/turn-journal.js';
import { JournalFailure } from '../src/journal/port.js';
import { SharedJournal } from '../src/journal/shared-journal.js';
import { BEAT_MS_MAX } from '../src/domain/limits/process.js';
import type { ShardWorkerData } from '../src/wire/worker-data.js';
import {
  accountOrdersOf,
  CachedMarketView,
  faultWatchOf,
  RingInbox,
  RingMainOutbox,
  RingVenueOutbox,
  shardVenues,
} from '../src/shard/ring-ports.js';
import { Shard } from '../src/shard/shard.js';
import { buildCatalogue } from '../src/venue/listing/catalogue.js';
import { BellRinger, BellRingers, BlockingBell } from '../src/wire/bell.js';
import { SharedListingReader } from '../src/wire/shared-listing.js';
import { QuoteClaims } from '../src/shard/quote-history.js';

const data = workerData as ShardWorkerData;
const log = threadLog(data.logLevel, data.log, { thread: `shard-${data.shard}` });

const HELD_BACK_POLL_MS = 1;

function run(): void {
  const clock = new ServiceClock(data.clock);
  const journal = openTurnJournal({ dataDir: data.dataDir, shared: data.journal, memory: data.memory });
  const mainBell = new BellRinger(data.mainBell);
  const real = shardVenues(data.real, data.shard);
  const venueBell = new BellRinger(data.venueBell);
  const venueBells = new BellRingers([data.venueBell, ...real.map(({ bell: ownBell }) => ownBell)]);
  const bell = new BlockingBell(data.memory.bell);
  const market = new CachedMarketView(data, data.shard, venueBells);
  const catalogue = buildCatalogue(data.realVenues);
  const listing = data.listing === null ? null : new SharedListingReader(data.listing);
  const takeListed = (): void => listing?.take((instrument) => catalogue.put(instrument));
  takeListed();
  const watch = faultWatchOf(data, log);
  const shard = new Shard({
    shard: data.shard,
    shardCount: data.shardCount,
    clock,
    catalogue,
    realVenues: data.realVenues,
    journal,
    inbox: new RingInbox(data.memory, watch.onFault, real),
    main: new RingMainOutbox(data.memory, mainBell),
    venue: new RingVenueOutbox(data.memory, venueBell, real),
    market,
    trading: data.trading,
    restore: data.restore,
    watch,
    accountOrders: accountOrdersOf(data.memory),
    suspects: data.suspects,
    quotes: { source: market, claims: new QuoteClaims(data.quoteClaims), past: journal },
  });
  const found = shard.recover();
  if (found > 0) log.info({ openParents: found }, 'open orders found');
  const beat = new Int32Array(data.memory.beat);
  let isReady = false;
  while (!shard.isStopped) {
    takeListed();
    const isBusy = shard.turn();
    Atomics.add(beat, 0, 1);
    Atomics.store(beat, 1, shard.openParentCount);
    if (!isReady && shard.isRecovered) {
      isReady = true;
      notify({ kind: 'ready', openParents: shard.openParentCount });
    }
    const quietMs = journal.wakeLater();
    if (isBusy || shard.isStopped) continue;
    // A full ring does not ring when it has room again, so the thread polls.
    const untilNextMs = Math.min(clock.realMsUntil(shard.nextWakeMs()), quietMs, BEAT_MS_MAX);
    const waitMs = shard.isBackpressured ? Math.min(untilNextMs, HELD_BACK_POLL_MS) : untilNextMs;
    bell.wait(waitMs);
  }
  journal.wake();
  while (shard.isWaiting) {
    shard.releaseDurable();
    bell.wait(HELD_BACK_POLL_MS);
  }
  journal.close();
}

// After a failure of the journal, its own thread ends the process and gives the reason.
runThread(log, run, (error) =>
  new SharedJournal(data.journal).isFailed
    ? null
    : { message: 'the shard stops', isFatal: error instanceof JournalFailure },
);
