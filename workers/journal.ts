import { workerData } from 'node:worker_threads';
import { runJournalLoop } from '../src/journal/journal-loop.js';
import { Sequencer } from '../src/journal/sequencer.js';
import { SharedJournal } from '../src/journal/shared-journal.js';
import { notify, runThread } from '../src/runtime/worker.js';
import { threadLog } from '../src/runtime/log.js';
import { BlockingBell } from '../src/wire/bell.js';
import { BEAT_SLOTS, type JournalWorkerData, ThreadBeats } from '../src/wire/worker-data.js';

const data = workerData as JournalWorkerData;
const log = threadLog(data.logLevel, data.log, { thread: 'journal' });

function run(): void {
  const { dataDir, journal: shared, producers } = data;
  const sequencer = new Sequencer({ dataDir, shared, producers });
  const { lead } = new SharedJournal(shared);
  const bell = new BlockingBell(shared.bell);
  const beats = new ThreadBeats(data.beats);
  const control = new Int32Array(data.control);
  notify({ kind: 'ready', openParents: 0 });
  runJournalLoop({
    sequencer,
    lead,
    bell,
    beat: () => beats.beat(BEAT_SLOTS.journal),
    isEnding: () => Atomics.load(control, 0) === 1,
  });
}

runThread(log, run, () => ({ message: 'the journal failed: nothing more is acknowledged', isFatal: true }));
