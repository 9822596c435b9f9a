import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verify } from '../system/running-stores.js';
import { pause, type ServiceRun } from './actor.js';
import { Actors } from './actors.js';
import { ServiceRuns, type ReadyRun } from './service-runs.js';
import { LosingDisk } from './lost-writes.js';
import { isSilence, MachinePressure } from './pressure.js';
import { planRound, type RoundPlan } from './round-plan.js';
import { Restores } from './restores.js';
import type { ServiceProcess } from './service-process.js';
import type { Tally } from './tally.js';

export interface CampaignOptions {
  readonly rounds: number;
  readonly seed: number;
  /** Number of orders that stay open over all runs. */
  readonly openOrders: number;
  /** Rounds between two full settlements, which end all orders, compare sums, replay feeds and verify the journal. */
  readonly settleEveryRounds: number;
  readonly log: (text: string) => void;
}

const REPLAY_SILENCE_MS = 120_000;

/**
 * Ends the service at random times under full load, repeatedly on one data directory, and checks every promise after
 * each restart. Stops after the first round with a problem.
 */
export async function runCampaign(options: CampaignOptions): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-torture-'));
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  let hasFailed = true;
  try {
    const actors = await Actors.open(dataDir, options.openOrders);
    const disk = new LosingDisk(dataDir, join(folder, 'disk'));
    const runs = new ServiceRuns(dataDir, folder, disk);
    const restores = new Restores(dataDir, folder);
    const tally = await new Campaign(dataDir, options, { actors, disk, runs, restores }).run();
    hasFailed = tally.problems.length > 0;
    if (hasFailed) options.log(`the data directory is kept in ${dataDir}`);
    return tally;
  } finally {
    if (!hasFailed) rmSync(folder, { recursive: true, force: true });
  }
}

interface Parts {
  readonly actors: Actors;
  readonly disk: LosingDisk;
  readonly runs: ServiceRuns;
  readonly restores: Restores;
}

class Campaign {
  readonly #dataDir: string;
  readonly #options: CampaignOptions;
  readonly #actors: Actors;
  readonly #disk: LosingDisk;
  readonly #runs: ServiceRuns;
  readonly #restores: Restores;
  readonly #problems: string[] = [];
  #recoveryMsMax = 0;
  #roundsDone = 0;
  readonly #endings = { kill: 0, stop: 0, 'power loss': 0 };
  #pagesLost = 0;
  #namesLost = 0;
  #clockSteps = 0;
  #lateStops = 0;
  #silences = 0;
  /** Machine pressure during the present round. */
  #pressure = new MachinePressure();

  constructor(dataDir: string, options: CampaignOptions, { actors, disk, runs, restores }: Parts) {
    this.#dataDir = dataDir;
    this.#options = options;
    this.#actors = actors;
    this.#disk = disk;
    this.#runs = runs;
    this.#restores = restores;
  }

  async run(): Promise<Tally> {
    const startMs = performance.now();
    for (let round = 1; round <= this.#options.rounds && this.#problems.length === 0; round += 1) {
      await this.#round(round, planRound(round, this.#options));
      this.#roundsDone += 1;
    }
    return {
      rounds: this.#roundsDone,
      seconds: Math.round((performance.now() - startMs) / 1000),
      ...this.#actors.tally(),
      kills: this.#endings.kill,
      stops: this.#endings.stop,
      powerLosses: this.#endings['power loss'],
      pagesLost: this.#pagesLost,
      namesLost: this.#namesLost,
      restores: this.#restores.count,
      adopted: this.#restores.adopted,
      orphans: this.#restores.orphans,
      lateStops: this.#lateStops,
      silences: this.#silences,
      clockSteps: this.#clockSteps,
      clockRefusals: this.#runs.refusals,
      clockConfirmations: this.#runs.confirmations,
      recoveryMsMax: this.#recoveryMsMax,
      problems: this.#problems,
    };
  }

  async #round(round: number, plan: RoundPlan): Promise<void> {
    const startedMs = performance.now();
    this.#pressure = new MachinePressure();
    let ready: ReadyRun | null = null;
    try {
      ready = await this.#runs.begin(plan);
      this.#recoveryMsMax = Math.max(this.#recoveryMsMax, ready.readyMs);
      await this.#runService(ready.service, plan, this.#runAt(ready.port, plan));
    } catch (error) {
      this.#report(round, error instanceof Error ? (error.stack ?? error.message) : String(error));
    } finally {
      this.#actors.disconnect();
      if (ready !== null && !ready.service.hasEnded) await ready.service.kill();
    }
    this.#endings[plan.ending] += 1;
    if (plan.ending === 'power loss') this.#losePower(plan);
    if (plan.isRestored && this.#problems.length === 0) await this.#restore(round, plan);
    this.#checkLog(round, ready?.service.lines ?? []);
    for (const problem of this.#actors.takeProblems()) this.#report(round, problem);
    const tookMs = Math.round(performance.now() - startedMs);
    const times = `ready in ${ready?.readyMs} ms, took ${tookMs} ms`;
    this.#options.log(`round ${round}: ${textOf(plan)}, ${times}; ${this.#actors.summary()}`);
  }

  #report(round: number, problem: string): void {
    this.#problems.push(`seed ${this.#options.seed}, round ${round}: ${problem}`);
    this.#options.log(this.#problems.at(-1) as string);
  }

  #runAt(port: number, { random, ending, clock, isRestored }: RoundPlan): ServiceRun {
    return {
      port,
      nowMs: () => this.#runs.clock.nowMs(),
      isStepped: clock.kind === 'step',
      random,
      isOperatorAway: ending === 'power loss' || isRestored,
      isStopped: ending === 'stop',
      report: (problem) => void this.#actors.problems.push(problem),
    };
  }

  async #runService(service: ServiceProcess, plan: RoundPlan, run: ServiceRun): Promise<void> {
    await this.#actors.begin(run);
    if (plan.isSettling) {
      await this.#actors.settle(run, REPLAY_SILENCE_MS);
      const { problems } = await verify(this.#dataDir);
      for (const problem of problems) run.report(`journal: ${problem}`);
    }
    const death = this.#worked(plan).then(() =>
      plan.ending === 'stop' ? service.stop() : service.kill().then(() => null),
    );
    await Promise.all([death, this.#actors.work(run), this.#stepClock(plan)]);
    const status = await death;
    if (plan.ending !== 'stop' || status === 0) return;
    if (service.lines.some(isLateStop) && this.#pressure.isStarved) this.#lateStops += 1;
    else run.report(`SIGTERM ended the service with status ${String(status)}`);
  }

  /** Resolves after the working time of the run. */
  async #worked({ workMs, isRestored }: RoundPlan): Promise<void> {
    await pause(workMs);
    if (!isRestored) return;
    this.#actors.mark();
    await this.#restores.backUp();
    await pause(workMs);
  }

  /** Restores the backup, and lets the operator resume trading after the reconciliation. */
  async #restore(round: number, plan: RoundPlan): Promise<void> {
    await this.#restores.restore();
    this.#actors.restored();
    const { service } = await this.#runs.begin({ ...plan, clock: { kind: 'none' } });
    try {
      await this.#restores.resume(service);
    } catch (error) {
      this.#report(round, `after a restore: ${String(error)}`);
    } finally {
      await service.kill();
    }
    this.#checkLog(round, service.lines);
  }

  /** Checks the log: a healthy service logs no error. A starved one may log that its threads do not move. */
  #checkLog(round: number, lines: readonly Line[]): void {
    for (const line of troubles(lines)) {
      if (isSilence(line) && this.#pressure.isStarved) this.#silences += 1;
      else this.#report(round, JSON.stringify(line));
    }
  }

  async #stepClock({ clock }: RoundPlan): Promise<void> {
    if (clock.kind !== 'step') return;
    await pause(clock.afterMs);
    this.#runs.clock.shift(clock.byMs);
    this.#clockSteps += 1;
  }

  #losePower({ random }: RoundPlan): void {
    const { pages, names } = this.#disk.losePower(random);
    this.#pagesLost += pages;
    this.#namesLost += names;
  }
}

type Line = Readonly<Record<string, unknown>>;

/** Returns log lines that a healthy service never writes. */
function troubles(lines: readonly Line[]): readonly Line[] {
  return lines.filter((line) => Number(line['level']) >= 50 && !isLateStop(line));
}

/** True for a stop that exceeded its time limit, which may happen on a starved machine. */
function isLateStop({ reason }: Line): boolean {
  return /^Error: threads did not end within \d+ ms$/.test(String(reason));
}

function textOf({ shards, isSettling, isRestored, ending, clock }: RoundPlan): string {
  const parts = [`${shards} shards`, ...(isSettling ? ['settled'] : []), ...(isRestored ? ['restored'] : []), ending];
  return [...parts, ...(clock.kind === 'none' ? [] : [`clock ${clock.kind} by ${clock.byMs} ms`])].join(', ');
}
