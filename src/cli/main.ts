import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { reportBacktest } from '../backtest/backtest-report.js';
import { backupData } from '../journal/backup.js';
import { type StoreCopier, verifyJournal } from '../journal/verification.js';
import { ProcessClaim } from '../storage/process-claim.js';
import { foldEnvelope } from '../order/evolve.js';
import { releaseVersion } from '../storage/release.js';
import { probeAccount, type ProbedAccount, type ProbeLine, type ProbeParts } from '../venue/live/account-probe.js';
import type { Venue } from '../domain/exchange.js';
import { LoopbackProgram } from './loopback.js';
import { copyStoreOf, isReadable } from '../admin/admin-client.js';
import { finishRestore, restoreBackup } from './operator/restored-data.js';
import { runCommandLine } from './program.js';
import { askHidden, readAll } from './secret-input.js';

/** From the place of the joined script: dist/service/src/cli. */
const LOOPBACK_PROGRAM = join(import.meta.dirname, '../../../test/loopback/main.js');

/** Asks the user at the terminal. */
async function prompt(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}

// A reader such as `head` that closes the pipe ends the command. Other errors of the output still end it with a stack.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

/** True also where it cannot be found out: another user's directory, or a machine without flock. */
function isServed(dataDir: string): boolean {
  try {
    return !isReadable(dataDir) || ProcessClaim.isHeld(dataDir);
  } catch {
    return true;
  }
}

/** Copies stores of a data directory: the running service does it, or this process when none runs. */
function copierOf(dataDir: string): StoreCopier {
  return (store, target) => copyStoreOf(dataDir, store, target);
}

/** Loads the exchanges when they are asked: other commands start faster without them. */
async function probeExchange(venue: Venue, parts: ProbedAccount): Promise<readonly ProbeLine[] | null> {
  const { LIVE_EXCHANGES } = await import('../venue/live/live-exchanges.js');
  const openers = LIVE_EXCHANGES[venue];
  if (openers === undefined) return null;
  return probeAccount({ ...parts, openers, nowMs: Date.now as ProbeParts['nowMs'] });
}

/** Composes the command line: commands that use the public API, and work that needs code of the service. */
process.exitCode = await runCommandLine({
  args: process.argv.slice(2),
  env: process.env,
  version: releaseVersion(),
  writer: {
    out: (text) => void process.stdout.write(text),
    error: (text) => void process.stderr.write(text),
  },
  maintenance: {
    isServed,
    verifyJournal: (dataDir) => verifyJournal(dataDir, foldEnvelope, { copyStore: copierOf(dataDir) }),
    backup: (dataDir, target, options) => backupData(dataDir, target, { ...options, copyStore: copierOf(dataDir) }),
    restore: restoreBackup,
    finishRestore,
  },
  terminal: process.stdout.isTTY ? process.stdout : undefined,
  prompt: process.stdin.isTTY ? prompt : undefined,
  secretInput: {
    ask: process.stdin.isTTY
      ? (question, bytesMax) => askHidden(process.stdin, process.stderr, question, bytesMax)
      : undefined,
    read: (bytesMax) => readAll(process.stdin, bytesMax),
  },
  backtests: { run: reportBacktest },
  loopbacks: new LoopbackProgram(LOOPBACK_PROGRAM),
  liveChecks: { probe: probeExchange },
});
