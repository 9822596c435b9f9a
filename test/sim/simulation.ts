import { createHash } from 'node:crypto';
import { assert } from '../../src/model/assert.js';
import {
  MARKET_STALE_MS,
  RESTING_SILENCE_MS_MAX,
  TAPE_AFTERMATH_MS,
  TAPE_INTERVAL_MS,
} from '../../src/model/limits.js';
import type { AnyEvent } from '../../src/model/event.js';
import type { ParentState } from '../../src/model/order.js';
import type { Profile } from './profile.js';
import { judge } from './verdict.js';
import { World } from './world.js';

/** No order lasts longer than this after its creation, unless it has no end time. */
const ORDER_LIFE_MS_MAX = 20_000 + 60_000;
/** What the last children need to be cancelled, asked for, and asked for again. */
const ENDING_MS = 15_000;
/** What a fill that was lost, of a child that rests, needs to be found. */
const FINDING_MS = RESTING_SILENCE_MS_MAX + ENDING_MS;
/** How long a market is observed after its last fill, also by a shard that starts meanwhile. */
const WATCHED_MS_MAX = TAPE_AFTERMATH_MS + MARKET_STALE_MS + TAPE_INTERVAL_MS;

export interface SimulationResult {
  /** Kinds of events that the run had. */
  readonly kinds: ReadonlySet<AnyEvent['kind']>;
  /** Of the whole journal: equal runs have equal digests. */
  readonly digest: string;
}

/**
 * One run: `stepCount` steps in which everything may break, then a calm in which every order must come to its end, then
 * the verdict, before and after one more crash. Throws with the seed and what happened last.
 */
export function simulate(seed: number, stepCount: number): SimulationResult {
  const world = new World(seed);
  try {
    for (let step = 0; step < stepCount; step += 1) world.step();
    end(world);
    judge(world);
    world.crash();
    world.calm(ENDING_MS + WATCHED_MS_MAX);
    judge(world);
  } catch (cause) {
    throw new Error(failureOf(world, seed, stepCount, cause), { cause });
  }
  const digest = createHash('sha256');
  for (const { bytes } of world.journal.entries) digest.update(bytes);
  return {
    kinds: new Set(world.journal.entries.map(({ envelope }) => envelope.event.kind)),
    digest: digest.digest('hex'),
  };
}

/** Shards and venue come to agree; then time ends the orders that have an end time, and the others are cancelled. */
function end(world: World): void {
  const startMs = world.nowMs;
  const isTimed = () =>
    [...world.audit.states.values()].some(({ order, endedAtMs }) => order.endAtMs !== null && endedAtMs === null);
  world.calm(1_000);
  const before = world.disagreements();
  world.calm(settlingMs(world.profile));
  const stuck = [...world.disagreements()].filter((id) => before.has(id));
  assert(stuck.length === 0, `shard and venue agree on the children that live, but for ${stuck.join(', ')}`);
  while (isTimed()) {
    assert(world.nowMs < startMs + ORDER_LIFE_MS_MAX + FINDING_MS, 'orders end at their end time');
    world.calm(1_000);
  }
  world.cancelAll();
  // The last fill may come with the last cancel.
  world.calm(ENDING_MS + WATCHED_MS_MAX);
}

/** Where something may have been lost it must be found; where requests wait, every question must come to its turn. */
function settlingMs({ trouble, requestRate }: Profile): number {
  return trouble > 0 || requestRate !== null ? FINDING_MS : ENDING_MS;
}

function failureOf({ diary, profile, nowMs, audit }: World, seed: number, stepCount: number, cause: unknown): string {
  const reason = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  return [
    reason,
    `at ${nowMs} in a world of ${JSON.stringify(profile)}`,
    ...diary.map((line) => `  ${line}`),
    ...[...audit.states.values()].filter(({ endedAtMs }) => endedAtMs === null).map(lineOf),
    `replay: SIM_SEED=${seed} SIM_STEPS=${stepCount} npx vitest run test/sim`,
  ].join('\n');
}

/** Where an order that has not ended stands. */
function lineOf({ order, status, progress, children, outcome }: ParentState): string {
  const live = children.map(
    (child) => `${child.order.child} ${child.state} ${child.progress.filled}/${child.order.quantity}`,
  );
  const { orderId, strategy, quantity, endAtMs } = order;
  const end = endAtMs === null ? 'no end' : `end ${endAtMs}`;
  const cause = outcome?.code ?? 'no outcome';
  return `  open: ${orderId} ${strategy} ${status} ${progress.filled}/${quantity}, ${end}, ${cause}, [${live.join(', ')}]`;
}
