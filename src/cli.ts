import { runCommandLine } from './cli/program.js';
import { createInterface } from 'node:readline/promises';
import { backupData, verifyJournal } from './journal/index.js';
import { finishRestore, restoreBackup } from './operator/restore.js';
import { foldEnvelope } from './order/evolve.js';
import { reportReplay } from './replay/replay-report.js';

/** Asks the person at the terminal. */
async function prompt(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}

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
    restore: restoreBackup,
    finishRestore,
  },
  prompt: process.stdin.isTTY ? prompt : undefined,
  replays: { run: reportReplay },
});
