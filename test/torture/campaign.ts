import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyJournal } from '../../src/journal/index.js';
import { foldEnvelope } from '../../src/order/evolve.js';
import { pause, type Life } from './actor.js';
import { Cast } from './cast.js';
import { Lives, type ReadyLife } from './lives.js';
import { HAS_COMPILER, LosingDisk } from './lost-writes.js';
import { planRound, type RoundPlan } from './round-plan.js';
import type { ServiceProcess } from './service-process.js';
import type { Tally } from './tally.js';

export interface CampaignOptions {
  readonly rounds: number;
  readonly seed: number;
  /** Orders that stand open over all lives. */
  readonly standing: number;
  /** Between two full settlements (everything ends, sums are compared, feeds replayed, the journal verified). */
  readonly settleEveryRounds: number;
  readonly log: (text: string) => void;
}

const REPLAY_SILENCE_MS = 120_000;

/**
 * Ends the service at random moments under full load, again and again on one data directory, and checks every promise
 * after each restart. It ends with the first round that has a problem.
 */
export async function runCampaign(options: CampaignOptions): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-torture-'));
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  let hasFailed = true;
  try {
    const cast = await Cast.open(dataDir, options.standing);
    const disk = HAS_COMPILER ? new LosingDisk(dataDir, join(folder, 'disk')) : null;
    const lives = new Lives(dataDir, folder, disk);
    const tally = await new Campaign(dataDir, options, { cast, disk, lives }).run();
    hasFailed = tally.problems.length > 0;
    if (hasFailed) options.log(`the data directory is left in ${dataDir}`);
    return tally;
  } finally {
    if (!hasFailed) rmSync(folder, { recursive: true, force: true });
  }
}

interface Parts {
  readonly cast: Cast;
  readonly disk: LosingDisk | null;
  readonly lives: Lives;
}

class Campaign {
  readonly #dataDir: string;
  readonly #options: CampaignOptions;
  readonly #cast: Cast;
  readonly #disk: LosingDisk | null;
  readonly #lives: Lives;
  readonly #problems: string[] = [];
  #recoveryMsMax = 0;
  #roundsDone = 0;
  readonly #endings = { kill: 0, stop: 0, 'power loss': 0 };
  #pagesLost = 0;
  #namesLost = 0;
  #clockSteps = 0;

  constructor(dataDir: string, options: CampaignOptions, { cast, disk, lives }: Parts) {
    this.#dataDir = dataDir;
    this.#options = options;
    this.#cast = cast;
    this.#disk = disk;
    this.#lives = lives;
  }

  async run(): Promise<Tally> {
    const startMs = performance.now();
    for (let round = 1; round <= this.#options.rounds && this.#problems.length === 0; round += 1) {
      await this.#round(round, planRound(round, { ...this.#options, canLosePower: this.#disk !== null }));
      this.#roundsDone += 1;
    }
    return {
      rounds: this.#roundsDone,
      seconds: Math.round((performance.now() - startMs) / 1000),
      ...this.#cast.tally(),
      kills: this.#endings.kill,
      stops: this.#endings.stop,
      powerLosses: this.#endings['power loss'],
      pagesLost: this.#pagesLost,
      namesLost: this.#namesLost,
      clockSteps: this.#clockSteps,
      clockRefusals: this.#lives.refusals,
      clockConfirmations: this.#lives.confirmations,
      recoveryMsMax: this.#recoveryMsMax,
      problems: this.#problems,
    };
  }

  async #round(round: number, plan: RoundPlan): Promise<void> {
    const startedMs = performance.now();
    let ready: ReadyLife | null = null;
    try {
      ready = await this.#lives.begin(plan);
      this.#recoveryMsMax = Math.max(this.#recoveryMsMax, ready.readyMs);
      await this.#live(ready.service, plan, this.#lifeAt(ready.port, plan));
    } catch (error) {
      this.#report(round, error instanceof Error ? (error.stack ?? error.message) : String(error));
    } finally {
      this.#cast.disconnect();
      if (ready !== null && !ready.service.hasEnded) await ready.service.kill();
    }
    this.#endings[plan.ending] += 1;
    if (plan.ending === 'power loss') this.#losePower(plan);
    for (const line of ready?.service.lines.filter(isTrouble) ?? []) this.#report(round, JSON.stringify(line));
    for (const problem of this.#cast.takeProblems()) this.#report(round, problem);
    const tookMs = Math.round(performance.now() - startedMs);
    const times = `ready in ${ready?.readyMs} ms, took ${tookMs} ms`;
    this.#options.log(`round ${round}: ${textOf(plan)}, ${times}; ${this.#cast.summary()}`);
  }

  #report(round: number, problem: string): void {
    this.#problems.push(`seed ${this.#options.seed}, round ${round}: ${problem}`);
    this.#options.log(this.#problems.at(-1) as string);
  }

  #lifeAt(port: number, { random, ending, clock }: RoundPlan): Life {
    return {
      port,
      nowMs: () => this.#lives.clock.nowMs(),
      isStepped: clock.kind === 'step',
      random,
      isOperatorAway: ending === 'power loss',
      isStopped: ending === 'stop',
      report: (problem) => void this.#cast.problems.push(problem),
    };
  }

  async #live(service: ServiceProcess, plan: RoundPlan, life: Life): Promise<void> {
    await this.#cast.begin(life);
    if (plan.isSettling) {
      await this.#cast.settle(life, REPLAY_SILENCE_MS);
      const { problems } = await verifyJournal(this.#dataDir, foldEnvelope);
      for (const problem of problems) life.report(`journal: ${problem}`);
    }
    const death = pause(plan.lifeMs).then(() =>
      plan.ending === 'stop' ? service.stop() : service.kill().then(() => null),
    );
    await Promise.all([death, this.#cast.work(life), this.#stepClock(plan)]);
    const status = await death;
    if (plan.ending === 'stop' && status !== 0) life.report(`SIGTERM ended the service with status ${String(status)}`);
  }

  async #stepClock({ clock }: RoundPlan): Promise<void> {
    if (clock.kind !== 'step') return;
    await pause(clock.afterMs);
    this.#lives.clock.shift(clock.byMs);
    this.#clockSteps += 1;
  }

  #losePower({ random }: RoundPlan): void {
    const { pages, names } = this.#disk?.losePower(random) ?? { pages: 0, names: 0 };
    this.#pagesLost += pages;
    this.#namesLost += names;
  }
}

/** Log lines that a healthy service never writes. */
function isTrouble(line: Readonly<Record<string, unknown>>): boolean {
  return Number(line['level']) >= 50;
}

function textOf({ shards, isSettling, ending, clock }: RoundPlan): string {
  const parts = [`${shards} shards`, ...(isSettling ? ['settled'] : []), ending];
  return [...parts, ...(clock.kind === 'none' ? [] : [`clock ${clock.kind} by ${clock.byMs} ms`])].join(', ');
}
