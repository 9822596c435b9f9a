import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyJournal } from '../../src/journal/index.js';
import { foldEnvelope } from '../../src/order/evolve.js';
import { pause, type Actor, type Life } from './actor.js';
import { Budget, newRates } from './budget.js';
import { DeadMan } from './dead-man.js';
import { Desk } from './desk.js';
import { FeedWatch } from './feed-watch.js';
import { Guards } from './guards.js';
import { Halts } from './halts.js';
import { Operator } from './operator.js';
import { Pairs } from './pairs.js';
import { Random } from './random.js';
import { Reviews } from './reviews.js';
import { ServiceProcess } from './service-process.js';
import { Traders } from './traders.js';

export interface TortureOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly shards: number;
  /** Between two full settlements (everything ends, sums are compared, feeds replayed, the journal verified). */
  readonly settleEveryRounds: number;
  readonly log: (text: string) => void;
}

export interface TortureReport {
  readonly rounds: number;
  readonly orders: number;
  readonly pairs: number;
  /** Pairs whose legs ended apart, and that said so. */
  readonly uneven: number;
  readonly resent: number;
  readonly frames: number;
  /** Refused by guardrails, as they must be. */
  readonly guarded: number;
  readonly killSwitches: number;
  readonly deadMen: number;
  /** Requests to venues, for want of room. */
  readonly refused: number;
  /** Timelines and costs that were read a second time. */
  readonly reviews: number;
  readonly recoveryMsMax: number;
  readonly problems: readonly string[];
}

const LIFE_MS_MIN = 200;
const LIFE_MS_SPREAD = 1200;
const REPLAY_SILENCE_MS = 60_000;

/** Kills the service at random moments under full load, again and again, and checks every promise after each restart. */
export async function runTorture(options: TortureOptions): Promise<TortureReport> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-torture-'));
  try {
    const names = ['traders', 'pairs', 'guarded', 'halted', 'dead-man'] as const;
    const desks: Desk[] = [];
    for (const name of names) desks.push(await Desk.open(dataDir, name));
    return await new Torture(dataDir, options, desks as [Desk, Desk, Desk, Desk, Desk]).run();
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

class Torture {
  readonly #dataDir: string;
  readonly #options: TortureOptions;
  readonly #random: Random;
  readonly #desks: readonly Desk[];
  readonly #actors;
  readonly #feeds: readonly (readonly [Desk, FeedWatch])[];
  readonly #problems: string[] = [];
  #recoveryMsMax = 0;

  constructor(dataDir: string, options: TortureOptions, desks: readonly [Desk, Desk, Desk, Desk, Desk]) {
    const [traders, pairs, guarded, halted, deadMan] = desks;
    const operator = new Operator(dataDir);
    this.#dataDir = dataDir;
    this.#options = options;
    this.#random = new Random(options.seed);
    this.#desks = desks;
    this.#actors = {
      traders: new Traders(traders),
      pairs: new Pairs(pairs),
      guards: new Guards(guarded, operator),
      halts: new Halts(halted, operator),
      deadMan: new DeadMan(deadMan),
      reviews: new Reviews([traders, pairs]),
      budget: new Budget(),
    } satisfies Record<string, Actor>;
    this.#feeds = [
      [traders, new FeedWatch(['BINANCE'])],
      [pairs, new FeedWatch(['BINANCE', 'OKX'])],
    ];
  }

  async run(): Promise<TortureReport> {
    for (let round = 1; round <= this.#options.rounds && this.#problems.length === 0; round += 1) {
      await this.#round(round);
    }
    const [traders, pairs] = this.#desks.map(({ ledger }) => ledger.acknowledged.size);
    const { guards, halts, deadMan, reviews, budget } = this.#actors;
    return {
      rounds: this.#options.rounds,
      orders: traders ?? 0,
      pairs: pairs ?? 0,
      uneven: this.#actors.pairs.unevenCount,
      resent: this.#actors.traders.books.resentCount + this.#actors.pairs.books.resentCount,
      frames: this.#frameCount,
      guarded: guards.refusedCount,
      killSwitches: halts.engagedCount,
      deadMen: deadMan.firedCount,
      refused: budget.refusedCount,
      reviews: reviews.comparedCount,
      recoveryMsMax: this.#recoveryMsMax,
      problems: this.#problems,
    };
  }

  get #frameCount(): number {
    return this.#feeds.reduce((sum, [, feed]) => sum + feed.frameCount, 0);
  }

  async #round(round: number): Promise<void> {
    const isSettling = round % this.#options.settleEveryRounds === 0 || round === this.#options.rounds;
    const startedMs = Date.now();
    const service = new ServiceProcess(this.#dataDir, {
      SLUICE_SHARDS: String(this.#options.shards),
      // What is left over when everything ends is more than a small budget lets out in time.
      ...(isSettling ? {} : { SLUICE_VENUE_RATES: newRates(this.#random) }),
    });
    try {
      const port = await service.ready();
      const recoveryMs = Date.now() - startedMs;
      this.#recoveryMsMax = Math.max(this.#recoveryMsMax, recoveryMs);
      await this.#live(service, this.#lifeAt(port), isSettling);
      this.#options.log(
        `round ${round}: ready in ${recoveryMs} ms, ${this.#desks[0]?.ledger.acknowledged.size} orders, ${this.#frameCount} frames`,
      );
    } catch (error) {
      this.#problems.push(`round ${round}: ${error instanceof Error ? error.stack : String(error)}`);
    } finally {
      for (const desk of this.#desks) desk.close();
      if (!service.hasEnded) await service.kill();
    }
    this.#problems.push(...service.lines.filter(isTrouble).map((line) => JSON.stringify(line)));
    for (const [, feed] of this.#feeds) this.#problems.push(...feed.problems);
  }

  #lifeAt(port: number): Life {
    return {
      port,
      readyAtMs: Date.now(),
      random: this.#random,
      report: (problem) => void this.#problems.push(problem),
    };
  }

  async #live(service: ServiceProcess, life: Life, isSettling: boolean): Promise<void> {
    const { port } = life;
    for (const desk of this.#desks) desk.connect(port);
    const actors = Object.values(this.#actors);
    for (const actor of actors) await actor.check(life);
    for (const [{ client }, feed] of this.#feeds) await feed.follow(client, port);
    if (isSettling) {
      for (const actor of actors) await actor.settle(life);
      for (const [{ client }, feed] of this.#feeds) await feed.compareReplay(client, port, REPLAY_SILENCE_MS);
    }
    const death = pause(LIFE_MS_MIN + this.#random.below(LIFE_MS_SPREAD)).then(() => service.kill());
    await Promise.all([death, ...actors.map((actor) => actor.work(life))]);
    if (isSettling) await this.#verify();
  }

  async #verify(): Promise<void> {
    const report = await verifyJournal(this.#dataDir, foldEnvelope);
    for (const problem of report.problems) this.#problems.push(`journal: ${problem}`);
  }
}

/** Log lines that a healthy service never writes. */
function isTrouble(line: Readonly<Record<string, unknown>>): boolean {
  return Number(line['level']) >= 50;
}
