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
  /** A backup is taken while it is worked, and restored after its end. */
  readonly isRestored: boolean;
  /** What happens to the wall clock of the machine. */
  readonly clock: ClockTrouble;
  readonly random: Random;
}

export type ClockTrouble =
  | { readonly kind: 'none' }
  /** Stepped by so much, so long after the work began. */
  | { readonly kind: 'step'; readonly byMs: number; readonly afterMs: number }
  /** Wrong by so much at the start, which must be refused; then it is set right. */
  | { readonly kind: 'wrong start'; readonly byMs: number };

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

const HOUR_MS = 3_600_000;
const STEPS_MS: readonly number[] = [-2_000, 2_000, 45_000, -HOUR_MS, HOUR_MS, -96 * HOUR_MS, 96 * HOUR_MS];
const WRONG_STARTS_MS: readonly number[] = [-96 * HOUR_MS, -HOUR_MS, HOUR_MS, 96 * HOUR_MS];
const RESTORE_SHARE = 0.12;
const STEP_SHARE = 0.25;
const WRONG_START_SHARE = 0.08;

function clockTrouble(lifeMs: number, random: Random): ClockTrouble {
  const chance = random.next();
  const step = { kind: 'step', byMs: random.pick(STEPS_MS), afterMs: random.below(lifeMs) } as const;
  const wrong = { kind: 'wrong start', byMs: random.pick(WRONG_STARTS_MS) } as const;
  if (chance < STEP_SHARE) return step;
  return chance < STEP_SHARE + WRONG_START_SHARE ? wrong : { kind: 'none' };
}

/** Counts rounds from 1. */
export function planRound(round: number, options: PlanOptions): RoundPlan {
  const random = new Random(options.seed + round * SEED_STEP);
  const isSettling = round % options.settleEveryRounds === 0 || round === options.rounds;
  const shards = 1 + random.below(3);
  const rates = random.pick(RATES);
  const ending = random.pick(ENDINGS);
  const isRestored = !isSettling && round > 1 && random.next() < RESTORE_SHARE;
  const lifeMs = LIFE_MS_MIN + random.below(LIFE_MS_SPREAD);
  return {
    shards,
    // A settlement, the first placements and a reconciliation ask more than a small budget lets out in time.
    rates: isSettling || isRestored || round === 1 ? null : rates,
    ending: isRestored || (ending === 'power loss' && !options.canLosePower) ? 'kill' : ending,
    isSettling,
    lifeMs,
    isRestored,
    clock: clockTrouble(lifeMs, random),
    random,
  };
}
