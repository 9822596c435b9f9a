import { pairedDifference, type EstimatedMean } from '../../src/analytics/paired-difference.js';
import { valuesOf, type Observations } from './observation.js';
import { AGGRESSIVE, BASELINES, HYBRID, PASSIVE, WARY_HYBRID, WARY_PASSIVE, type Policy } from './policy.js';
import { METRICS, type MetricKey } from './trial.js';

/** Is one policy better than another? */
export interface Question {
  readonly one: Policy;
  readonly other: Policy;
  readonly metric: MetricKey;
  /** 1: the larger figure is the better one; -1: the smaller. */
  readonly wanted: 1 | -1;
}

export type Verdict = 'better' | 'worse' | 'not told apart' | 'too few windows';

export interface Answer extends Question {
  readonly arena: string;
  /** One minus other, over the windows in which both have the figure. */
  readonly difference: EstimatedMean;
  /** Whether the 95 % interval leaves 0 out, and on which side. */
  readonly verdict: Verdict;
}

/** An interval from fewer windows is too narrow to be believed. */
const WINDOWS_MIN = 8;

const cheaper = (one: Policy, other: Policy): Question => ({ one, other, metric: 'allIn', wanted: -1 });
const kinder = (one: Policy, other: Policy): Question => ({ one, other, metric: 'passiveMarkout1', wanted: 1 });

export const QUESTIONS: readonly Question[] = [
  cheaper(HYBRID, AGGRESSIVE),
  ...BASELINES.map((baseline) => cheaper(HYBRID, baseline)),
  ...BASELINES.map((baseline) => cheaper(PASSIVE, baseline)),
  kinder(WARY_PASSIVE, PASSIVE),
  kinder(WARY_HYBRID, HYBRID),
  cheaper(WARY_PASSIVE, PASSIVE),
  cheaper(WARY_HYBRID, HYBRID),
];

/** null: no window has both figures. */
export function answer(question: Question, observations: Observations, uniform: () => number): Answer | null {
  const { one, other, metric, wanted } = question;
  const difference = pairedDifference(
    valuesOf(observations, one, metric),
    valuesOf(observations, other, metric),
    uniform,
  );
  if (difference === null) return null;
  return { ...question, arena: observations.arena.name, difference, verdict: verdictOf(difference, wanted) };
}

function verdictOf({ low, high, count }: EstimatedMean, wanted: 1 | -1): Verdict {
  if (count < WINDOWS_MIN) return 'too few windows';
  if (low <= 0 && high >= 0) return 'not told apart';
  return low > 0 === wanted > 0 ? 'better' : 'worse';
}

/** For people: against how many published rules a policy is better, and against which it is not told apart or worse. */
export function standingOf(policy: Policy, answers: readonly Answer[]): string {
  const against = answers.filter(({ one, other, metric }) => {
    return one === policy && other.baseline !== null && metric === 'allIn';
  });
  const groups = (['better', 'not told apart', 'worse', 'too few windows'] as const).flatMap((verdict) => {
    const names = against.filter((one) => one.verdict === verdict).map(({ other }) => other.name);
    return names.length === 0 ? [] : [`${verdict} (${names.length}): ${names.join(', ')}`];
  });
  return `${policy.name} against ${against.length} published rules: ${groups.join('; ')}`;
}

/** For people: what is compared. */
export function titleOf({ one, other, metric }: Question): string {
  return `${one.name} − ${other.name}, ${METRICS[metric].head}`;
}
