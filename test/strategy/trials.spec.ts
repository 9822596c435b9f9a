import { expect, test } from 'vitest';
import { STRATEGY_NAMES } from '../../src/domain/order.js';
import { tryOrder } from './trial.js';

/*
 * Each seed draws an order, a market, faults and, if it is odd, a client that pauses, resumes and amends.
 *
 *   TRIALS=100000 npx vitest run test/strategy/trials -t VWAP              more orders of one strategy
 *   TRIAL_FROM=17 TRIALS=1 npx vitest run test/strategy/trials -t VWAP     one of them
 */
const TRIALS_COUNT = 100;
const { TRIALS, TRIAL_FROM } = process.env;
const count = Number(TRIALS ?? TRIALS_COUNT);
const from = Number(TRIAL_FROM ?? 1);

test.each([
  { strategy: 'SCALE', seed: 3_621, story: 'rungs of several children each, more than the limit of live children' },
  { strategy: 'ICEBERG', seed: 3_920, story: 'an idle reason that is noted while the book imbalance prevents resting' },
  { strategy: 'IS', seed: 30_194, story: 'slots of days, over which permanent impact would dominate' },
] as const)('$strategy $seed: $story', ({ strategy, seed }) => {
  expect(tryOrder(strategy, seed).isOver).toBe(true);
});

test.each(STRATEGY_NAMES)(
  '%s: any order in any market keeps its invariants among faults, and ends',
  (strategy) => {
    const endings = new Map<string, number>();
    for (let seed = from; seed < from + count; seed += 1) {
      try {
        const { status } = tryOrder(strategy, seed).state;
        endings.set(status, (endings.get(status) ?? 0) + 1);
      } catch (cause) {
        throw new Error(`TRIAL_FROM=${seed} TRIALS=1 npx vitest run test/strategy/trials -t ${strategy}`, { cause });
      }
    }
    if (TRIALS !== undefined) console.info(`${strategy}: seeds ${from} to ${from + count - 1} hold`, endings);
    // The venue rejects about one order in some hundred.
    const common = ['FILLED', 'CANCELLED', 'EXPIRED'];
    if (count >= TRIALS_COUNT) expect([...endings.keys()]).toEqual(expect.arrayContaining(common));
  },
  3_600_000,
);
