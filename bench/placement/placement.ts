import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Figure, median, type Report } from '../report.js';
import { startPeer, startService } from '../service.js';
import { collectionsIn, tracedCollections } from './collections.js';
import { Contest, type RoundSizes, type Sample, type Samples, type Side } from './contest.js';
import { costRatios, type Heading, latencyRatios, mediansOf, ratioFigure, referred } from './figures.js';
import { reportTail } from './tail.js';
import { reportThreads } from './thread-report.js';
import { NAMED_THREADS, threadTimesOf } from './thread-times.js';

const BENCH = 'placement';
const SERVICE = 'Sluice';
const BARE = { key: 'bare', name: 'bare uWebSockets.js, HMAC and JSON', script: 'bench/placement/bare-server.js' };
const RIVAL = { key: 'rival', name: 'uWebSockets.js and SQLite, group commit', script: 'bench/placement/rival.js' };
/** Share of the maximum at which all sides run, and at which the collections of the service are traced. */
const TAIL_SHARE = 0.5;

interface Sizes extends RoundSizes {
  readonly connections: readonly number[];
  /** Shares of the best throughput at which the open loops run. */
  readonly shares: readonly number[];
}

const FULL: Sizes = {
  rounds: 5,
  warmUpMs: 3_000,
  durationMs: 2_000,
  openLoopMs: 3_000,
  connections: [1, 16, 64, 256],
  shares: [0.25, TAIL_SHARE, 0.75],
  requestsPerRound: 120_000,
  syncs: 400,
};
const QUICK: Sizes = {
  rounds: 1,
  warmUpMs: 200,
  durationMs: 300,
  openLoopMs: 500,
  connections: [1, 16],
  shares: [TAIL_SHARE],
  requestsPerRound: 4_000,
  syncs: 200,
};

type Opponents = readonly (typeof BARE)[];

/**
 * Measures durable placements over real HTTP with real signatures, against a bare server and against the shortest
 * server that is durable too.
 */
export async function placement(report: Report, isQuick: boolean): Promise<void> {
  const sizes = isQuick ? QUICK : FULL;
  const opponents = await opponentsOf(report);
  const best = new Map<string, number>();
  for (const connections of sizes.connections) {
    await amongFresh(opponents, {}, async (sides) => {
      const contest = new Contest(sides, sizes, report);
      await contest.warmUp();
      const { samples, syncUs } = await contest.closed(connections);
      reportClosed(report, { opponents, samples, syncUs }, connections);
      for (const [name, all] of samples) {
        best.set(name, Math.max(best.get(name) ?? 0, median(all.map(({ throughput }) => throughput))));
      }
    });
  }
  for (const share of sizes.shares) {
    await openLoops({ report, sizes, opponents: share === TAIL_SHARE ? opponents : [], share, best });
  }
}

/** The servers to compare with. The rival is absent where the package of its database has no binary. */
async function opponentsOf(report: Report): Promise<Opponents> {
  try {
    await import('@photostructure/sqlite');
    return [BARE, RIVAL];
  } catch (error) {
    report.progress(`no rival: SQLite is not available for Node ${process.version} on this system: ${String(error)}`);
    return [BARE];
  }
}

/**
 * Starts a service and its opponents for one measurement. Placed orders stay open: a shared service would have a
 * million of them at the end.
 */
async function amongFresh(
  opponents: Opponents,
  env: Readonly<Record<string, string>>,
  measure: (sides: readonly Side[]) => Promise<void>,
): Promise<void> {
  const service = await startService({ NODE_OPTIONS: NAMED_THREADS, ...env });
  const sides: Side[] = [{ ...service, name: SERVICE }];
  try {
    for (const { name, script } of opponents) {
      const peer = await startPeer(script, [service.key.apiSecret]);
      sides.unshift({ ...peer, name, key: service.key });
    }
    await measure(sides);
  } finally {
    for (const side of sides) await side.stop();
  }
}

interface ClosedLoops {
  readonly opponents: Opponents;
  readonly samples: Samples;
  /** One disk sync, a round. */
  readonly syncUs: readonly number[];
}

function reportClosed(report: Report, { opponents, samples, syncUs }: ClosedLoops, connections: number): void {
  const rounds = syncUs.length;
  const heading: Heading = { bench: BENCH, case: `connections=${connections}`, rounds };
  const [ours, bare] = [samples.get(SERVICE)!, samples.get(BARE.name)!];
  for (const figure of costRatios(heading, { samples, name: SERVICE, others: opponents })) report.add(figure);
  const figures = referred(mediansOf(heading, ours), BARE.name, mediansOf(heading, bare));
  if (connections === 1) {
    report.add({ ...heading, case: 'floor', metric: 'p50', value: median(syncUs), unit: 'us' });
    // One placement cannot be faster than the bare answer plus one disk sync.
    const values = bare.map((sample, round) => sample.latency.get('p50')! + syncUs[round]!);
    const floor = { name: `${BARE.name}, + fdatasync`, values };
    const p50s = ours.map(({ latency }) => latency.get('p50')!);
    report.add(ratioFigure(heading, 'p50_over_floor', p50s, floor));
  }
  for (const figure of figures) report.add(figure);
  reportThreads(report, heading, ours);
}

/** A reached rate with the offered one. Where it is lower, the latencies show how long the requests queued. */
function offered(figure: Figure, ratePerS: number): Figure {
  return { ...figure, reference: 'offered rate', reference_value: ratePerS, ratio: figure.value / ratePerS };
}

interface OpenLoops {
  readonly report: Report;
  readonly sizes: Sizes;
  readonly opponents: Opponents;
  readonly share: number;
  /** Best throughput of each side. */
  readonly best: ReadonlyMap<string, number>;
}

/**
 * Runs each side at a share of its own maximum. Where there are opponents, the collections of the service are traced.
 */
async function openLoops({ report, sizes, opponents, share, best }: OpenLoops): Promise<void> {
  const isTail = opponents.length > 0;
  const folder = mkdtempSync(join(tmpdir(), 'sluice-collections-'));
  const env: Record<string, string> = isTail ? { NODE_OPTIONS: `${NAMED_THREADS} ${tracedCollections(folder)}` } : {};
  const heading: Heading = { bench: BENCH, case: `open loop at ${share * 100} % of maximum`, rounds: sizes.rounds };
  const rateOf = (name: string): number => (best.get(name) ?? 0) * share;
  let ours: readonly Sample[] = [];
  let names: ReadonlyMap<number, string> = new Map();
  try {
    await amongFresh(opponents, env, async (sides) => {
      const contest = new Contest(sides, sizes, report);
      await contest.warmUp();
      const samples = await contest.open(({ name }) => rateOf(name));
      ours = samples.get(SERVICE)!;
      names = new Map(threadTimesOf(sides.at(-1)!.pid).map(({ tid, name }) => [tid, name]));
      const compared = { samples, name: SERVICE, others: opponents };
      for (const figure of latencyRatios(heading, 'p99.9', compared)) report.add(figure);
      for (const figure of mediansOf(heading, ours)) {
        report.add(figure.metric === 'throughput' ? offered(figure, rateOf(SERVICE)) : figure);
      }
      for (const { key, name } of opponents) {
        const value = median(samples.get(name)!.map(({ throughput }) => throughput));
        report.add(offered({ ...heading, metric: `throughput_of_${key}`, value, unit: '1/s' }, rateOf(name)));
      }
    });
    if (isTail) reportTail(report, heading, { collections: collectionsIn(folder), samples: ours, names });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
