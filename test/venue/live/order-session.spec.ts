import { describe, expect, it } from 'vitest';
import type { EpochMs } from '../../../src/domain/time.js';
import { Random } from '../../../src/sim/prng.js';
import type { ExecutionReport } from '../../../src/domain/venue-report.js';
import {
  CALM,
  filledOf,
  LossyExchange,
  nameOf,
  RULES,
  STALE_MS,
  submissionOf,
  type Weather,
} from './lossy-exchange.js';
import { ShardModel } from './shard-model.js';
import { OrderSession } from '../../../src/venue/live/order-session.js';
import { runs } from '../../runs.js';

const STORM: Weather = {
  requestLost: 0.05,
  requestLate: 0.15,
  executedLate: 0.1,
  engineMs: 30_000,
  hiddenMs: 0,
  answerLost: 0.1,
  answerLate: 0.15,
  answerBlank: 0.1,
  updateLost: 0.05,
  updateTwice: 0.1,
  updateLate: 0.2,
  stale: 0.2,
  denied: 0.1,
};
const START_MS = 1_800_000_000_000;

/** A session, its exchange and its shard under a clock of their own. */
class World {
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
      line: this.exchange,
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

function storm(seed: number, weather: Weather, hasRestarts: boolean): World {
  const world = new World(seed);
  world.pass(100);
  world.exchange.weather = weather;
  let placed = 0;
  for (let step = 0; step < 120; step += 1) {
    const draw = world.chance();
    const live = world.exchange.open();
    const some = live[Math.floor(world.chance() * live.length)];
    if (draw < 0.3) world.shard.submit(submissionOf((placed += 1), 1), world.nowMs);
    else if (draw < 0.6 && some !== undefined) world.exchange.trade(some, world.chance());
    else if (draw < 0.75) world.shard.cancelSome(world.chance(), world.nowMs);
    else if (draw < 0.79) world.cut();
    else if (draw < 0.83) world.shard.askSome(world.chance(), world.nowMs);
    else if (draw < 0.85) world.shard.forgetSome(world.chance(), world.nowMs);
    else if (draw < 0.9 && world.exchange.onUpdate === null) world.connect();
    else if (draw < 0.92 && hasRestarts) world.restart();
    world.pass(world.chance() * 600);
  }
  world.exchange.weather = CALM;
  world.connect();
  world.pass(150_000);
  world.shard.asksResting = false;
  world.pass(20_000);
  return world;
}

/** A storm in which the exchange denies orders that it has shown for up to 200 s each, or loses all orders at one time. */
function denials(seed: number, isWiped: boolean, hasRestarts: boolean): World {
  const world = new World(seed);
  world.pass(100);
  world.exchange.weather = { ...STORM, denied: 0 };
  for (let step = 0; step < 120; step += 1) {
    const draw = world.chance();
    const live = world.exchange.open();
    const some = live[Math.floor(world.chance() * live.length)];
    if (draw < 0.3) world.shard.submit(submissionOf(step + 1, 1), world.nowMs);
    else if (draw < 0.5 && some !== undefined) world.exchange.trade(some, world.chance());
    else if (draw < 0.6) world.shard.cancelSome(world.chance(), world.nowMs);
    else if (draw < 0.75 && some !== undefined) world.exchange.deny(some.name, world.chance() * 200_000);
    else if (draw < 0.8) world.cut();
    else if (draw < 0.88 && world.exchange.onUpdate === null) world.connect();
    else if (draw < 0.9 && hasRestarts) world.restart();
    if (isWiped && step === 80) world.exchange.wipe();
    world.pass(world.chance() * 600);
  }
  world.exchange.weather = CALM;
  world.connect();
  world.pass(isWiped ? 700_000 : 350_000);
  world.shard.asksResting = false;
  world.pass(20_000);
  return world;
}

/** Judges the shard's view by the ledger, which the session never sees. */
function judge({ exchange, shard, contradictions }: World): void {
  expect(exchange.sent.length).toBe(new Set(exchange.sent).size);
  expect(contradictions.filter((what) => !DENIALS.has(what))).toEqual([]);
  for (const [name, child] of shard.children) {
    const order = exchange.ledger.get(name);
    if (order === undefined) {
      expect([name, child.state]).toEqual([name, child.state === 'REFUSED' ? 'REFUSED' : 'ABSENT']);
      continue;
    }
    expect([name, child.state, child.filled]).toEqual([name, order.state, filledOf(order, Infinity)]);
  }
}

const DENIALS = new Set(['an order is denied', 'a denied order waits for an operator']);

describe('a session at an exchange that denies orders which it has shown', () => {
  it.each([
    ['for minutes', false],
    ['for minutes, while the process is killed again and again', true],
  ])('ends with its ledger when it denies them %s', (_what, hasRestarts) => {
    for (let seed = 0; seed < runs(20, 1_000); seed += 1) judge(denials(seed, false, hasRestarts));
  });

  it.each([
    ['loses all orders', false],
    ['loses all orders, while the process is killed again and again', true],
  ])('never takes one for absent, and says that it is denied, when it %s', (_what, hasRestarts) => {
    let denied = 0;
    for (let seed = 0; seed < runs(20, 1_000); seed += 1) {
      const { exchange, shard } = denials(seed, true, hasRestarts);
      for (const [name, child] of shard.children) {
        if (!exchange.deniedUntilMs.has(name) || child.venueOrderId === null) continue;
        expect([name, child.state]).not.toEqual([name, 'ABSENT']);
        if (child.state === 'UNKNOWN') expect([name, child.isDenied]).toEqual([name, true]);
        if (child.isDenied) denied += 1;
      }
    }
    expect(denied).toBeGreaterThan(0);
  });
});

describe('a session at a real exchange', () => {
  it('reports each order, fill and end once over a good line', () => {
    for (let seed = 0; seed < runs(10, 40); seed += 1) judge(storm(seed, CALM, false));
  });

  it.each([
    ['loses, delays, repeats and reorders', STORM, false],
    ['does so while the process is killed again and again', STORM, true],
    ['loses every second answer', { ...CALM, answerLost: 0.5 }, true],
    ['carries requests late, half of them after their expiry', { ...CALM, requestLate: 1 }, false],
    [
      'carries half of the requests out up to 30 s late, with answers that say nothing',
      { ...CALM, executedLate: 0.5, engineMs: 30_000, answerLost: 0.1, updateLost: 0.2 },
      false,
    ],
    [
      'carries every request out late while the process is killed again and again',
      { ...CALM, executedLate: 1, engineMs: 45_000, updateLost: 0.3 },
      true,
    ],
    [
      'hides new orders for 30 s after the engine has taken them late',
      { ...CALM, executedLate: 0.5, engineMs: 25_000, hiddenMs: 30_000, updateLost: 1 },
      true,
    ],
    ['shows the past and denies live orders', { ...CALM, stale: 0.7, denied: 0.5 }, true],
  ] as const)('ends with the ledger of the exchange when the line %s', (_what, weather, hasRestarts) => {
    for (let seed = 0; seed < runs(40, 1_000); seed += 1) judge(storm(seed, weather, hasRestarts));
  });
});
