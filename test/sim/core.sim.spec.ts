import { expect, it } from 'vitest';
import type { AnyEvent } from '../../src/model/event.js';
import { simulate } from './simulation.js';

/*
 * SIM_SEEDS=2000 npx vitest run test/sim      more seeds
 * SIM_SEED=17 npx vitest run test/sim         one of them; SIM_STEPS says how long it goes on
 */
const SEEDS_COUNT = 60;
const STEPS_COUNT = 1_500;

const { SIM_SEED, SIM_SEEDS, SIM_STEPS } = process.env;
const stepCount = Number(SIM_STEPS ?? STEPS_COUNT);
const seedCount = Number(SIM_SEEDS ?? SEEDS_COUNT);
const seeds = SIM_SEED === undefined ? Array.from({ length: seedCount }, (_, index) => index + 1) : [Number(SIM_SEED)];
const ALL: readonly AnyEvent['kind'][] = [
  'ParentCreated',
  'ParentAccepted',
  'ParentRejected',
  'ParentStarted',
  'ParentCancelRequested',
  'ParentCancelled',
  'ParentExpired',
  'ParentPauseRequested',
  'ParentPaused',
  'ParentResumeRequested',
  'ParentResumed',
  'ParentPlanned',
  'ParentAmendRequested',
  'ParentAmended',
  'StrategyNoted',
  'ChildSubmitted',
  'ChildAccepted',
  'ChildRejected',
  'ChildFilled',
  'ChildCancelRequested',
  'ChildCancelRefused',
  'ChildCancelled',
  'ChildUnknown',
  'ChildNeverPlaced',
  'BalanceChanged',
  'PositionChanged',
  'MarketObserved',
];
const seen = new Set<AnyEvent['kind']>();

it.each(seeds)('seed %i', (seed) => {
  for (const kind of simulate(seed, stepCount).kinds) seen.add(kind);
});

if (seeds.length >= SEEDS_COUNT) {
  it('everything that can happen to an order has happened', () => {
    expect(ALL.filter((kind) => !seen.has(kind))).toEqual([]);
  });
}

it('the same seed is the same run', () => {
  expect(simulate(7, stepCount).digest).toBe(simulate(7, stepCount).digest);
});
