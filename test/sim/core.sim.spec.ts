import { expect, it } from 'vitest';
import type { AnyEvent } from '../../src/model/event.js';
import { simulate } from './simulation.js';

/* `npm run sim` runs thousands of these: see main.ts. */
const SEEDS_COUNT = 40;
/** One is restored from a backup, in one orders are quarantined, in one a cancel is refused. */
const LONG_SEEDS = [14, 19, 21];
const LONG_STEPS_COUNT = 1_500;
const REPEATED_SEED = 13;

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
  'ReportContradicted',
  'ParentQuarantined',
  'ParentReleased',
  'ParentRestored',
  'ParentReconciled',
  'BalanceChanged',
  'PositionChanged',
  'MarketObserved',
];
const seen = new Set<AnyEvent['kind']>();

it.each(Array.from({ length: SEEDS_COUNT }, (_, index) => index + 1))(
  'keeps every promise in the world of seed %i',
  (seed) => {
    for (const kind of simulate(seed).kinds) seen.add(kind);
  },
);

it.each(LONG_SEEDS)('keeps every promise in a long run of seed %i', (seed) => {
  for (const kind of simulate(seed, LONG_STEPS_COUNT).kinds) seen.add(kind);
});

it('has every kind of event in these runs', () => {
  expect(ALL.filter((kind) => !seen.has(kind))).toEqual([]);
});

it('repeats a run from its seed', () => {
  expect(simulate(REPEATED_SEED).digest).toBe(simulate(REPEATED_SEED).digest);
});
