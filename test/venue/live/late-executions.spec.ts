import { expect, it } from 'vitest';
import type { Lots } from '../../../src/domain/quantity.js';
import { runs } from '../../runs.js';
import { FAULTLESS, filledOf, submissionOf, type Weather } from './lossy-exchange.js';
import { World } from './session-world.js';

/*
 * An exchange that executes orders late, after an answer that leaves it open or none at all. Parent orders place the
 * rest of their quantity as soon as a child is known to be absent, so an absence that is believed too early buys twice.
 */

const PARENTS = 3;
const QUANTITY = 250;
const CHILD_QUANTITY_MAX = 100;
const STEPS = 150;
const STEP_MS_MAX = 1_500;
/** Without faults every child is settled after the fence of its sending or of a restart, and the last ones follow. */
const CALM_STEPS = 6;
const CALM_STEP_MS = 40_000;

/** What happens soon after the sending of a child. */
type Disturbance = 'none' | 'cut' | 'restart';

/** Quantity of each parent that its children hold or have filled, as the shard knows it. */
function takenBy(parent: number, { shard }: World): { taken: number; children: number } {
  let [taken, children] = [0, 0];
  for (const { submission, state, filled } of shard.children.values()) {
    if (submission.orderId !== parent) continue;
    children += 1;
    const isLive = state === 'IN_FLIGHT' || state === 'OPEN' || state === 'UNKNOWN';
    taken += isLive ? submission.quantity : filled;
  }
  return { taken, children };
}

/** Places the next child of a parent that lacks quantity. Returns false for a complete one. */
function placeNext(parent: number, world: World): boolean {
  const { taken, children } = takenBy(parent, world);
  if (taken >= QUANTITY) return false;
  const quantity = Math.min(CHILD_QUANTITY_MAX, QUANTITY - taken) as Lots;
  world.shard.submit({ ...submissionOf(parent, children + 1), quantity }, world.nowMs);
  return true;
}

function disturb(world: World, disturbance: Disturbance): void {
  if (disturbance === 'none') return;
  // Before the request arrives, or before its answer does.
  world.pass(world.chance() * 10);
  if (disturbance === 'restart') return world.restart();
  world.cut();
  world.pass(world.chance() * 3_000);
  world.connect();
}

function tradeSome({ exchange }: World, draw: number, share: number): void {
  const live = exchange.open();
  const some = live[Math.floor(draw * live.length)];
  if (some !== undefined) exchange.trade(some, share);
}

function work(seed: number, weather: Weather, disturbance: Disturbance): World {
  const world = new World(seed);
  world.pass(100);
  world.exchange.weather = weather;
  for (let step = 0; step < STEPS; step += 1) {
    const draw = world.chance();
    const parent = 1 + Math.floor(world.chance() * PARENTS);
    if (draw < 0.4) {
      if (placeNext(parent, world)) disturb(world, disturbance);
    } else if (draw < 0.7) tradeSome(world, world.chance(), world.chance());
    else if (draw < 0.75) world.shard.cancelSome(world.chance(), world.nowMs);
    world.pass(world.chance() * STEP_MS_MAX);
  }
  world.exchange.weather = FAULTLESS;
  for (let step = 0; step < CALM_STEPS; step += 1) {
    for (let parent = 1; parent <= PARENTS; parent += 1) placeNext(parent, world);
    world.pass(CALM_STEP_MS);
    // The market takes whatever is open: an order too many is a fill too many.
    for (const order of world.exchange.open()) world.exchange.trade(order, 1);
    world.pass(CALM_STEP_MS);
  }
  return world;
}

/**
 * Judges by the ledger of the exchange, which the session never sees. Returns the number of children that came late.
 */
function judge({ exchange, shard, contradictions }: World, lateMs: number): number {
  expect(exchange.sent.length).toBe(new Set(exchange.sent).size);
  expect(contradictions).toEqual([]);
  const filled = new Map<number, number>();
  let late = 0;
  for (const order of exchange.ledger.values()) {
    const { orderId } = order.submission;
    filled.set(orderId, (filled.get(orderId) ?? 0) + filledOf(order, Infinity));
    const child = shard.children.get(order.name)!;
    expect([order.name, child.state, child.filled]).toEqual([order.name, order.state, filledOf(order, Infinity)]);
    if (order.placedAtMs - child.submittedAtMs >= lateMs) late += 1;
  }
  for (let parent = 1; parent <= PARENTS; parent += 1) expect([parent, filled.get(parent)]).toEqual([parent, QUANTITY]);
  return late;
}

const LATE: Weather = { ...FAULTLESS, executedLate: 0.6, updateLost: 0.2, updateLate: 0.2, stale: 0.2 };

function lateBy(engineMs: number): Weather {
  return { ...LATE, engineMsMin: engineMs, engineMs };
}

const UP_TO_45_S: Weather = { ...LATE, engineMs: 45_000 };

it.each([
  ['answers -1007 at once and executes 1 s later', lateBy(1_000), 'none'],
  ['answers -1007 at once and executes 8 s later', lateBy(8_000), 'none'],
  ['answers -1007 at once and executes 12 s later', lateBy(12_000), 'none'],
  ['answers -1007 at once and executes 30 s later', lateBy(30_000), 'none'],
  ['loses answers and executes up to 45 s later', { ...UP_TO_45_S, answerLost: 0.5 }, 'none'],
  ['is cut off and executes up to 45 s later', UP_TO_45_S, 'cut'],
  ['is asked by a process that restarts, and executes up to 45 s later', UP_TO_45_S, 'restart'],
  ['loses requests, and executes others up to 45 s later', { ...UP_TO_45_S, requestLost: 0.3 }, 'restart'],
] as const)('fills each parent order exactly when the exchange %s', (_what, weather, disturbance) => {
  let late = 0;
  for (let seed = 0; seed < runs(15, 1_000); seed += 1) {
    late += judge(work(seed, weather, disturbance), Math.max(500, weather.engineMsMin));
  }
  expect(late).toBeGreaterThan(10);
});
