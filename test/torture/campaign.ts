import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyJournal } from '../../src/journal/index.js';
import { foldEnvelope } from '../../src/order/evolve.js';
import { pause, type Life } from './actor.js';
import { Cast } from './cast.js';
import { HAS_COMPILER, LosingDisk } from './lost-writes.js';
import { planRound, type RoundPlan } from './round-plan.js';
import { ServiceProcess } from './service-process.js';
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
    const tally = await new Campaign(dataDir, options, cast, disk).run();
    hasFailed = tally.problems.length > 0;
    if (hasFailed) options.log(`the data directory is left in ${dataDir}`);
    return tally;
  } finally {
    if (!hasFailed) rmSync(folder, { recursive: true, force: true });
  }
}

class Campaign {
  readonly #dataDir: string;
  readonly #options: CampaignOptions;
  readonly #cast: Cast;
  readonly #disk: LosingDisk | null;
  readonly #problems: string[] = [];
  #recoveryMsMax = 0;
  #roundsDone = 0;
  readonly #endings = { kill: 0, stop: 0, 'power loss': 0 };
  #pagesLost = 0;
  #namesLost = 0;

  constructor(dataDir: string, options: CampaignOptions, cast: Cast, disk: LosingDisk | null) {
    this.#dataDir = dataDir;
    this.#options = options;
    this.#cast = cast;
    this.#disk = disk;
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
      recoveryMsMax: this.#recoveryMsMax,
      problems: this.#problems,
    };
  }

  async #round(round: number, plan: RoundPlan): Promise<void> {
    const { shards, rates, ending, isSettling } = plan;
    const startedMs = performance.now();
    const service = new ServiceProcess(this.#dataDir, {
      SLUICE_SHARDS: String(shards),
      ...(rates === null ? {} : { SLUICE_VENUE_RATES: rates }),
      ...(ending === 'power loss' ? this.#disk?.begin() : {}),
    });
    let recoveryMs = 0;
    try {
      const port = await service.ready();
      recoveryMs = Math.round(performance.now() - startedMs);
      this.#recoveryMsMax = Math.max(this.#recoveryMsMax, recoveryMs);
      await this.#live(service, plan, this.#lifeAt(port, plan));
    } catch (error) {
      this.#report(round, error instanceof Error ? (error.stack ?? error.message) : String(error));
    } finally {
      this.#cast.disconnect();
      if (!service.hasEnded) await service.kill();
    }
    this.#endings[ending] += 1;
    if (ending === 'power loss') this.#losePower(plan);
    for (const line of service.lines.filter(isTrouble)) this.#report(round, JSON.stringify(line));
    for (const problem of this.#cast.takeProblems()) this.#report(round, problem);
    const what = `${shards} shards, ${isSettling ? 'settled, ' : ''}${ending}`;
    const tookMs = Math.round(performance.now() - startedMs);
    this.#options.log(`round ${round}: ${what}, ready in ${recoveryMs} ms, took ${tookMs} ms; ${this.#cast.summary()}`);
  }

  #report(round: number, problem: string): void {
    this.#problems.push(`seed ${this.#options.seed}, round ${round}: ${problem}`);
    this.#options.log(this.#problems.at(-1) as string);
  }

  #lifeAt(port: number, { random, ending }: RoundPlan): Life {
    return {
      port,
      readyAtMs: Date.now(),
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
    await Promise.all([death, this.#cast.work(life)]);
    const status = await death;
    if (plan.ending === 'stop' && status !== 0) life.report(`SIGTERM ended the service with status ${String(status)}`);
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
