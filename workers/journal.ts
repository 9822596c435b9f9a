import { workerData } from 'node:worker_threads';
import { BEAT_MS_MAX } from '../src/domain/limits/process.js';
import { Sequencer } from '../src/journal/sequencer.js';
import { notify, runThread } from '../src/runtime/worker.js';
import { threadLog } from '../src/runtime/log.js';
import { BlockingBell } from '../src/wire/bell.js';
import { BEAT_SLOTS, type JournalWorkerData, ThreadBeats } from '../src/wire/worker-data.js';

const data = workerData as JournalWorkerData;
const log = threadLog(data.logLevel, data.log, { thread: 'journal' });

function run(): void {
  const { dataDir, journal: shared, producers } = data;
  const sequencer = new Sequencer({ dataDir, shared, producers });
  const bell = new BlockingBell(shared.bell);
  const beats = new ThreadBeats(data.beats);
  const control = new Int32Array(data.control);
  notify({ kind: 'ready', openParents: 0 });
  for (;;) {
    // The order to end comes after the last turn of every producer.
    const isEnding = Atomics.load(control, 0) === 1;
    const hasWritten = sequencer.round();
    beats.beat(BEAT_SLOTS.journal);
    if (hasWritten) continue;
    if (isEnding) break;
    bell.wait(BEAT_MS_MAX);
  }
  sequencer.close();
}

runThread(log, run, () => ({ message: 'the journal failed: nothing more is acknowledged', isFatal: true }));
