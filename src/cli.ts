import { runCommandLine } from './cli/program.js';
import { backupData, restoreData, verifyJournal } from './journal/index.js';
import { foldEnvelope } from './order/evolve.js';
import { reportReplay } from './replay/replay-report.js';

/** The command line, put together: what needs the whole service's code meets what only needs its public API. */
process.exitCode = await runCommandLine({
  args: process.argv.slice(2),
  env: process.env,
  writer: {
    out: (text) => void process.stdout.write(text),
    error: (text) => void process.stderr.write(text),
  },
  maintenance: {
    verifyJournal: (dataDir) => verifyJournal(dataDir, foldEnvelope),
    backup: backupData,
    restore: restoreData,
  },
  replays: { run: reportReplay },
});
