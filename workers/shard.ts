import { parentPort, workerData } from 'node:worker_threads';
import { pino } from 'pino';
import { ServiceClock } from '../src/clock.js';
import { openTurnJournal } from '../src/journal/index.js';
import { JournalFailure } from '../src/journal/port.js';
import { BEAT_MS_MAX } from '../src/model/limits.js';
import type { ShardWorkerData, WorkerNotice } from '../src/route/worker-data.js';
import { RingInbox, RingMainOutbox, RingVenueOutbox, SlateMarketView } from '../src/shard/ring-ports.js';
import { Shard } from '../src/shard/shard.js';
import { watchOf } from '../src/shard/shard-watch.js';
import { buildCatalogue } from '../src/venue/index.js';
import { BellRinger, BlockingBell } from '../src/wire/doorbell.js';
import { TapeClaims } from '../src/wire/tape-claims.js';

const data = workerData as ShardWorkerData;
// Synchronous: this thread never yields to an event loop that could drain a stream.
const log = pino({ level: data.logLevel, base: { thread: `shard-${data.shard}` } }, pino.destination({ sync: true }));

const HELD_BACK_POLL_MS = 1;
/** Who has just been answered often asks again: the thread looks out for it so long before it sleeps. */
const AFTER_ANSWER_SPIN_US = 150;

function tell(notice: WorkerNotice): void {
  parentPort?.postMessage(notice);
}

function run(): void {
  const clock = new ServiceClock(data.clock);
  const journal = openTurnJournal({ dataDir: data.dataDir, shared: data.journal });
  const mainBell = new BellRinger(data.mainBell);
  const venueBell = new BellRinger(data.venueBell);
  const bell = new BlockingBell(data.memory.bell);
  const market = new SlateMarketView(data, data.shard, venueBell);
  const watch = watchOf(data, log);
  const shard = new Shard({
    shard: data.shard,
    shardCount: data.shardCount,
    clock,
    catalogue: buildCatalogue(),
    journal,
    inbox: new RingInbox(data.memory, watch.onFault),
    main: new RingMainOutbox(data.memory, mainBell),
    venue: new RingVenueOutbox(data.memory, venueBell),
    market,
    trading: data.trading,
    restore: data.restore,
    watch,
    suspects: data.suspects,
    tape: { source: market, claims: new TapeClaims(data.tapeClaims), past: journal },
  });
  const found = shard.recover();
  if (found > 0) log.info({ openParents: found }, 'open orders found');
  const beat = new Int32Array(data.memory.beat);
  let isReady = false;
  while (!shard.isStopped) {
    const isBusy = shard.turn();
    Atomics.add(beat, 0, 1);
    Atomics.store(beat, 1, shard.openParentCount);
    if (!isReady && shard.isRecovered) {
      isReady = true;
      tell({ kind: 'ready', openParents: shard.openParentCount });
    }
    if (isBusy || shard.isStopped) continue;
    // Nobody rings when a full ring has room again.
    const untilNextMs = Math.min(clock.realMsUntil(shard.nextWakeMs()), BEAT_MS_MAX);
    const waitMs = shard.isHeldBack ? Math.min(untilNextMs, HELD_BACK_POLL_MS) : untilNextMs;
    bell.wait(waitMs, shard.hasAnswered ? AFTER_ANSWER_SPIN_US : 0);
  }
  journal.close();
}

try {
  run();
} catch (error) {
  const isFatal = error instanceof JournalFailure;
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log.fatal({ err: error }, isFatal ? 'the journal failed: nothing more is acknowledged' : 'the shard stops');
  tell({ kind: 'failed', reason, isFatal });
}
