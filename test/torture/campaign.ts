import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyJournal } from '../../src/journal/index.js';
import { foldEnvelope } from '../../src/order/evolve.js';
import { pause, type Life } from './actor.js';
import { Cast } from './cast.js';
import { Lives, type ReadyLife } from './lives.js';
import { HAS_COMPILER, LosingDisk } from './lost-writes.js';
import { isSilence, MachinePressure } from './pressure.js';
import { planRound, type RoundPlan } from './round-plan.js';
import { Restores } from './restores.js';
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
    const restores = new Restores(dataDir, folder);
    const tally = await new Campaign(dataDir, options, { cast, disk, lives, restores }).run();
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
  readonly restores: Restores;
}

class Campaign {
  readonly #dataDir: string;
  readonly #options: CampaignOptions;
  readonly #cast: Cast;
  readonly #disk: LosingDisk | null;
  readonly #lives: Lives;
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
  /** Of the round under way. */
  #pressure = new MachinePressure();

  constructor(dataDir: string, options: CampaignOptions, { cast, disk, lives, restores }: Parts) {
    this.#dataDir = dataDir;
    this.#options = options;
    this.#cast = cast;
    this.#disk = disk;
    this.#lives = lives;
    this.#restores = restores;
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
      restores: this.#restores.count,
      adopted: this.#restores.adopted,
      orphans: this.#restores.orphans,
      lateStops: this.#lateStops,
      silences: this.#silences,
      clockSteps: this.#clockSteps,
      clockRefusals: this.#lives.refusals,
      clockConfirmations: this.#lives.confirmations,
      recoveryMsMax: this.#recoveryMsMax,
      problems: this.#problems,
    };
  }

  async #round(round: number, plan: RoundPlan): Promise<void> {
    const startedMs = performance.now();
    this.#pressure = new MachinePressure();
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
    if (plan.isRestored && this.#problems.length === 0) await this.#restore(round, plan);
    this.#judgeLog(round, ready?.service.lines ?? []);
    for (const problem of this.#cast.takeProblems()) this.#report(round, problem);
    const tookMs = Math.round(performance.now() - startedMs);
    const times = `ready in ${ready?.readyMs} ms, took ${tookMs} ms`;
    this.#options.log(`round ${round}: ${textOf(plan)}, ${times}; ${this.#cast.summary()}`);
  }

  #report(round: number, problem: string): void {
    this.#problems.push(`seed ${this.#options.seed}, round ${round}: ${problem}`);
    this.#options.log(this.#problems.at(-1) as string);
  }

  #lifeAt(port: number, { random, ending, clock, isRestored }: RoundPlan): Life {
    return {
      port,
      nowMs: () => this.#lives.clock.nowMs(),
      isStepped: clock.kind === 'step',
      random,
      isOperatorAway: ending === 'power loss' || isRestored,
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
    const death = this.#worked(plan).then(() =>
      plan.ending === 'stop' ? service.stop() : service.kill().then(() => null),
    );
    await Promise.all([death, this.#cast.work(life), this.#stepClock(plan)]);
    const status = await death;
    if (plan.ending !== 'stop' || status === 0) return;
    if (service.lines.some(isLateStop) && this.#pressure.isStarved) this.#lateStops += 1;
    else life.report(`SIGTERM ended the service with status ${String(status)}`);
  }

  /** Resolves when the life has been worked for long enough. */
  async #worked({ lifeMs, isRestored }: RoundPlan): Promise<void> {
    await pause(lifeMs);
    if (!isRestored) return;
    this.#cast.mark();
    await this.#restores.backUp();
    await pause(lifeMs);
  }

  /** Puts the backup in place, and has the operator resume trading once all is reconciled. */
  async #restore(round: number, plan: RoundPlan): Promise<void> {
    await this.#restores.restore();
    this.#cast.restored();
    const { service } = await this.#lives.begin({ ...plan, clock: { kind: 'none' } });
    try {
      await this.#restores.resume(service);
    } catch (error) {
      this.#report(round, `after a restore: ${String(error)}`);
    } finally {
      await service.kill();
    }
    this.#judgeLog(round, service.lines);
  }

  /** A healthy service logs no error; a starved one may log that its threads do not move. */
  #judgeLog(round: number, lines: readonly Line[]): void {
    for (const line of troubles(lines)) {
      if (isSilence(line) && this.#pressure.isStarved) this.#silences += 1;
      else this.#report(round, JSON.stringify(line));
    }
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

type Line = Readonly<Record<string, unknown>>;

/** Log lines that a healthy service never writes. */
function troubles(lines: readonly Line[]): readonly Line[] {
  return lines.filter((line) => Number(line['level']) >= 50 && !isLateStop(line));
}

/** The service has a bound for its end, which a machine at its limit may break. */
function isLateStop({ reason }: Line): boolean {
  return /^Error: threads did not end within \d+ ms$/.test(String(reason));
}

function textOf({ shards, isSettling, isRestored, ending, clock }: RoundPlan): string {
  const parts = [`${shards} shards`, ...(isSettling ? ['settled'] : []), ...(isRestored ? ['restored'] : []), ending];
  return [...parts, ...(clock.kind === 'none' ? [] : [`clock ${clock.kind} by ${clock.byMs} ms`])].join(', ');
}
