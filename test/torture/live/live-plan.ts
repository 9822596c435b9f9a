import { Random } from '../random.js';
import type { Ending } from '../round-plan.js';
import { lateMs } from './weather.js';

/** What happens to the whole exchange or a key during a run, besides the faults of single requests. */
export type Incident =
  | { readonly kind: 'cut'; readonly way: 'all' | 'proxy' }
  | { readonly kind: 'maintenance' | 'ban'; readonly ms: number }
  /**
   * Orders of a moment arrive `ms` late. All connections are cut after the moment: the status of these orders is asked
   * for before they arrive.
   */
  | { readonly kind: 'late orders'; readonly ms: number }
  /** The key of a trader is refused for a time. */
  | { readonly kind: 'withdrawn key'; readonly ms: number }
  | { readonly kind: 'expired streams' }
  /** No thread of the service runs for a time. */
  | { readonly kind: 'pause'; readonly ms: number }
  | { readonly kind: 'clock step'; readonly byMs: number };

/** The plan of one run of the service, the same for the same seed and round. */
export interface LivePlan {
  readonly shards: number;
  readonly ending: Ending;
  /** True: all orders end in this run, and balances, feeds and journal are compared. */
  readonly isSettling: boolean;
  /** The storm of the work. False: only incidents happen. */
  readonly isStormy: boolean;
  /** How long a storm goes on after the start; 0: the start has no faults. */
  readonly stormAtStartMs: number;
  readonly workMs: number;
  /** True: the exchange's own limits of requests apply. */
  readonly isCounting: boolean;
  readonly incidents: readonly { readonly afterMs: number; readonly incident: Incident }[];
  readonly random: Random;
}

const ENDINGS: readonly Ending[] = ['kill', 'kill', 'kill', 'power loss', 'power loss', 'stop'];
const WORK_MS_MIN = 1_500;
const WORK_MS_SPREAD = 5_000;
const START_STORM_SHARE = 0.5;
const STORM_AT_START_MS_MAX = 3_000;
const CALM_SHARE = 0.1;
const COUNTING_SHARE = 0.1;
const INCIDENTS_MAX = 3;
/** Around the time for which a request is valid at the exchange. */
const PAUSE_MS_MIN = 500;
const PAUSE_MS_SPREAD = 4_500;
/** Steps that a margin of 500 ms covers together with the answers about the past. */
const SMALL_STEP_MS_MAX = 100;
/** A step after which every request is refused until the clock is measured again. */
const LARGE_STEP_MS = 4_000;
const SEED_STEP = 0x9e37_79b1;

export interface LivePlanOptions {
  readonly seed: number;
  readonly rounds: number;
  readonly settleEveryRounds: number;
}

/** Plans a round; rounds count from 1. */
export function planLiveRound(round: number, { seed, rounds, settleEveryRounds }: LivePlanOptions): LivePlan {
  const random = new Random(seed + round * SEED_STEP);
  const isSettling = round % settleEveryRounds === 0 || round === rounds;
  const workMs = WORK_MS_MIN + random.below(WORK_MS_SPREAD);
  return {
    shards: 1 + random.below(2),
    ending: random.pick(ENDINGS),
    isSettling,
    isStormy: random.next() >= CALM_SHARE,
    stormAtStartMs: random.next() < START_STORM_SHARE ? 200 + random.below(STORM_AT_START_MS_MAX) : 0,
    workMs,
    isCounting: random.next() < COUNTING_SHARE,
    incidents: Array.from({ length: random.below(INCIDENTS_MAX + 1) }, () => {
      return { afterMs: random.below(workMs), incident: drawIncident(random) };
    }),
    random,
  };
}

function drawIncident(random: Random): Incident {
  switch (random.below(14)) {
    case 0:
    case 1:
      return { kind: 'cut', way: 'all' };
    case 2:
      return { kind: 'cut', way: 'proxy' };
    case 3:
      return { kind: 'maintenance', ms: 300 + random.below(1_500) };
    case 4:
      return { kind: 'ban', ms: 500 + random.below(1_500) };
    case 5:
      return { kind: 'withdrawn key', ms: 300 + random.below(2_000) };
    case 6:
      return { kind: 'expired streams' };
    case 7:
    case 8:
    case 9:
    case 10:
      return { kind: 'late orders', ms: lateMs(random) };
    case 11:
    case 12:
      return { kind: 'pause', ms: PAUSE_MS_MIN + random.below(PAUSE_MS_SPREAD) };
    default:
      return { kind: 'clock step', byMs: random.next() < 0.2 ? LARGE_STEP_MS : 1 + random.below(SMALL_STEP_MS_MAX) };
  }
}

export function textOfPlan({
  shards,
  ending,
  isSettling,
  isStormy,
  stormAtStartMs,
  workMs,
  isCounting,
  incidents,
}: LivePlan): string {
  const parts = [
    `${shards} shards`,
    ...(isSettling ? ['settled'] : []),
    ...(stormAtStartMs > 0 ? [`storm at start ${stormAtStartMs} ms`] : []),
    isStormy ? 'storm' : 'no storm',
    ...(isCounting ? ['limits'] : []),
    ...incidents.map(({ incident }) => incident.kind),
    `${ending} after ${workMs} ms`,
  ];
  return parts.join(', ');
}
