import { workerData } from 'node:worker_threads';
import type { AccountId } from '../src/domain/ids.js';
import { BEAT_MS_MAX } from '../src/domain/limits/process.js';
import { Projector } from '../src/journal/projector.js';
import { TradingMeter } from '../src/journal/trading-meter.js';
import { monotonicMs } from '../src/runtime/clock.js';
import { foldEnvelope } from '../src/order/evolve.js';
import { notify, runThread } from '../src/runtime/worker.js';
import { threadLog } from '../src/runtime/log.js';
import { AccountCounts, AccountNumbers } from '../src/wire/account-counts.js';
import { BlockingBell } from '../src/wire/bell.js';
import { BEAT_SLOTS, type ProjectorWorkerData, ThreadBeats } from '../src/wire/worker-data.js';

const data = workerData as ProjectorWorkerData;
const log = threadLog(data.logLevel, data.log, { thread: 'projector' });

/** Called when LMDB has refused a transaction. */
function onRepeat(err: Error): void {
  log.warn({ err }, 'the state refused a transaction, which is repeated');
}

const control = new Int32Array(data.control);

function run(): void {
  try {
    follow();
  } finally {
    // An end by a failure waits for this (runtime/threads).
    Atomics.store(control, 0, 2);
    Atomics.notify(control, 0);
  }
}

function follow(): void {
  const { dataDir, journal: shared } = data;
  const meter = new TradingMeter(data.tradingFigures, monotonicMs);
  const numbers = new AccountNumbers(data.accounts);
  const written = new AccountCounts(data.accounts.written);
  const countBytes = (account: AccountId, bytes: number): void => written.add(numbers.of(account), bytes);
  const projector = new Projector({ dataDir, shared, fold: meter.over(foldEnvelope), countBytes, onRepeat });
  const bell = new BlockingBell(shared.projectorBell);
  const beats = new ThreadBeats(data.beats);
  notify({ kind: 'ready', openParents: 0 });
  for (;;) {
    const isEnding = Atomics.load(control, 0) === 1;
    beats.beat(BEAT_SLOTS.projector);
    meter.publishUnknown();
    if (projector.isCurrent) {
      if (isEnding) break;
      bell.wait(BEAT_MS_MAX);
      continue;
    }
    if (!isEnding) projector.collect();
    projector.round();
  }
  projector.close();
}

runThread(log, run, () => ({ message: 'the state cannot follow the journal', isFatal: true }));
