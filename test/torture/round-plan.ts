import { Random } from './random.js';

/** How a life of the service ends. */
export type Ending = 'kill' | 'stop' | 'power loss';

/** What one life of the service is like: the same for the same seed and round. */
export interface RoundPlan {
  readonly shards: number;
  /** SLUICE_VENUE_RATES; null: what the exchanges list is no bound. */
  readonly rates: string | null;
  readonly ending: Ending;
  /** Everything ends in this life, and sums are compared. */
  readonly isSettling: boolean;
  /** How long it is worked before its end. */
  readonly lifeMs: number;
  readonly random: Random;
}

export interface PlanOptions {
  readonly seed: number;
  readonly rounds: number;
  readonly settleEveryRounds: number;
  readonly canLosePower: boolean;
}

const LIFE_MS_MIN = 200;
const LIFE_MS_SPREAD = 1200;
const RATES: readonly string[] = ['20000/1s', '20000/1s', '60/1s', '200/10s', 'listed'];
const ENDINGS: readonly Ending[] = ['kill', 'kill', 'power loss', 'power loss', 'stop'];
/** Steps from the seed of one round to that of the next: far apart, whatever the seed of the run is. */
const SEED_STEP = 0x9e37_79b1;

/** Counts rounds from 1. */
export function planRound(round: number, options: PlanOptions): RoundPlan {
  const random = new Random(options.seed + round * SEED_STEP);
  const isSettling = round % options.settleEveryRounds === 0 || round === options.rounds;
  const shards = 1 + random.below(3);
  const rates = random.pick(RATES);
  const ending = random.pick(ENDINGS);
  return {
    shards,
    // What is left over when everything ends is more than a small budget lets out in time.
    rates: isSettling || round === 1 ? null : rates,
    ending: ending === 'power loss' && !options.canLosePower ? 'kill' : ending,
    isSettling,
    lifeMs: LIFE_MS_MIN + random.below(LIFE_MS_SPREAD),
    random,
  };
}
