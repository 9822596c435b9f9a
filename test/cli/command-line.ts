import { runCommandLine } from '../../src/cli/program.js';
import type { RestoreChoices, RestoreSummary } from '../../src/cli/operator/restored-data.js';
import type { SecretInput } from '../../src/cli/context.js';
import type { Backtests, Loopbacks } from '../../src/cli/port.js';
import type { JournalReport, Maintenance, LiveChecks } from '../../src/cli/operator/port.js';

export interface Outcome {
  readonly status: number;
  readonly out: string;
  readonly error: string;
}

type Environment = Readonly<Record<string, string>>;

export const SOUND: JournalReport = { entries: 3, orders: 1, feeds: 2, problems: [] };

/** Records the requested operations. */
export class FakeMaintenance implements Maintenance {
  readonly calls: unknown[][] = [];
  report = SOUND;
  /** null: the data directory is not empty. */
  restored: RestoreSummary | null = null;
  isServing = true;

  isServed(): boolean {
    return this.isServing;
  }

  verifyJournal(dataDir: string): Promise<JournalReport> {
    this.calls.push(['verify', dataDir]);
    return Promise.resolve(this.report);
  }

  backup(dataDir: string, target: string, options: { withMasterKey: boolean }): Promise<void> {
    this.calls.push(['backup', dataDir, target, options]);
    return Promise.resolve();
  }

  restore(source: string, dataDir: string): Promise<RestoreSummary> {
    this.calls.push(['restore', source, dataDir]);
    if (this.restored !== null) return Promise.resolve(this.restored);
    return Promise.reject(new Error(`${dataDir} is not empty`));
  }

  finishRestore(source: string, dataDir: string, choices: RestoreChoices, reason?: string): Promise<void> {
    this.calls.push(['finishRestore', source, dataDir, choices, ...(reason === undefined ? [] : [reason])]);
    return Promise.resolve();
  }
}

const NO_RECORDINGS: Backtests = { run: () => Promise.reject(new Error('there are no recordings')) };

const NO_LOOPBACKS: Loopbacks = { run: () => Promise.reject(new Error('there are no loopback exchanges')) };

const NO_EXCHANGES: LiveChecks = {
  probe: () => Promise.reject(new Error('there are no real exchanges')),
};

const NO_INPUT: SecretInput = { read: () => Promise.resolve(Buffer.alloc(0)) };

/** What the command line reaches outside of its process. */
interface Outside {
  readonly maintenance: FakeMaintenance;
  readonly backtests: Backtests;
  readonly loopbacks: Loopbacks;
  readonly liveChecks: LiveChecks;
  readonly secretInput: SecretInput;
  /** undefined: there is no terminal to ask. */
  readonly prompt: ((question: string) => Promise<string>) | undefined;
}

/** Runs the command line in this process. What `outside` lacks is not there. */
export async function sluice(
  args: readonly string[],
  env: Environment,
  outside: Partial<Outside> = {},
): Promise<Outcome> {
  const written = { out: '', error: '' };
  const writer = {
    out: (text: string) => void (written.out += text),
    error: (text: string) => void (written.error += text),
  };
  const parts: Outside = {
    maintenance: outside.maintenance ?? new FakeMaintenance(),
    backtests: outside.backtests ?? NO_RECORDINGS,
    loopbacks: outside.loopbacks ?? NO_LOOPBACKS,
    liveChecks: outside.liveChecks ?? NO_EXCHANGES,
    secretInput: outside.secretInput ?? NO_INPUT,
    prompt: outside.prompt,
  };
  const status = await runCommandLine({ args, env, writer, version: '1.2.3', ...parts });
  return { status, ...written };
}
