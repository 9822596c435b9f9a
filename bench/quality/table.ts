import { estimateMean, meanOf } from '../../src/analytics/paired-difference.js';
import { known, valuesOf, type Observations } from './observation.js';
import { titleOf, type Answer } from './question.js';
import { METRICS, type MetricKey } from './trial.js';

/** The figures that fit a line; `--json` has them all. */
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

/** One line a policy: its means, the all-in cost with its 95 % interval first. */
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

/** One line an answer, the same questions of several arenas side by side. */
export function answerLine(answer: Answer): string {
  const { mean, low, high, count } = answer.difference;
  const interval = `[${low.toFixed(3)}, ${high.toFixed(3)}]`;
  const title = titleOf(answer).padEnd(58);
  return `  ${title}${mean.toFixed(3).padStart(9)} ${interval.padStart(18)}  n=${String(count).padEnd(4)} ${answer.verdict}`;
}
