import { Bench } from 'tinybench';
import { allocationOf, type HeapSizes, type MicroCase, type MicroGroup } from './case.js';
import { throttleCases, venueCases } from './venue.js';
import { codecCases, ringCases } from './wire.js';
import { riskLimitCases } from './risk.js';
import { httpCases, orderCases } from './order.js';
import { previewCases } from './preview.js';
import { shardCases } from './shard.js';
import { strategyCases } from './strategy.js';
import type { Report } from '../report.js';

const BENCH = 'micro';

interface Sizes {
  /** Milliseconds that a case is measured for, and the least number of its runs. */
  readonly time: number;
  readonly iterations: number;
  readonly warmupTime: number;
  readonly warmupIterations: number;
  readonly heap: HeapSizes;
}

const FULL: Sizes = {
  time: 1_000,
  iterations: 64,
  warmupTime: 300,
  warmupIterations: 16,
  heap: { warmUpCalls: 20_000, batches: 200, kept: 2_000, rounds: 9 },
};
const QUICK: Sizes = {
  time: 5,
  iterations: 3,
  warmupTime: 1,
  warmupIterations: 1,
  heap: { warmUpCalls: 100, batches: 11, kept: 100, rounds: 3 },
};
const US_PER_MS = 1000;
const GROUPS: readonly (() => MicroGroup | Promise<MicroGroup>)[] = [
  ringCases,
  codecCases,
  httpCases,
  riskLimitCases,
  orderCases,
  strategyCases,
  previewCases,
  venueCases,
  throttleCases,
  shardCases,
];

/** Measures the steps of an order one by one, in µs, and the heap bytes of decisions. */
export async function micro(report: Report, isQuick: boolean): Promise<void> {
  for (const make of GROUPS) {
    const group = await make();
    try {
      for (const one of group.cases) await measure(report, one, isQuick ? QUICK : FULL);
    } finally {
      await group.close();
    }
  }
}

async function measure(report: Report, one: MicroCase, { heap, ...times }: Sizes): Promise<void> {
  report.progress(one.name);
  const bench = new Bench({ ...times, throws: true });
  const hooks = one.prepare === undefined ? {} : { beforeEach: one.prepare };
  const task = bench.add(one.name, one.run, { async: false, ...hooks }).getTask(one.name);
  await bench.run();
  const result = task?.result;
  if (result?.state !== 'completed') throw new Error(`${one.name} was not measured: ${result?.state ?? 'no task'}`);
  for (const metric of ['p50', 'p99'] as const) {
    const value = (result.latency[metric] * US_PER_MS) / one.operations;
    report.add({ bench: BENCH, case: one.name, metric, value, unit: 'us', rounds: 1 });
  }
  if (one.once !== undefined) measureHeap(report, one.name, one.once, heap);
}

function measureHeap(report: Report, name: string, once: () => unknown, sizes: HeapSizes): void {
  const { allocated, returned } = allocationOf(once, sizes);
  const figure = { bench: BENCH, case: name, metric: 'allocated', value: allocated, unit: 'B', rounds: 1 };
  report.add({ ...figure, reference: 'returned', reference_value: returned, ratio: allocated / returned });
}
