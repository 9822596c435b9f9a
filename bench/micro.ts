import { Bench } from 'tinybench';
import { allocationOf } from './allocation.js';
import type { MicroCase, MicroGroup } from './micro-case.js';
import { budgetCases } from './micro-budget.js';
import { codecCases } from './micro-codec.js';
import { guardrailCases } from './micro-guardrail.js';
import { httpCases } from './micro-http.js';
import { orderCases } from './micro-order.js';
import { previewCases } from './micro-preview.js';
import { ringCases } from './micro-ring.js';
import { shardCases } from './micro-shard.js';
import { strategyCases } from './micro-strategy.js';
import { venueCases } from './micro-venue.js';
import type { Report } from './report.js';

const BENCH = 'micro';
const FULL = { time: 1_000, warmupTime: 300 };
const QUICK = { time: 30, warmupTime: 10 };
const US_PER_MS = 1000;
const GROUPS: readonly (() => MicroGroup | Promise<MicroGroup>)[] = [
  ringCases,
  codecCases,
  httpCases,
  guardrailCases,
  orderCases,
  strategyCases,
  previewCases,
  venueCases,
  budgetCases,
  shardCases,
];

/** The steps of an order's way one by one, in microseconds each, and what decisions take from the heap. */
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

async function measure(report: Report, one: MicroCase, sizes: typeof FULL): Promise<void> {
  report.progress(one.name);
  const bench = new Bench({ ...sizes, throws: true });
  const hooks = one.prepare === undefined ? {} : { beforeEach: one.prepare };
  const task = bench.add(one.name, one.run, { async: false, ...hooks }).getTask(one.name);
  await bench.run();
  const result = task?.result;
  if (result?.state !== 'completed') throw new Error(`${one.name} was not measured: ${result?.state ?? 'no task'}`);
  for (const metric of ['p50', 'p99'] as const) {
    const value = (result.latency[metric] * US_PER_MS) / one.operations;
    report.add({ bench: BENCH, case: one.name, metric, value, unit: 'us', rounds: 1 });
  }
  if (one.once !== undefined) measureHeap(report, one.name, one.once);
}

function measureHeap(report: Report, name: string, once: () => unknown): void {
  const { allocated, returned } = allocationOf(once);
  const figure = { bench: BENCH, case: name, metric: 'allocated', value: allocated, unit: 'B', rounds: 1 };
  report.add({ ...figure, reference: 'returned', reference_value: returned, ratio: allocated / returned });
}
