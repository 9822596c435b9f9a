import { writeFileSync } from 'node:fs';
import { estimateMean } from '../paired-difference.js';
import { Random } from '../../src/sim/prng.js';
import { type Flags, type Report, windowsOf } from '../report.js';
import { type Arena } from './arena.js';
import { arenasOf } from './arenas.js';
import { known, type MetricKey, METRICS, type Observations, observe, pooled, valuesOf } from './trial.js';
import { qualityPage, type Specimen, specimenOf } from './page.js';
import { AGGRESSIVE, HYBRID, PASSIVE, POLICIES } from './policy.js';
import { answer, type Answer, answerLine, policyLines, QUESTIONS, scoreOf, titleOf } from './question.js';

const BENCH = 'quality';
const WINDOWS = 200;
const QUICK_WINDOWS = 2;
/** Policies for which the page shows a sample order. */
const SHOWN_POLICIES = new Set([HYBRID, AGGRESSIVE, PASSIVE]);
const SUMMARY_DIGITS = 4;

/**
 * Compares the cost of orders between our strategies and published rules, pair by pair: the same orders in the same
 * windows of recorded and simulated markets. --windows N: simulated windows; --seed S; --html FILE: page with charts.
 */
export async function quality(
  report: Report,
  isQuick: boolean,
  dataDir: string | undefined,
  flags: Flags,
): Promise<void> {
  const { seed, htmlFile } = flags;
  const simulatedCount = windowsOf(flags, { isQuick, quick: QUICK_WINDOWS, whole: WINDOWS });
  const arenas = await arenasOf({ dataDir, windows: simulatedCount, seed, isQuick });
  if (dataDir === undefined) report.progress('no --data DIR: simulated markets only');
  const chance = new Random(`${seed}/bootstrap`);
  const uniform = (): number => chance.uniform();
  const specimens: Specimen[] = [];
  const all: Observations[] = [];
  for (const arena of arenas) {
    const observations = await observeArena(report, arena, specimens);
    all.push(observations);
    reportPolicies(report, observations, uniform);
  }
  const answers = [...all, ...pools(all)].flatMap((observations) => reportAnswers(report, observations, uniform));
  report.record({ bench: BENCH, seed, windows: simulatedCount, answers: answers.map(summaryOf) });
  if (htmlFile !== undefined) writeFileSync(htmlFile, qualityPage({ observations: all, answers, specimens }));
}

function observeArena(report: Report, arena: Arena, specimens: Specimen[]): Promise<Observations> {
  const onWindow = (window: number): void =>
    report.progress(`${arena.name}: window ${window + 1} of ${arena.windowCount}`);
  return observe(arena, POLICIES, onWindow, (policy, side, run) => {
    if (side === 'BUY' && SHOWN_POLICIES.has(policy)) specimens.push(specimenOf(arena.name, policy.name, run));
  });
}

/**
 * Pools arenas of one kind where there are several: spot and futures separately, because their fees differ, and
 * together.
 */
function pools(all: readonly Observations[]): Observations[] {
  return (['recorded', 'simulated'] as const).flatMap((kind) => {
    const parts = all.filter(({ arena }) => arena.kind === kind);
    const [spot, futures] = (['SPOT', 'FUTURE'] as const).map((category) => {
      return parts.filter(({ arena }) => arena.instrument.assetCategory === category);
    });
    const groups = [
      [`${kind} spot`, spot],
      [`${kind} futures`, futures],
      [`all ${kind}`, parts],
    ] as const;
    return groups.flatMap(([name, members]) =>
      members !== undefined && members.length > 1 ? [pooled(name, members)] : [],
    );
  });
}

function reportPolicies(report: Report, observations: Observations, uniform: () => number): void {
  const { name, task } = observations.arena;
  const count = observations.byPolicy.get(HYBRID)?.length ?? 0;
  report.text(`\n${name}: ${task}, ${count} windows, both sides`);
  for (const line of policyLines(observations, uniform)) report.text(line);
  for (const policy of observations.byPolicy.keys()) {
    for (const [key, { name: metric, unit }] of Object.entries(METRICS)) {
      const values = known(valuesOf(observations, policy, key as MetricKey));
      if (values.length === 0) continue;
      const { mean: value, low, high } = estimateMean(values, uniform);
      const about = { bench: BENCH, case: `${name}: ${policy.name}`, metric };
      report.detail({ ...about, value, unit, low, high, rounds: values.length });
    }
  }
}

function reportAnswers(report: Report, observations: Observations, uniform: () => number): Answer[] {
  report.text(`\n${observations.arena.name}: paired differences, bps [95 %]`);
  const answers = QUESTIONS.flatMap((question) => answer(question, observations, uniform) ?? []);
  for (const given of answers) {
    const { one, other, metric, difference } = given;
    const { mean: value, low, high, count: rounds } = difference;
    const about = { bench: BENCH, case: `${given.arena}: ${one.name} - ${other.name}` };
    report.text(answerLine(given));
    report.detail({ ...about, metric: `${METRICS[metric].name}_difference`, value, unit: 'bps', low, high, rounds });
  }
  for (const policy of [HYBRID, PASSIVE]) report.text(`  ${scoreOf(policy, answers)}`);
  return answers;
}

function summaryOf({ arena, difference, ...question }: Answer): object {
  const { mean, low, high, count } = difference;
  const interval = { mean: rounded(mean), low: rounded(low), high: rounded(high), windows: count };
  return { arena, question: titleOf(question), ...interval };
}

function rounded(value: number): number {
  return Number(value.toFixed(SUMMARY_DIGITS));
}
