import { backupData, restoreData } from '../../src/journal/backup.js';
import { verifyJournal } from '../../src/journal/verification.js';
import { foldEnvelope } from '../../src/order/evolve.js';
import { upgradeData } from '../../src/journal/format/data-upgrade.js';
import { type DataFormat, PRESENT_FORMAT } from '../../src/storage/format/format-steps.js';
import { NEXT_FORMAT } from './format/releases.js';
import { silentLog } from './journal-world.js';
import { LargeBook } from './large-book.js';

/*
 * One process in the life of a large book, for large-book.long.spec: LMDB may kill it, and its test then fails alone.
 * Arguments: a step, a data directory, then those of the step. Prints one line of JSON.
 */
const [step = '', dataDir = '', ...rest] = process.argv.slice(2);

/** Ended orders that fill a segment or two: retention removes them with their segments. */
const ENDED_COUNT = 1_500;
/** Number of orders that a process adds to a book and cancels in it. */
const ADDED_COUNT = 300;

function print(answer: object): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

/** Makes a book with that many open orders. */
async function make(openCount: number): Promise<void> {
  const book = new LargeBook(dataDir, 'boot-1', 0);
  book.end(ENDED_COUNT);
  await book.age();
  book.trade(Math.ceil(openCount / 2));
  await book.age();
  book.trade(Math.floor(openCount / 2));
  await book.checkpoint();
  book.end(10);
  print({ origin: book.origin, open: book.openCount, firstSegment: book.firstSegment });
  process.kill(process.pid, 'SIGKILL');
}

/** Opens a book, writes to it in every way, and ends cleanly or by SIGKILL. */
async function goOn(bootId: string, run: number, ending: string, format: DataFormat): Promise<void> {
  const startMs = performance.now();
  upgradeData({ dataDir, log: silentLog, bootId, format });
  const book = new LargeBook(dataDir, bootId, run, format);
  const startedMs = performance.now() - startMs;
  const found = book.openCount;
  book.adopt();
  book.trade(ADDED_COUNT);
  await book.age();
  book.cancel(ADDED_COUNT);
  book.trade(ADDED_COUNT);
  await book.checkpoint();
  print({ origin: book.origin, found, open: book.openCount, startedMs });
  if (ending === 'killed') process.kill(process.pid, 'SIGKILL');
  await book.close();
}

/** Opens a book, adds orders, and is killed before the keeper does anything. */
function trade(bootId: string, run: number): Promise<void> {
  const book = new LargeBook(dataDir, bootId, run);
  const found = book.openCount;
  book.trade(ADDED_COUNT);
  print({ origin: book.origin, found, open: book.openCount });
  process.kill(process.pid, 'SIGKILL');
  return Promise.resolve();
}

async function verify(format: DataFormat): Promise<void> {
  print(await verifyJournal(dataDir, foldEnvelope, { format }));
}

const steps: Readonly<Record<string, () => Promise<void>>> = {
  make: () => make(Number(rest[0])),
  'go-on': () => goOn(rest[0] ?? '', Number(rest[1]), rest[2] ?? '', PRESENT_FORMAT),
  'go-on-upgraded': () => goOn(rest[0] ?? '', Number(rest[1]), rest[2] ?? '', NEXT_FORMAT),
  trade: () => trade(rest[0] ?? '', Number(rest[1])),
  backup: () => backupData(dataDir, rest[0] ?? '', { withMasterKey: false }),
  restore: () => restoreData(dataDir, rest[0] ?? ''),
  verify: () => verify(PRESENT_FORMAT),
  'verify-upgraded': () => verify(NEXT_FORMAT),
};
await steps[step]?.();
