import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closedLoop, type LoadResult, type LoadTarget, openLoop } from './http-load.js';
import { type BenchKey, signedCreates } from './orders.js';
import { type Figure, median, type Report } from './report.js';
import { startPeer, startService } from './service.js';

const BENCH = 'placement';
const CEILING = 'bare uWebSockets.js, HMAC and JSON';
const CREATED = 201;
const OPEN_LOOP_CONNECTIONS = 64;
const WARM_UP_CONNECTIONS = 64;
const PERCENTILES = [50, 90, 99, 99.9] as const;

interface Sizes {
  readonly rounds: number;
  readonly warmUpMs: number;
  readonly durationMs: number;
  readonly openLoopMs: number;
  readonly connections: readonly number[];
  /** Shares of the best throughput at which the open loops run. */
  readonly shares: readonly number[];
  /** Number of requests prepared for a round: more than the fastest server answers in it. */
  readonly requestsPerRound: number;
  readonly syncs: number;
}

const FULL: Sizes = {
  rounds: 5,
  warmUpMs: 3_000,
  durationMs: 2_000,
  openLoopMs: 3_000,
  connections: [1, 16, 64, 256],
  shares: [0.25, 0.5, 0.75],
  requestsPerRound: 120_000,
  syncs: 2_000,
};
const QUICK: Sizes = {
  rounds: 1,
  warmUpMs: 200,
  durationMs: 300,
  openLoopMs: 500,
  connections: [1, 16],
  shares: [0.5],
  requestsPerRound: 20_000,
  syncs: 200,
};

interface RoundParts {
  readonly servicePort: number;
  readonly ceilingPort: number;
  readonly key: BenchKey;
  readonly sizes: Sizes;
  readonly report: Report;
}

interface Side {
  readonly throughput: number[];
  readonly percentiles: Map<string, number[]>;
}

/**
 * Measures durable placements over real HTTP with real signatures. Each round measures the reference server and the
 * service one after the other, so that machine noise affects both. Figures are medians of the rounds.
 */
export async function placement(report: Report, isQuick: boolean): Promise<void> {
  const sizes = isQuick ? QUICK : FULL;
  const syncUs = measureSyncUs(sizes.syncs);
  const syncP50 = syncUs[syncUs.length >> 1] as number;
  report.add(figure('floor', 'p50', syncP50, 'us', sizes.rounds));
  let best = 0;
  for (const connections of sizes.connections) {
    const throughput = await inFreshService(sizes, report, (run) => run.closed(connections, syncP50));
    best = Math.max(best, throughput);
  }
  for (const share of sizes.shares) await inFreshService(sizes, report, (run) => run.open(share, best * share));
}

/**
 * Starts a service for one measurement. Placed orders stay open: a shared service would have a million of them at the
 * end.
 */
async function inFreshService<Result>(
  sizes: Sizes,
  report: Report,
  measure: (rounds: Rounds) => Promise<Result>,
): Promise<Result> {
  const service = await startService();
  const ceiling = await startPeer('bench/bare-server.js', [service.key.apiSecret]);
  try {
    const rounds = new Rounds({
      servicePort: service.port,
      ceilingPort: ceiling.port,
      key: service.key,
      sizes,
      report,
    });
    await rounds.warmUp();
    return await measure(rounds);
  } finally {
    await ceiling.stop();
    await service.stop();
  }
}

/** Measures the service and the reference server in turn and reports the medians. */
class Rounds {
  readonly #parts: RoundParts;
  #requestRound = 0;

  constructor(parts: RoundParts) {
    this.#parts = parts;
  }

  /** Lets both servers compile their hot code first, because a service runs for weeks and a round for seconds. */
  async warmUp(): Promise<void> {
    const { sizes, report, ceilingPort, servicePort } = this.#parts;
    for (const port of [ceilingPort, servicePort]) {
      report.progress('warming up');
      await closedLoop(this.#target(port), WARM_UP_CONNECTIONS, sizes.warmUpMs);
    }
  }

  /** Runs a closed loop and returns the service's median throughput. */
  async closed(connections: number, syncP50: number): Promise<number> {
    const { sizes, report } = this.#parts;
    const ours = newSide();
    const theirs = newSide();
    for (let round = 0; round < sizes.rounds; round += 1) {
      report.progress(`closed loop, ${connections} connections, round ${round + 1} of ${sizes.rounds}`);
      note(theirs, await closedLoop(this.#target(this.#parts.ceilingPort), connections, sizes.durationMs));
      note(ours, await closedLoop(this.#target(this.#parts.servicePort), connections, sizes.durationMs));
    }
    const name = `connections=${connections}`;
    const throughput = median(ours.throughput);
    const ceiling = median(theirs.throughput);
    report.add({
      ...figure(name, 'throughput', throughput, '1/s', sizes.rounds),
      reference: CEILING,
      reference_value: ceiling,
      ratio: throughput / ceiling,
    });
    for (const [metric, values] of ours.percentiles) {
      const value = median(values);
      const bare = median(theirs.percentiles.get(metric) ?? []);
      // One placement cannot be faster than the bare answer plus one disk sync.
      const floor = metric === 'p50' && connections === 1 ? bare + syncP50 : bare;
      report.add({
        ...figure(name, metric, value, 'us', sizes.rounds),
        reference: metric === 'p50' && connections === 1 ? `${CEILING}, + fdatasync` : CEILING,
        reference_value: floor,
        ratio: value / floor,
      });
    }
    return throughput;
  }

  /** Runs an open loop at a share of the service's maximum rate. */
  async open(share: number, ratePerS: number): Promise<void> {
    const { sizes, report } = this.#parts;
    const ours = newSide();
    for (let round = 0; round < sizes.rounds; round += 1) {
      report.progress(`open loop at ${Math.round(ratePerS)}/s, round ${round + 1} of ${sizes.rounds}`);
      const target = this.#target(this.#parts.servicePort, Math.ceil((ratePerS * sizes.openLoopMs) / 1000));
      note(ours, await openLoop(target, OPEN_LOOP_CONNECTIONS, ratePerS, sizes.openLoopMs));
    }
    const name = `open loop at ${share * 100} % of maximum`;
    report.add(figure(name, 'throughput', median(ours.throughput), '1/s', sizes.rounds));
    for (const [metric, values] of ours.percentiles) {
      report.add(figure(name, metric, median(values), 'us', sizes.rounds));
    }
  }

  #target(port: number, count: number = this.#parts.sizes.requestsPerRound): LoadTarget {
    this.#requestRound += 1;
    const requests = signedCreates(this.#parts.key, count, `bench-${this.#requestRound}`);
    return { port, requests, expectedStatus: CREATED };
  }
}

function newSide(): Side {
  return { throughput: [], percentiles: new Map() };
}

function note(side: Side, { throughput, latency, failures }: LoadResult): void {
  if (failures > 0) throw new Error(`${failures} placements were not answered with ${CREATED}`);
  side.throughput.push(throughput);
  for (const percentile of PERCENTILES) push(side, `p${percentile}`, latency.getValueAtPercentile(percentile));
  push(side, 'max', latency.maxValue);
}

function push(side: Side, metric: string, value: number): void {
  const values = side.percentiles.get(metric);
  if (values === undefined) side.percentiles.set(metric, [value]);
  else values.push(value);
}

function figure(name: string, metric: string, value: number, unit: string, rounds: number): Figure {
  return { bench: BENCH, case: name, metric, value, unit, rounds };
}

const FILE_BYTES = 4 * 1024 * 1024;
const ENTRY_BYTES = 400;

/** Measures the minimum latency of a durable write: one append with fdatasync to a preallocated file. In µs, sorted. */
export function measureSyncUs(count: number): number[] {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-floor-'));
  const file = openSync(join(folder, 'append'), 'w');
  const latencies: number[] = [];
  try {
    writeSync(file, Buffer.alloc(FILE_BYTES));
    fdatasyncSync(file);
    const entry = Buffer.alloc(ENTRY_BYTES, 1);
    for (let index = 0; index < count; index += 1) {
      const before = process.hrtime.bigint();
      writeSync(file, entry, 0, ENTRY_BYTES, (index * ENTRY_BYTES) % (FILE_BYTES - ENTRY_BYTES));
      fdatasyncSync(file);
      latencies.push(Number(process.hrtime.bigint() - before) / 1000);
    }
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true });
  }
  return latencies.sort((left, right) => left - right);
}
