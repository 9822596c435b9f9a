import type { RetryPolicy } from '../../src/client/index.js';
import type { Actor, Life } from './actor.js';
import { Budget } from './budget.js';
import { DeadMan } from './dead-man.js';
import { Desk } from './desk.js';
import { listedPrecisions, type Precision } from './exchange-records.js';
import { FeedWatch } from './feed-watch.js';
import { Guards } from './guards.js';
import { Halts } from './halts.js';
import { Operator } from './operator.js';
import { Pairs } from './pairs.js';
import { Reviews } from './reviews.js';
import { Standing } from './standing.js';
import type { CastTally } from './tally.js';
import { Traders } from './traders.js';

const PATIENCE: RetryPolicy = { triesMax: 20, patienceMs: 60_000 };
const NAMES = ['traders', 'pairs', 'guarded', 'halted', 'dead-man', 'standing'] as const;
type Desks = Readonly<Record<(typeof NAMES)[number], Desk>>;

/** All who work one data directory over all lives of its service, and what they follow. */
export class Cast {
  readonly #desks: Desks;
  readonly #actors;
  readonly #feeds: readonly (readonly [Desk, FeedWatch])[];
  #precisionOf: ((exchange: string, symbol: string) => Precision) | null = null;
  readonly problems: string[] = [];

  private constructor(dataDir: string, desks: Desks, standing: number) {
    const operator = new Operator(dataDir);
    const witness = {
      dataDir,
      precisionOf: (exchange: string, symbol: string): Precision => {
        if (this.#precisionOf === null) throw new Error('no instruments are known');
        return this.#precisionOf(exchange, symbol);
      },
    };
    this.#desks = desks;
    this.#actors = {
      standing: new Standing(desks.standing, standing),
      traders: new Traders(desks.traders, witness),
      pairs: new Pairs(desks.pairs, witness),
      guards: new Guards(desks.guarded, operator),
      halts: new Halts(desks.halted, operator),
      deadMan: new DeadMan(desks['dead-man']),
      reviews: new Reviews([desks.traders, desks.pairs]),
      budget: new Budget(),
    } satisfies Record<string, Actor>;
    this.#feeds = [
      [desks.traders, new FeedWatch(['BINANCE'])],
      [desks.pairs, new FeedWatch(['BINANCE', 'OKX'])],
    ];
  }

  /** Makes the accounts' keys, without the service. */
  static async open(dataDir: string, standing: number): Promise<Cast> {
    const desks: [string, Desk][] = [];
    for (const name of NAMES) desks.push([name, await Desk.open(dataDir, name)]);
    return new Cast(dataDir, Object.fromEntries(desks) as unknown as Desks, standing);
  }

  /** Connects all of them to a new life, and checks what was promised before. */
  async begin(life: Life): Promise<void> {
    // A service that is starved or has just started may be busy for a moment: a check asks again.
    for (const desk of Object.values(this.#desks)) desk.connect(life.port, life.nowMs, PATIENCE);
    this.#precisionOf ??= await listedPrecisions(this.#desks.traders.client);
    for (const actor of this.#all) await actor.check(life);
    for (const [{ client }, feed] of this.#feeds) await feed.follow(client, life.port);
  }

  async settle(life: Life, replaySilenceMs: number): Promise<void> {
    for (const actor of this.#all) await actor.settle(life);
    for (const [{ client }, feed] of this.#feeds) await feed.compareReplay(client, life.port, replaySilenceMs);
  }

  /** Until the service dies. */
  async work(life: Life): Promise<void> {
    for (const desk of Object.values(this.#desks)) desk.connect(life.port, life.nowMs);
    await Promise.all(this.#all.map((actor) => actor.work(life)));
  }

  mark(): void {
    for (const actor of this.#all) actor.mark?.();
  }

  restored(): void {
    for (const actor of this.#all) actor.restored?.();
    for (const [, feed] of this.#feeds) feed.restart();
  }

  disconnect(): void {
    for (const desk of Object.values(this.#desks)) desk.close();
  }

  takeProblems(): string[] {
    return [...this.problems.splice(0), ...this.#feeds.flatMap(([, feed]) => feed.problems.splice(0))];
  }

  summary(): string {
    const { orders, standing, frames } = this.tally();
    return `${orders} orders, ${standing} standing, ${frames} frames`;
  }

  tally(): CastTally {
    const { traders, pairs, guards, halts, deadMan, reviews, budget, standing } = this.#actors;
    return {
      orders: this.#desks.traders.ledger.acknowledged.size,
      pairs: this.#desks.pairs.ledger.acknowledged.size,
      standing: standing.count,
      uneven: pairs.unevenCount,
      resent: traders.books.resentCount + pairs.books.resentCount,
      frames: this.#feeds.reduce((sum, [, feed]) => sum + feed.frameCount, 0),
      guarded: guards.refusedCount,
      killSwitches: halts.engagedCount,
      deadMen: deadMan.firedCount,
      refused: budget.refusedCount,
      reviews: reviews.comparedCount,
    };
  }

  get #all(): readonly Actor[] {
    return Object.values(this.#actors);
  }
}
