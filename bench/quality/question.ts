import { type EstimatedMean, estimateMean, meanOf, pairedDifference } from '../paired-difference.js';
import { known, type MetricKey, METRICS, type Observations, valuesOf } from './trial.js';
import { AGGRESSIVE, BASELINES, HYBRID, PASSIVE, type Policy, GATED_HYBRID, GATED_PASSIVE } from './policy.js';

/** The question whether one policy is better than another. */
interface Question {
  readonly one: Policy;
  readonly other: Policy;
  readonly metric: MetricKey;
  /** 1: a larger figure is better; -1: a smaller one. */
  readonly wanted: 1 | -1;
}

type Verdict = 'better' | 'worse' | 'undecided' | 'too few windows';

export interface Answer extends Question {
  readonly arena: string;
  /** `one` minus `other`, over the windows in which both have the figure. */
  readonly difference: EstimatedMean;
  /** Better or worse when the 95 % interval excludes 0. */
  readonly verdict: Verdict;
}

/** Least number of windows: an interval from fewer is too narrow. */
const WINDOWS_MIN = 8;

const cheaper = (one: Policy, other: Policy): Question => ({ one, other, metric: 'allIn', wanted: -1 });
const kinder = (one: Policy, other: Policy): Question => ({ one, other, metric: 'passiveMarkout1', wanted: 1 });

export const QUESTIONS: readonly Question[] = [
  cheaper(HYBRID, AGGRESSIVE),
  ...BASELINES.map((baseline) => cheaper(HYBRID, baseline)),
  ...BASELINES.map((baseline) => cheaper(PASSIVE, baseline)),
  kinder(GATED_PASSIVE, PASSIVE),
  kinder(GATED_HYBRID, HYBRID),
  cheaper(GATED_PASSIVE, PASSIVE),
  cheaper(GATED_HYBRID, HYBRID),
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
  if (low <= 0 && high >= 0) return 'undecided';
  return low > 0 === wanted > 0 ? 'better' : 'worse';
}

/** Summarises for people against how many published rules a policy is better, worse or undecided. */
export function scoreOf(policy: Policy, answers: readonly Answer[]): string {
  const against = answers.filter(({ one, other, metric }) => {
    return one === policy && other.baseline !== null && metric === 'allIn';
  });
  const groups = (['better', 'undecided', 'worse', 'too few windows'] as const).flatMap((verdict) => {
    const names = against.filter((one) => one.verdict === verdict).map(({ other }) => other.name);
    return names.length === 0 ? [] : [`${verdict} (${names.length}): ${names.join(', ')}`];
  });
  return `${policy.name} against ${against.length} published rules: ${groups.join('; ')}`;
}

/** Title of a comparison, for people. */
export function titleOf({ one, other, metric }: Question): string {
  return `${one.name} − ${other.name}, ${METRICS[metric].head}`;
}

/** Figures of a table line. `--json` prints all of them. */
const SHOWN: readonly MetricKey[] = [
  'arrival',
  'fees',
  'shortfall',
  'vwap',
  'deviation',
  'makerShare',
  'completion',
  'passiveMarkout1',
  'markout1',
  'markout5',
  'markout60',
  'children',
  'messagesPerFill',
];
const NAME_WIDTH = 24;
const CELL_WIDTH = 10;
const DIGITS = { bps: 2, share: 3, count: 1 } as const;
const ABSENT = '–';

/** Returns a line per policy: its means, starting with the all-in cost and its 95 % interval. */
export function policyLines(observations: Observations, uniform: () => number): string[] {
  const heads = ['all-in', '95 %', ...SHOWN.map((key) => METRICS[key].head)];
  const lines = [...observations.byPolicy.keys()].map((policy) => {
    const { mean, low, high } = estimateMean(known(valuesOf(observations, policy, 'allIn')), uniform);
    const cells = SHOWN.map((key) => cellOf(known(valuesOf(observations, policy, key)), key));
    return line(policy.name, [mean.toFixed(2), `±${((high - low) / 2).toFixed(2)}`, ...cells]);
  });
  return [line('', heads), ...lines];
}

function cellOf(values: readonly number[], key: MetricKey): string {
  return values.length === 0 ? ABSENT : meanOf(values).toFixed(DIGITS[METRICS[key].unit]);
}

function line(name: string, cells: readonly string[]): string {
  return `  ${name.padEnd(NAME_WIDTH)}${cells.map((cell) => cell.padStart(CELL_WIDTH)).join('')}`;
}

/** Returns a line per answer. Lines of several arenas align. */
export function answerLine(answer: Answer): string {
  const { mean, low, high, count } = answer.difference;
  const interval = `[${low.toFixed(3)}, ${high.toFixed(3)}]`;
  const title = titleOf(answer).padEnd(58);
  return `  ${title}${mean.toFixed(3).padStart(9)} ${interval.padStart(18)}  n=${String(count).padEnd(4)} ${answer.verdict}`;
}
