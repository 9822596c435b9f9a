import type { RetryPolicy } from '../../src/client/index.js';
import type { Actor, ServiceRun } from './actor.js';
import { ThrottleWatch } from './throttle-watch.js';
import { CancelAllAfterTrader } from './cancel-all-after.js';
import { DisconnectTrader } from './cancel-on-disconnect.js';
import { AccountSession } from './account-session.js';
import { listedPrecisions, type Precision } from './exchange-records.js';
import { FeedWatch } from './feed-watch.js';
import { RiskLimitActor } from './risk-limits.js';
import { KillSwitchActor } from './kill-switches.js';
import { Operator } from './operator.js';
import { Pairs } from './pairs.js';
import { TimelineReader } from './timeline-reader.js';
import { OpenOrders } from './open-orders.js';
import type { ActorTally } from './tally.js';
import { Traders } from './traders.js';

const PATIENCE: RetryPolicy = { triesMax: 20, patienceMs: 60_000 };
const NAMES = ['traders', 'pairs', 'guarded', 'halted', 'cancel-all-after', 'disconnected', 'open-orders'] as const;
type Sessions = Readonly<Record<(typeof NAMES)[number], AccountSession>>;

/** All actors on one data directory over all runs of its service, and the feeds they follow. */
export class Actors {
  readonly #sessions: Sessions;
  readonly #actors;
  readonly #feeds: readonly (readonly [AccountSession, FeedWatch])[];
  #precisionOf: ((exchange: string, symbol: string) => Precision) | null = null;
  readonly problems: string[] = [];

  private constructor(dataDir: string, sessions: Sessions, openOrders: number) {
    const operator = new Operator(dataDir);
    const witness = {
      dataDir,
      precisionOf: (exchange: string, symbol: string): Precision => {
        if (this.#precisionOf === null) throw new Error('no instruments are known');
        return this.#precisionOf(exchange, symbol);
      },
    };
    this.#sessions = sessions;
    this.#actors = {
      // First: a session may be resumed within seconds from readiness only.
      disconnects: new DisconnectTrader(sessions.disconnected),
      openOrders: new OpenOrders(sessions['open-orders'], openOrders),
      traders: new Traders(sessions.traders, witness),
      pairs: new Pairs(sessions.pairs, witness),
      riskLimits: new RiskLimitActor(sessions.guarded, operator),
      killSwitches: new KillSwitchActor(sessions.halted, operator),
      cancelAllAfter: new CancelAllAfterTrader(sessions['cancel-all-after']),
      reviews: new TimelineReader([sessions.traders, sessions.pairs]),
      throttle: new ThrottleWatch(),
    } satisfies Record<string, Actor>;
    this.#feeds = [
      [sessions.traders, new FeedWatch(['BINANCE'])],
      [sessions.pairs, new FeedWatch(['BINANCE', 'OKX'])],
    ];
  }

  /** Creates the accounts' keys while no service runs. */
  static async open(dataDir: string, openOrders: number): Promise<Actors> {
    const sessions: [string, AccountSession][] = [];
    for (const name of NAMES) sessions.push([name, await AccountSession.open(dataDir, name)]);
    return new Actors(dataDir, Object.fromEntries(sessions) as unknown as Sessions, openOrders);
  }

  /** Connects all actors to a new run and checks earlier promises. */
  async begin(run: ServiceRun): Promise<void> {
    // A service that is starved or has just started may be busy, so checks retry.
    for (const session of Object.values(this.#sessions)) session.connect(run.port, run.nowMs, PATIENCE);
    this.#precisionOf ??= await listedPrecisions(this.#sessions.traders.client);
    for (const actor of this.#all) await actor.check(run);
    for (const [{ client }, feed] of this.#feeds) await feed.follow(client, run.port);
  }

  async settle(run: ServiceRun, replaySilenceMs: number): Promise<void> {
    for (const actor of this.#all) await actor.settle(run);
    for (const [{ client }, feed] of this.#feeds) await feed.compareReplay(client, run.port, replaySilenceMs);
  }

  /** Works until the service ends. */
  async work(run: ServiceRun): Promise<void> {
    for (const session of Object.values(this.#sessions)) session.connect(run.port, run.nowMs);
    await Promise.all(this.#all.map((actor) => actor.work(run)));
  }

  mark(): void {
    for (const actor of this.#all) actor.mark?.();
  }

  restored(): void {
    for (const actor of this.#all) actor.restored?.();
    for (const [, feed] of this.#feeds) feed.restart();
  }

  disconnect(): void {
    for (const session of Object.values(this.#sessions)) session.close();
  }

  takeProblems(): string[] {
    return [...this.problems.splice(0), ...this.#feeds.flatMap(([, feed]) => feed.problems.splice(0))];
  }

  summary(): string {
    const { orders, openOrders, frames } = this.tally();
    return `${orders} orders, ${openOrders} open, ${frames} frames`;
  }

  tally(): ActorTally {
    const { traders, pairs, riskLimits, killSwitches, cancelAllAfter, disconnects } = this.#actors;
    const { reviews, throttle, openOrders } = this.#actors;
    return {
      orders: this.#sessions.traders.ledger.acknowledged.size,
      pairs: this.#sessions.pairs.ledger.acknowledged.size,
      openOrders: openOrders.count,
      uneven: pairs.unevenCount,
      resent: traders.accountChecks.resentCount + pairs.accountChecks.resentCount,
      frames: this.#feeds.reduce((sum, [, feed]) => sum + feed.frameCount, 0),
      guarded: riskLimits.refusedCount,
      killSwitches: killSwitches.engagedCount,
      cancelAllAfters: cancelAllAfter.firedCount,
      resumedSessions: disconnects.resumedCount,
      goneSessions: disconnects.goneCount,
      refused: throttle.refusedCount,
      reviews: reviews.comparedCount,
    };
  }

  get #all(): readonly Actor[] {
    return Object.values(this.#actors);
  }
}
