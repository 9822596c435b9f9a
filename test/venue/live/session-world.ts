import type { EpochMs } from '../../../src/domain/time.js';
import type { ExecutionReport } from '../../../src/domain/venue-report.js';
import { Random } from '../../../src/sim/prng.js';
import { OrderSession } from '../../../src/venue/live/order-session.js';
import { filledOf, LossyExchange, nameOf, RULES, STALE_MS, submissionOf } from './lossy-exchange.js';
import { ShardModel } from './shard-model.js';

const START_MS = 1_800_000_000_000;

/** A session, its exchange and its shard under a clock of their own. */
export class World {
  nowMs = START_MS;
  readonly exchange: LossyExchange;
  readonly shard: ShardModel;
  readonly contradictions: string[] = [];
  session: OrderSession;
  readonly #random: Random;
  #tasks: { atMs: number; order: number; run: () => void }[] = [];
  #taskCount = 0;
  #subscribedAtMs = START_MS;
  /** Reports of this process by child. */
  readonly #reported = new Map<string, { trades: Map<number, number>; isEnded: boolean }>();

  constructor(seed: number) {
    this.#random = new Random(`live-${seed}`);
    this.exchange = new LossyExchange(
      () => this.#random.uniform(),
      () => this.nowMs as EpochMs,
      (afterMs, run) => this.#later(afterMs, run),
    );
    this.shard = new ShardModel((request) => this.session.handle(request, this.nowMs as EpochMs));
    this.session = this.#start();
    this.connect();
  }

  chance(): number {
    return this.#random.uniform();
  }

  connect(): void {
    const { session } = this;
    this.#subscribedAtMs = this.nowMs;
    this.exchange.onUpdate = (update) => session.onUpdate(update, this.nowMs as EpochMs);
    session.onSubscribed();
  }

  cut(): void {
    this.exchange.onUpdate = null;
    this.session.onCut(this.nowMs as EpochMs);
  }

  /** Kills the process: a new session knows nothing, and answers to the old one are lost. */
  restart(): void {
    this.exchange.onUpdate = null;
    this.shard.setLink(false, this.nowMs);
    this.#reported.clear();
    this.session = this.#start();
    this.connect();
  }

  pass(ms: number): void {
    const endMs = this.nowMs + ms;
    for (;;) {
      this.#tasks.sort((one, other) => one.atMs - other.atMs || one.order - other.order);
      const nextMs = Math.min(this.#tasks[0]?.atMs ?? Infinity, this.session.nextWakeMs(), this.shard.nextWakeMs());
      if (nextMs > endMs) break;
      this.nowMs = Math.max(this.nowMs, nextMs);
      while (this.#tasks.length > 0 && this.#tasks[0]!.atMs <= this.nowMs) this.#tasks.shift()!.run();
      this.session.advance(this.nowMs as EpochMs);
      this.shard.advance(this.nowMs);
    }
    this.nowMs = endMs;
  }

  #later(afterMs: number, run: () => void): void {
    this.#tasks.push({ atMs: this.nowMs + afterMs, order: (this.#taskCount += 1), run });
  }

  #note(report: ExecutionReport): void {
    const name = nameOf(report);
    const reported = this.#reported.get(name) ?? { trades: new Map<number, number>(), isEnded: false };
    this.#reported.set(name, reported);
    if (report.kind === 'Filled') reported.trades.set(report.fill.tradeId, report.fill.quantity);
    const isEnd = report.kind === 'StatusAnswered' && report.answer.state !== 'OPEN';
    if (report.kind === 'Cancelled' || report.kind === 'Rejected' || isEnd) reported.isEnded = true;
  }

  /** The link is up: what happened before the subscription is reported, of each order that this process has seen. */
  #judgeCatchUp(): void {
    const untilMs = this.#subscribedAtMs - STALE_MS;
    for (const [name, { trades, isEnded }] of this.#reported) {
      const order = this.exchange.ledger.get(name);
      // An order that is denied delays the link for a while only.
      if (order === undefined || this.exchange.deniedUntilMs.has(name)) continue;
      const filled = [...trades.values()].reduce((sum, quantity) => sum + quantity, 0);
      if (filled < filledOf(order, untilMs)) throw new Error(`the link is up, but fills of ${name} are missing`);
      if (order.endedAtMs > untilMs || isEnded || filled === order.submission.quantity) continue;
      throw new Error(`the link is up, but the end of ${name} is missing`);
    }
  }

  #start(): OrderSession {
    const current = (): boolean => session === this.session || this.session === undefined;
    const session: OrderSession = new OrderSession({
      account: submissionOf(1, 1).account,
      venue: 'BINANCE',
      client: this.exchange,
      rules: RULES,
      startedAtMs: this.nowMs as EpochMs,
      report: (report) => {
        if (!current()) return;
        if (report.kind === 'Accepted') this.exchange.shown.add(nameOf(report));
        this.#note(report);
        this.shard.take(report, this.nowMs);
      },
      onLink: (isUp, nowMs) => {
        if (!current()) return;
        if (isUp) this.#judgeCatchUp();
        this.shard.setLink(isUp, nowMs);
      },
      onContradiction: (what) => {
        if (current()) this.contradictions.push(what);
      },
    });
    return session;
  }
}
