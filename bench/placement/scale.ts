import { availableParallelism } from 'node:os';
import { median, type Report } from '../report.js';
import { startService } from '../service.js';
import { Contest, type RoundSizes, type Sample, type Side } from './contest.js';
import { costRatios, type Heading, meanThreads, mediansOf, referred } from './figures.js';
import { NAMED_THREADS, threadTable } from './thread-times.js';

const BENCH = 'scale';
const SHARDS = [1, 2, 4] as const;
const ONE_SHARD = nameOf(1);
const REPORTED: ReadonlySet<string> = new Set(['cpu_per_create', 'throughput', 'p50', 'p99']);

interface Sizes extends RoundSizes {
  readonly connections: readonly number[];
}

const FULL: Sizes = {
  rounds: 5,
  warmUpMs: 3_000,
  durationMs: 2_000,
  openLoopMs: 0,
  connections: [64, 256],
  requestsPerRound: 120_000,
  syncs: 1,
};
const QUICK: Sizes = {
  ...FULL,
  rounds: 1,
  warmUpMs: 200,
  durationMs: 300,
  connections: [64],
  requestsPerRound: 4_000,
};

/**
 * Measures durable placements with 1, 2 and 4 shards, in interleaved rounds, against one shard. A count above the cores
 * of the machine would measure the scheduler, and is left out.
 */
export async function scale(report: Report, isQuick: boolean): Promise<void> {
  const sizes = isQuick ? QUICK : FULL;
  const cores = availableParallelism();
  const counts = SHARDS.filter((count) => count <= cores);
  for (const count of SHARDS) {
    if (count > cores) report.text(`${nameOf(count)}: left out, this machine has ${cores} cores`);
  }
  for (const connections of sizes.connections) await compare(report, sizes, { counts, connections });
}

interface Comparison {
  readonly counts: readonly number[];
  readonly connections: number;
}

/** Placed orders stay open, so each number of connections gets fresh services. */
async function compare(report: Report, sizes: Sizes, { counts, connections }: Comparison): Promise<void> {
  const sides: Side[] = [];
  try {
    for (const count of counts) {
      const service = await startService({ NODE_OPTIONS: NAMED_THREADS, SLUICE_SHARDS: String(count) });
      sides.push({ ...service, name: nameOf(count) });
    }
    const contest = new Contest(sides, sizes, report);
    await contest.warmUp();
    const { samples } = await contest.closed(connections);
    const medians = (side: string): ReturnType<typeof mediansOf> => mediansOf(heading(side), samples.get(side)!);
    const heading = (side: string): Heading => {
      return { bench: BENCH, case: `${side}, connections=${connections}`, rounds: sizes.rounds };
    };
    for (const { name } of sides) {
      const others = name === ONE_SHARD ? [] : [{ key: 'one_shard', name: ONE_SHARD }];
      const figures = others.length === 0 ? medians(name) : referred(medians(name), ONE_SHARD, medians(ONE_SHARD));
      for (const figure of costRatios(heading(name), { samples, name, others })) report.add(figure);
      for (const figure of figures) if (REPORTED.has(figure.metric)) report.add(figure);
      report.add({ ...heading(name), metric: 'cpu', value: coresOf(samples.get(name)!), unit: 'core' });
      for (const line of threadTable(meanThreads(samples.get(name)!))) report.text(line);
    }
  } finally {
    for (const side of sides) await side.stop();
  }
}

/** Cores that a side used under load: its processor time over the time of the round. */
function coresOf(samples: readonly Sample[]): number {
  return median(samples.map(({ cpuUs, throughput }) => (cpuUs * throughput) / 1e6));
}

function nameOf(shards: number): string {
  return `shards=${shards}`;
}
