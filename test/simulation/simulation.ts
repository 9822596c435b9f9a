import { createHash } from 'node:crypto';
import { assert } from '../../src/domain/rejection.js';
import type { AnyEvent } from '../../src/domain/event.js';
import { ANSWER_WAIT_MS } from '../../src/domain/limits/clients.js';
import {
  MARKET_STALE_MS,
  RESTING_SILENCE_MS_MAX,
  QUOTE_AFTERMATH_MS,
  QUOTE_INTERVAL_MS,
} from '../../src/domain/limits/trading.js';
import { Chance } from './chance.js';
import { EventLoop } from './event-loop.js';
import { filledOf, type ModelOrder } from './order-model.js';
import type { Profile } from './profile.js';
import { judge, judgeMarkets, watchedMarkets } from './verdict.js';
import { SWITCH_MS } from './trader.js';
import { World } from './world.js';
import { leadingLeg } from '../../src/domain/order-legs.js';

/** No order lasts longer than this after its creation, unless it has no end time. */
const ORDER_LIFE_MS_MAX = 20_000 + 60_000;
/** Time in which the last children are cancelled or found by repeated status requests. */
const ENDING_MS = 15_000;
/** Longest time of the hedge of a pair at the end. */
const HEDGING_MS = 15_000;
/** Time in which a lost fill of a resting child is found. */
const FINDING_MS = RESTING_SILENCE_MS_MAX + ENDING_MS;
/** The main thread checks its timeouts about once a second. */
const SWEEP_MS_MAX = 3_000;
/** Time for which a market is observed after its last fill, also by a shard that starts meanwhile. */
const WATCHED_MS_MAX = QUOTE_AFTERMATH_MS + MARKET_STALE_MS + QUOTE_INTERVAL_MS;
/** Steps of a run: mostly few, because most faults show soon; sometimes many. */
const STEPS_MIN = 20;
const STEPS_SOME = 100;
const STEPS_MANY = 400;
const STEPS_MAX = 3_000;
/** Shares of the runs that wait until orders end on their own, and of the runs that end with one more crash. */
const PATIENT = 0.05;
const CRASHED = 0.1;
/** Share of the runs that crash with every cancel-all-after timer set. */
const CRASHED_ARMED = 0.03;
const ARMED_MS = 10_000;

export interface SimulationResult {
  /** Kinds of events that the run had. */
  readonly kinds: ReadonlySet<AnyEvent['kind']>;
  /** Digest of the whole journal. Equal runs have equal digests. */
  readonly digest: string;
  readonly stepCount: number;
}

/** Number of steps in the run of a seed. */
export function stepsOf(seed: number): number {
  const chance = new Chance(seed);
  if (chance.hits(0.03)) return chance.skewed(STEPS_MANY, STEPS_MAX);
  return chance.hits(0.2) ? chance.skewed(STEPS_SOME, STEPS_MANY) : chance.between(STEPS_MIN, STEPS_SOME);
}

/**
 * One run: `stepCount` steps with faults, then a time without faults in which every order must end, then the verdict.
 * Some runs have one more crash and a second verdict. Throws an error with the seed and the last events.
 */
export function simulate(seed: number, stepCount: number = stepsOf(seed)): SimulationResult {
  let world: World | null = null;
  const uninstall = EventLoop.install(() => {
    if (world === null) throw new Error('the world is being made');
    return world.loop;
  });
  try {
    world = new World(seed, (made) => void (world = made));
    run(world, stepCount);
  } catch (cause) {
    throw new Error(failureOf(world, seed, stepCount, cause), { cause });
  } finally {
    uninstall();
  }
  const digest = createHash('sha256');
  for (const { bytes } of world.journal.entries) digest.update(bytes);
  return { kinds: world.audit.kinds, digest: digest.digest('hex'), stepCount };
}

function run(world: World, stepCount: number): void {
  for (let step = 0; step < stepCount; step += 1) world.step();
  const isPatient = world.chance.hits(PATIENT);
  if (isPatient) awaitEnds(world);
  else world.settle(2_000);
  if (world.chance.hits(CRASHED_ARMED)) crashArmed(world);
  world.trader.checkSwitches();
  endAll(world);
  judge(world);
  if (isPatient) {
    // After a step of the wall clock, service time may run at half speed.
    world.settle(2 * WATCHED_MS_MAX, () => watchedMarkets(world).length === 0);
    judgeMarkets(world);
  }
  if (!world.chance.hits(CRASHED)) return;
  world.crash();
  world.settle(2_000);
  judge(world);
}

/** Waits until shards and venue agree, then until orders with an end time have ended. */
function awaitEnds(world: World): void {
  const startMs = world.nowMs;
  const isTimed = () => world.openOrders().some((orderId) => world.audit.orders.get(orderId)?.terms.endAtMs !== null);
  world.settle(1_000);
  const before = world.disagreements();
  world.settle(settlingMs(world.profile));
  const stuck = [...world.disagreements()].filter((id) => before.has(id));
  assert(stuck.length === 0, `shard and venue agree on the children that live, but for ${stuck.join(', ')}`);
  while (isTimed()) {
    assert(world.nowMs < startMs + ORDER_LIFE_MS_MAX + FINDING_MS, 'orders end at their end time');
    world.settle(1_000);
  }
}

/** The process dies while the timer of each account runs; then time passes until the timers have fired. */
function crashArmed(world: World): void {
  world.trader.armAll(ARMED_MS);
  world.settle(2_000);
  world.crash();
  world.settle(ARMED_MS + SWITCH_MS);
}

/** Cancels every open order. Expects its end within the time in which lost reports are found. */
function endAll(world: World): void {
  const untilMs = world.nowMs + settlingMs(world.profile) + ENDING_MS;
  const isDone = () => world.openOrders().length === 0;
  while (!isDone() && world.nowMs < untilMs) {
    world.trader.cancelOpen();
    world.settle(5_000, isDone);
  }
  assert(isDone(), `orders end once they are cancelled, but for ${world.openOrders().join(', ')}`);
  // The last fill may come with the last cancel.
  world.settle(2_000);
  const { orders } = world.process.front.main;
  // A command whose answer did not fit into the ring is answered after its timeout.
  if (orders.pendingCount > 0) world.settle(ANSWER_WAIT_MS + SWEEP_MS_MAX, () => orders.pendingCount === 0);
}

/** Time to find lost messages, and for every waiting status request to be sent. */
function settlingMs({ venueFault, requestRate, pair }: Profile): number {
  const hedgingMs = pair > 0 ? HEDGING_MS : 0;
  return hedgingMs + (venueFault > 0 || requestRate !== null ? FINDING_MS : ENDING_MS);
}

function failureOf(world: World | null, seed: number, stepCount: number, cause: unknown): string {
  const reason = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  if (world === null) return reason;
  const { diary, profile, nowMs, audit } = world;
  return [
    reason,
    `at ${nowMs} in a world of ${JSON.stringify(profile)}`,
    ...diary.map((line) => `  ${line}`),
    ...world.openOrders().map((orderId) => lineOf(audit.orders.get(orderId) as ModelOrder)),
    `replay: npm run sim -- --from ${seed} --seeds 1 --steps ${stepCount}`,
  ].join('\n');
}

/** Describes an open order in one line. */
function lineOf(order: ModelOrder): string {
  const { created, terms, status, children } = order;
  const live = [...children.values()].filter(({ isLive }) => isLive).map((child) => child.order.child);
  const end = terms.endAtMs === null ? 'no end' : `end ${terms.endAtMs}`;
  const filled = `${filledOf(order)}/${leadingLeg(terms).quantity}`;
  return `  open: ${created.orderId} ${leadingLeg(created).strategy} ${status} ${filled}, ${end}, children [${live.join(', ')}]`;
}
