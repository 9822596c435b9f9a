import {
  type EstimatedMean,
  estimateMean,
  holm,
  meanOf,
  type Observation,
  pairedDifference,
} from '../paired-difference.js';
import type { Half } from '../report.js';
import { type Condition, nameOf } from './arena.js';
import { groupsOf } from './redundancy.js';
import { known, type MetricKey, METRICS, type Observations, valuesOf } from './trial.js';
import { AGGRESSIVE, BASELINES, HYBRID, PASSIVE, type Policy, GATED_HYBRID, GATED_PASSIVE } from './policy.js';

/** The question whether one policy is better than another. */
interface Question {
  readonly one: Policy;
  readonly other: Policy;
  /** Name of the other side, which may stand for several rules. */
  readonly otherName: string;
  readonly metric: MetricKey;
  /** 1: a larger figure is better; -1: a smaller one. */
  readonly wanted: 1 | -1;
}

type Verdict = 'better' | 'worse' | 'undecided' | 'too few clusters';

export interface Answer extends Question {
  readonly arena: string;
  readonly place: string;
  readonly condition: Condition | null;
  /** Half of the recordings that it comes from; null: simulated. */
  readonly half: Half | null;
  /** `one` minus `other`, over the windows in which both have the figure. */
  readonly difference: EstimatedMean;
  /** p-value by Holm's rule, over all comparisons of the table. */
  readonly holmP: number;
  /** Better or worse when that p-value is below 5 %. */
  readonly verdict: Verdict;
}

/** Least number of clusters: the coverage of the interval is shown for so many. */
const CLUSTERS_MIN = 8;
const LEVEL = 0.05;

const cheaper = (one: Policy, other: Policy, otherName = other.name): Question => {
  return { one, other, otherName, metric: 'allIn', wanted: -1 };
};
const kinder = (one: Policy, other: Policy): Question => {
  return { one, other, otherName: other.name, metric: 'passiveMarkout1', wanted: 1 };
};

/** The questions of a table. Published rules that agree are asked about once. */
function questionsOf(observations: Observations): readonly Question[] {
  const published = groupsOf(BASELINES, observations);
  return [
    cheaper(HYBRID, AGGRESSIVE),
    ...published.map(({ policy, name }) => cheaper(HYBRID, policy, name)),
    ...published.map(({ policy, name }) => cheaper(PASSIVE, policy, name)),
    kinder(GATED_PASSIVE, PASSIVE),
    kinder(GATED_HYBRID, HYBRID),
    cheaper(GATED_PASSIVE, PASSIVE),
    cheaper(GATED_HYBRID, HYBRID),
  ];
}

/** Answers the questions of a table, as far as any window answers them. */
export function answersOf(observations: Observations, uniform: () => number): Answer[] {
  const { name, place, condition, half } = observations.arena;
  const compared = questionsOf(observations).flatMap((question) => {
    const { one, other, metric } = question;
    const [first, second] = [valuesOf(observations, one, metric), valuesOf(observations, other, metric)];
    const difference = pairedDifference(first, second, uniform);
    return difference === null ? [] : [{ ...question, arena: name, place, condition, half, difference }];
  });
  const adjusted = holm(compared.map(({ difference }) => difference.p));
  return compared.map((one, index) => {
    const holmP = adjusted[index]!;
    return { ...one, holmP, verdict: verdictOf(one.difference, holmP, one.wanted) };
  });
}

function verdictOf({ mean, clusters }: EstimatedMean, holmP: number, wanted: 1 | -1): Verdict {
  if (clusters < CLUSTERS_MIN) return 'too few clusters';
  if (holmP >= LEVEL) return 'undecided';
  return mean > 0 === wanted > 0 ? 'better' : 'worse';
}

/** Summarises for people against how many published rules a policy is better, worse or undecided. */
export function scoreOf(policy: Policy, answers: readonly Answer[]): string {
  const against = answers.filter(({ one, other, metric }) => {
    return one === policy && other.baseline !== null && metric === 'allIn';
  });
  const groups = (['better', 'undecided', 'worse', 'too few clusters'] as const).flatMap((verdict) => {
    const names = against.filter((one) => one.verdict === verdict).map(({ otherName }) => otherName);
    return names.length === 0 ? [] : [`${verdict} (${names.length}): ${names.join(', ')}`];
  });
  return `${policy.name} against ${against.length} published rules: ${groups.join('; ')}`;
}

/** Title of a comparison, for people. */
export function titleOf({ one, otherName, metric }: Question): string {
  return `${one.name} − ${otherName}, ${METRICS[metric].head}`;
}

/** Figures of a table line. `--json` prints all of them. */
const SHOWN: readonly MetricKey[] = [
  'arrival',
  'delay',
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
const NAME_WIDTH = 50;
const CELL_WIDTH = 10;
const DIGITS = { bps: 2, share: 3, count: 1 } as const;
const TITLE_WIDTH = 76;
const ABSENT = '–';

/** Returns a line per policy: its means, starting with the all-in cost and its 95 % interval. */
export function policyLines(observations: Observations, uniform: () => number): string[] {
  const heads = ['all-in', 'low', 'high', 'n', 'clusters', ...SHOWN.map((key) => METRICS[key].head)];
  const lines = groupsOf([...observations.byPolicy.keys()], observations).map(({ policy, name }) => {
    const estimate = estimateMean(known(valuesOf(observations, policy, 'allIn')), uniform);
    const { mean, low, high, count, clusters } = estimate;
    const cells = SHOWN.map((key) => cellOf(known(valuesOf(observations, policy, key)), key));
    const counts = [String(count), String(clusters)];
    return line(name, [mean.toFixed(2), bound(low, 2), bound(high, 2), ...counts, ...cells]);
  });
  return [line('', heads), ...lines];
}

function cellOf(observed: readonly Observation[], key: MetricKey): string {
  const mean = meanOf(
    observed.map(({ value }) => value),
    observed.map(({ weight = 1 }) => weight),
  );
  return Number.isNaN(mean) ? ABSENT : mean.toFixed(DIGITS[METRICS[key].unit]);
}

/** A bound of an interval; absent where there is none. */
export function bound(value: number, digits: number): string {
  return Number.isFinite(value) ? value.toFixed(digits) : ABSENT;
}

function line(name: string, cells: readonly string[]): string {
  return `  ${name.padEnd(NAME_WIDTH)}${cells.map((cell) => cell.padStart(CELL_WIDTH)).join('')}`;
}

/** Returns a line per answer. Lines of several arenas align. */
export function answerLine(answer: Answer): string {
  const { mean, low, high, p, count, clusters } = answer.difference;
  const interval = `[${bound(low, 3)}, ${bound(high, 3)}]`;
  const title = titleOf(answer).padEnd(TITLE_WIDTH);
  const counts = `n=${String(count).padEnd(4)} clusters=${String(clusters).padEnd(4)}`;
  const ps = `p=${p.toFixed(4)} Holm ${answer.holmP.toFixed(4)}`;
  return `  ${title}${mean.toFixed(3).padStart(9)} ${interval.padStart(18)}  ${counts} ${ps}  ${answer.verdict}`;
}

/** Returns the answers of each market that has several conditions, side by side: a block of lines per question. */
export function sideBySideLines(answers: readonly Answer[]): string[] {
  return grouped(answers, ({ place }) => place).flatMap((there) => {
    if (new Set(there.map(({ arena }) => arena)).size < 2) return [];
    const blocks = grouped(there, titleOf).flatMap((same) => {
      return [`  ${titleOf(same[0]!)}`, ...same.map((one) => `    ${conditionLine(one)}`)];
    });
    return ['', `${there[0]!.place}: side by side, bps [95 %]`, ...blocks];
  });
}

function conditionLine({ condition, difference, holmP, verdict }: Answer): string {
  const { mean, low, high, count, clusters } = difference;
  const name = (condition === null ? '' : nameOf(condition)).padEnd(TITLE_WIDTH / 2);
  const interval = `[${bound(low, 3)}, ${bound(high, 3)}]`.padStart(18);
  return `${name} ${mean.toFixed(3).padStart(9)} ${interval}  n=${count} clusters=${clusters} Holm ${holmP.toFixed(4)} ${verdict}`;
}

/** Returns the items of each key, keys and items in the order of their arrival. */
export function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups.values()];
}
