import { writeFileSync } from 'node:fs';
import { estimateMean } from '../src/analytics/paired-difference.js';
import { Random } from '../src/venue/prng.js';
import { windowsOf, type Flags } from './flags.js';
import { arenasOf } from './quality/arenas.js';
import type { Arena } from './quality/arena.js';
import { known, observe, pooled, valuesOf, type Observations } from './quality/observation.js';
import { qualityPage } from './quality/page.js';
import { AGGRESSIVE, HYBRID, PASSIVE, POLICIES } from './quality/policy.js';
import { answer, QUESTIONS, standingOf, titleOf, type Answer } from './quality/question.js';
import { specimenOf, type Specimen } from './quality/specimen.js';
import { answerLine, policyLines } from './quality/table.js';
import { METRICS, type MetricKey } from './quality/trial.js';
import type { Report } from './report.js';

const BENCH = 'quality';
const WINDOWS = 200;
const QUICK_WINDOWS = 2;
/** Policies of which the page shows an order. */
const SHOWN_POLICIES = new Set([HYBRID, AGGRESSIVE, PASSIVE]);
const SUMMARY_DIGITS = 4;

/**
 * What orders cost by our strategies and by published rules: the same orders in the same windows of recorded and
 * simulated markets, compared pair by pair. --windows N simulated ones, --seed S, --html FILE for pictures.
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
  if (dataDir === undefined) report.progress('no --data DIR: simulated markets alone');
  const chance = new Random(`${seed}/bootstrap`);
  const uniform = (): number => chance.uniform();
  const specimens: Specimen[] = [];
  const all: Observations[] = [];
  for (const arena of arenas) {
    const observations = await observeArena(report, arena, specimens);
    all.push(observations);
    tellPolicies(report, observations, uniform);
  }
  const answers = [...all, ...pools(all)].flatMap((observations) => tellAnswers(report, observations, uniform));
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

/** Arenas of a kind as one, where there are several: spot and futures apart, for their fees differ, and together. */
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

function tellPolicies(report: Report, observations: Observations, uniform: () => number): void {
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

function tellAnswers(report: Report, observations: Observations, uniform: () => number): Answer[] {
  report.text(`\n${observations.arena.name}: paired differences, bps [95 %]`);
  const answers = QUESTIONS.flatMap((question) => answer(question, observations, uniform) ?? []);
  for (const given of answers) {
    const { one, other, metric, difference } = given;
    const { mean: value, low, high, count: rounds } = difference;
    const about = { bench: BENCH, case: `${given.arena}: ${one.name} - ${other.name}` };
    report.text(answerLine(given));
    report.detail({ ...about, metric: `${METRICS[metric].name}_difference`, value, unit: 'bps', low, high, rounds });
  }
  for (const policy of [HYBRID, PASSIVE]) report.text(`  ${standingOf(policy, answers)}`);
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
