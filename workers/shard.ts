import { workerData } from 'node:worker_threads';
import { ServiceClock } from '../src/runtime/clock.js';
import { notify, runThread } from '../src/runtime/worker.js';
import { threadLog } from '../src/runtime/log.js';
import { openTurnJournal } from '../src/journal/turn/turn-journal.js';
import { shardLeader } from '../src/journal/lead.js';
import { Leader } from '../src/journal/leader.js';
import { JournalFailure } from '../src/journal/port.js';
import { SharedJournal } from '../src/journal/shared-journal.js';
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
import { ShardLoop } from '../src/shard/shard-loop.js';
import { buildCatalogue } from '../src/venue/listing/catalogue.js';
import { BellRinger, BellRingers, BlockingBell } from '../src/wire/bell.js';
import { SharedListingReader } from '../src/wire/shared-listing.js';
import { QuoteClaims } from '../src/shard/quote-history.js';

const data = workerData as ShardWorkerData;
const log = threadLog(data.logLevel, data.log, { thread: `shard-${data.shard}` });

function run(): void {
  const clock = new ServiceClock(data.clock);
  const own = { dataDir: data.dataDir, shared: data.journal, memory: data.memory };
  const leader = new Leader({ ...own, thread: shardLeader(data.shard) });
  const journal = openTurnJournal({ ...own, leader });
  const mainBell = new BellRinger(data.mainBell);
  const real = shardVenues(data.real, data.shard);
  const venueBell = new BellRinger(data.venueBell);
  const venueBells = new BellRingers([data.venueBell, ...real.map(({ bell: ownBell }) => ownBell)]);
  const bell = new BlockingBell(data.memory.bell);
  const market = new CachedMarketView(data, data.shard, venueBells);
  const catalogue = buildCatalogue(data.realVenues);
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
  const loop = new ShardLoop({
    shard,
    clock,
    journal,
    catalogue,
    listing: data.listing === null ? null : new SharedListingReader(data.listing),
    beat: data.memory.beat,
    onReady: () => notify({ kind: 'ready', openParents: shard.openParentCount }),
  });
  const found = loop.recover();
  if (found > 0) log.info({ openParents: found }, 'open orders found');
  while (!loop.hasEnded) {
    if (!loop.turn()) bell.wait(loop.waitMs());
  }
  journal.close();
  leader.close();
}

// After a failure of the journal, its own thread ends the process and gives the reason.
runThread(log, run, (error) =>
  new SharedJournal(data.journal).isFailed
    ? null
    : { message: 'the shard stops', isFatal: error instanceof JournalFailure },
);
