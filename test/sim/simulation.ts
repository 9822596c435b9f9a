import { createHash } from 'node:crypto';
import { assert } from '../../src/model/assert.js';
import type { AnyEvent } from '../../src/model/event.js';
import {
  ANSWER_WAIT_MS,
  MARKET_STALE_MS,
  RESTING_SILENCE_MS_MAX,
  TAPE_AFTERMATH_MS,
  TAPE_INTERVAL_MS,
} from '../../src/model/limits.js';
import { Chance } from './chance.js';
import { EventLoop } from './event-loop.js';
import { filledOf, type ModelOrder } from './order-model.js';
import type { Profile } from './profile.js';
import { judge, judgeMarkets, watchedMarkets } from './verdict.js';
import { World } from './world.js';

/** No order lasts longer than this after its creation, unless it has no end time. */
const ORDER_LIFE_MS_MAX = 20_000 + 60_000;
/** What the last children need to be cancelled, asked for, and asked for again. */
const ENDING_MS = 15_000;
/** What the hedge of a pair takes at the end, at most. */
const HEDGING_MS = 15_000;
/** What a fill that was lost, of a child that rests, needs to be found. */
const FINDING_MS = RESTING_SILENCE_MS_MAX + ENDING_MS;
/** The main thread looks about once a second for waits that are over. */
const SWEEP_MS_MAX = 3_000;
/** How long a market is observed after its last fill, also by a shard that starts meanwhile. */
const WATCHED_MS_MAX = TAPE_AFTERMATH_MS + MARKET_STALE_MS + TAPE_INTERVAL_MS;
/** Steps of a run: mostly few, for most faults show soon; now and then many. */
const STEPS_MIN = 20;
const STEPS_SOME = 100;
const STEPS_MANY = 400;
const STEPS_MAX = 3_000;
/** Share of the runs that wait until orders end by themselves, and of those that end with one more crash. */
const PATIENT = 0.05;
const CRASHED = 0.1;

export interface SimulationResult {
  /** Kinds of events that the run had. */
  readonly kinds: ReadonlySet<AnyEvent['kind']>;
  /** Of the whole journal: equal runs have equal digests. */
  readonly digest: string;
  readonly stepCount: number;
}

/** How long the run of a seed is. */
export function stepsOf(seed: number): number {
  const chance = new Chance(seed);
  if (chance.hits(0.03)) return chance.skewed(STEPS_MANY, STEPS_MAX);
  return chance.hits(0.2) ? chance.skewed(STEPS_SOME, STEPS_MANY) : chance.between(STEPS_MIN, STEPS_SOME);
}

/**
 * One run: `stepCount` steps in which everything may break, then a calm in which every order must come to its end, then
 * the verdict, for some before and after one more crash. Throws with the seed and what happened last.
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
  else world.calm(2_000);
  world.trader.checkSwitches();
  endAll(world);
  judge(world);
  if (isPatient) {
    // After a step of the wall clock service time may run at half the pace.
    world.calm(2 * WATCHED_MS_MAX, () => watchedMarkets(world).length === 0);
    judgeMarkets(world);
  }
  if (!world.chance.hits(CRASHED)) return;
  world.crash();
  world.calm(2_000);
  judge(world);
}

/** Shards and venue come to agree; then time ends the orders that have an end time. */
function awaitEnds(world: World): void {
  const startMs = world.nowMs;
  const isTimed = () => world.openOrders().some((orderId) => world.audit.orders.get(orderId)?.terms.endAtMs !== null);
  world.calm(1_000);
  const before = world.disagreements();
  world.calm(settlingMs(world.profile));
  const stuck = [...world.disagreements()].filter((id) => before.has(id));
  assert(stuck.length === 0, `shard and venue agree on the children that live, but for ${stuck.join(', ')}`);
  while (isTimed()) {
    assert(world.nowMs < startMs + ORDER_LIFE_MS_MAX + FINDING_MS, 'orders end at their end time');
    world.calm(1_000);
  }
}

/** Every open order is cancelled, and ends within the time that it takes to find what was lost of it. */
function endAll(world: World): void {
  const untilMs = world.nowMs + settlingMs(world.profile) + ENDING_MS;
  const isDone = () => world.openOrders().length === 0;
  while (!isDone() && world.nowMs < untilMs) {
    world.trader.cancelOpen();
    world.calm(5_000, isDone);
  }
  assert(isDone(), `orders end once they are cancelled, but for ${world.openOrders().join(', ')}`);
  // The last fill may come with the last cancel.
  world.calm(2_000);
  const { orders } = world.process.front.main;
  // A command whose answer found no room in the ring is answered when its wait is over.
  if (orders.pendingCount > 0) world.calm(ANSWER_WAIT_MS + SWEEP_MS_MAX, () => orders.pendingCount === 0);
}

/** Where something may have been lost it must be found; where requests wait, every question must come to its turn. */
function settlingMs({ trouble, requestRate, pair }: Profile): number {
  const hedgingMs = pair > 0 ? HEDGING_MS : 0;
  return hedgingMs + (trouble > 0 || requestRate !== null ? FINDING_MS : ENDING_MS);
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

/** Where an order that has not ended stands. */
function lineOf(order: ModelOrder): string {
  const { created, terms, status, children } = order;
  const live = [...children.values()].filter(({ isLive }) => isLive).map((child) => child.order.child);
  const end = terms.endAtMs === null ? 'no end' : `end ${terms.endAtMs}`;
  const filled = `${filledOf(order)}/${terms.quantity}`;
  return `  open: ${created.orderId} ${created.strategy} ${status} ${filled}, ${end}, children [${live.join(', ')}]`;
}
