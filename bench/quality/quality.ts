import { writeFileSync } from 'node:fs';
import { estimateMean, joined } from '../paired-difference.js';
import { Random } from '../../src/sim/prng.js';
import { type Flags, type Report, windowsOf } from '../report.js';
import { type Arena, nameOf, USUAL } from './arena.js';
import { arenasOf } from './arenas.js';
import { known, type MetricKey, METRICS, type Observations, observe, pooled, valuesOf } from './trial.js';
import { qualityPage, type Specimen, specimenOf } from './page.js';
import { AGGRESSIVE, COMPARED, HYBRID, PASSIVE, POLICIES } from './policy.js';
import {
  type Answer,
  answerLine,
  answersOf,
  grouped,
  policyLines,
  scoreOf,
  sideBySideLines,
  titleOf,
} from './question.js';

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
  const { seed, half, isGrid, instrumentsFile, htmlFile } = flags;
  const simulatedCount = windowsOf(flags, { isQuick, quick: QUICK_WINDOWS, whole: WINDOWS });
  const { arenas, unused } = await arenasOf({
    dataDir,
    windows: simulatedCount,
    seed,
    isQuick,
    half,
    isGrid,
    instrumentsFile,
  });
  for (const { recording, reason } of unused) console.error(`${recording} is not used: ${reason}`);
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
  for (const line of sideBySideLines(answers)) report.text(line);
  report.record({ bench: BENCH, seed, half, windows: simulatedCount, unused, answers: answers.map(summaryOf) });
  if (htmlFile !== undefined) writeFileSync(htmlFile, qualityPage({ observations: all, answers, specimens }));
}

function observeArena(report: Report, arena: Arena, specimens: Specimen[]): Promise<Observations> {
  const onWindow = (window: number): void =>
    report.progress(`${arena.name}: window ${window + 1} of ${arena.windowCount}`);
  return observe(arena, hasUsualTerms(arena) ? POLICIES : COMPARED, onWindow, (policy, side, run) => {
    if (side === 'BUY' && SHOWN_POLICIES.has(policy)) specimens.push(specimenOf(arena.name, policy.name, run));
  });
}

/** Other terms only need the policies that are compared. */
function hasUsualTerms({ condition }: Arena): boolean {
  if (condition === null) return true;
  const { latencyMs, queueModel, share } = condition;
  return latencyMs === USUAL.latencyMs && queueModel === USUAL.queueModel && share === USUAL.share;
}

/**
 * Pools arenas of one kind and condition where there are several: spot and futures separately, because their fees
 * differ, and together.
 */
function pools(all: readonly Observations[]): Observations[] {
  const kinds = grouped(
    all,
    ({ arena: { kind, condition } }) => `${kind} ${condition === null ? '' : nameOf(condition)}`,
  );
  return kinds.flatMap((parts) => {
    const { kind, half } = parts[0]!.arena;
    const [spot, futures] = (['SPOT', 'FUTURE'] as const).map((category) => {
      return parts.filter(({ arena }) => arena.instrument.assetCategory === category);
    });
    const ofHalf = half === null ? '' : `, ${half} half`;
    const groups = [
      [`${kind} spot${ofHalf}`, spot],
      [`${kind} futures${ofHalf}`, futures],
      [`all ${kind}${ofHalf}`, parts],
    ] as const;
    return groups.flatMap(([place, members]) =>
      members !== undefined && members.length > 1 ? [pooled(place, members)] : [],
    );
  });
}

function reportPolicies(report: Report, observations: Observations, uniform: () => number): void {
  report.text(`\n${titleOfArena(observations)}`);
  const { name } = observations.arena;
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
  report.text(`\n${titleOfArena(observations)}: paired differences, bps [95 %]`);
  const answers = answersOf(observations, uniform);
  for (const given of answers) {
    const { one, otherName, metric, difference } = given;
    const { mean: value, low, high, count: rounds } = difference;
    const about = { bench: BENCH, case: `${given.arena}: ${one.name} - ${otherName}` };
    report.text(answerLine(given));
    report.detail({ ...about, metric: `${METRICS[metric].name}_difference`, value, unit: 'bps', low, high, rounds });
  }
  for (const policy of [HYBRID, PASSIVE]) report.text(`  ${scoreOf(policy, answers)}`);
  return answers;
}

function titleOfArena({ arena: { name, task }, shares }: Observations): string {
  const clusters = new Set(joined(shares)).size;
  return `${name}: ${task}, ${shares.length} windows in ${clusters} clusters, both sides`;
}

function summaryOf({ arena, half, difference, holmP, ...question }: Answer): object {
  const { mean, low, high, p, count, clusters } = difference;
  const bounds = { mean: rounded(mean), low: rounded(low), high: rounded(high) };
  const interval = { ...bounds, windows: count, clusters, p: rounded(p), holm_p: rounded(holmP) };
  return { arena, half, question: titleOf(question), ...interval };
}

function rounded(value: number): number {
  return Number(value.toFixed(SUMMARY_DIGITS));
}
