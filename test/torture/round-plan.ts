import { Random } from './random.js';

/** How a run of the service ends. */
export type Ending = 'kill' | 'stop' | 'power loss';

/** The plan of one run of the service, the same for the same seed and round. */
export interface RoundPlan {
  readonly shards: number;
  /** SLUICE_VENUE_RATES; null: the exchanges' rates do not apply. */
  readonly rates: string | null;
  readonly ending: Ending;
  /** True: all orders end in this run, and sums are compared. */
  readonly isSettling: boolean;
  /** Working time before the end. */
  readonly workMs: number;
  /** True: a backup is taken during the work and restored after the end. */
  readonly isRestored: boolean;
  /** Disturbance of the machine's wall clock. */
  readonly clock: ClockTrouble;
  readonly random: Random;
}

export type ClockTrouble =
  | { readonly kind: 'none' }
  /** A step by `byMs`, `afterMs` after the work began. */
  | { readonly kind: 'step'; readonly byMs: number; readonly afterMs: number }
  /** A start with a clock wrong by `byMs`, which must be refused; then the clock is corrected. */
  | { readonly kind: 'wrong start'; readonly byMs: number };

export interface PlanOptions {
  readonly seed: number;
  readonly rounds: number;
  readonly settleEveryRounds: number;
}

const WORK_MS_MIN = 200;
const WORK_MS_SPREAD = 1200;
const RATES: readonly string[] = ['20000/1s', '20000/1s', '60/1s', '200/10s', 'listed'];
const ENDINGS: readonly Ending[] = ['kill', 'kill', 'power loss', 'power loss', 'stop'];
/** Distance between the seeds of consecutive rounds, large for any seed of the run. */
const SEED_STEP = 0x9e37_79b1;

const HOUR_MS = 3_600_000;
const STEPS_MS: readonly number[] = [-2_000, 2_000, 45_000, -HOUR_MS, HOUR_MS, -96 * HOUR_MS, 96 * HOUR_MS];
const WRONG_STARTS_MS: readonly number[] = [-96 * HOUR_MS, -HOUR_MS, HOUR_MS, 96 * HOUR_MS];
const RESTORE_SHARE = 0.12;
const STEP_SHARE = 0.25;
const WRONG_START_SHARE = 0.08;

function clockTrouble(workMs: number, random: Random): ClockTrouble {
  const chance = random.next();
  const step = { kind: 'step', byMs: random.pick(STEPS_MS), afterMs: random.below(workMs) } as const;
  const wrong = { kind: 'wrong start', byMs: random.pick(WRONG_STARTS_MS) } as const;
  if (chance < STEP_SHARE) return step;
  return chance < STEP_SHARE + WRONG_START_SHARE ? wrong : { kind: 'none' };
}

/** Plans a round; rounds count from 1. */
export function planRound(round: number, options: PlanOptions): RoundPlan {
  const random = new Random(options.seed + round * SEED_STEP);
  const isSettling = round % options.settleEveryRounds === 0 || round === options.rounds;
  const shards = 1 + random.below(3);
  const rates = random.pick(RATES);
  const ending = random.pick(ENDINGS);
  const isRestored = !isSettling && round > 1 && random.next() < RESTORE_SHARE;
  const workMs = WORK_MS_MIN + random.below(WORK_MS_SPREAD);
  return {
    shards,
    // A settlement, the first placements and a reconciliation need more requests than a low rate allows in time.
    rates: isSettling || isRestored || round === 1 ? null : rates,
    ending: isRestored ? 'kill' : ending,
    isSettling,
    workMs,
    isRestored,
    clock: clockTrouble(workMs, random),
    random,
  };
}
