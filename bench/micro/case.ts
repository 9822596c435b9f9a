import { getHeapStatistics } from 'node:v8';
import { assert } from '../../src/domain/rejection.js';

/** One operation on an order, small enough to run thousands of times. */
export interface MicroCase {
  readonly name: string;
  /** Operations of one `run`: enough for the clock to measure. */
  readonly operations: number;
  /** Returns any value, so that the compiler does not remove the operation. */
  readonly run: () => unknown;
  /** Called before each run, not measured. */
  readonly prepare?: () => void;
  /** Runs the operation once, for cases that also measure heap allocation. */
  readonly once?: () => unknown;
}

/** Cases that share resources. `close` is called after all measurements. */
export interface MicroGroup {
  readonly cases: readonly MicroCase[];
  readonly close: () => void | Promise<void>;
}

const REPEATS = 100;

/** Makes cases of operations that take about 1 µs, too short for one measurement. They need no `close`. */
export function repeated(operations: Readonly<Record<string, () => unknown>>): MicroGroup {
  const cases = Object.entries(operations).map(([name, operation]): MicroCase => {
    const run = (): unknown => {
      let latest: unknown;
      for (let count = 0; count < REPEATS; count += 1) latest = operation();
      return latest;
    };
    return { name, operations: REPEATS, run };
  });
  return { cases, close: () => undefined };
}

const CALLS_PER_BATCH = 100;

/** How long the heap is watched. */
export interface HeapSizes {
  readonly warmUpCalls: number;
  readonly batches: number;
  /** Results that are kept alive at once. */
  readonly kept: number;
  readonly rounds: number;
}

/** Bytes of one call of an operation. */
interface Allocation {
  /** All bytes allocated on the heap. */
  readonly allocated: number;
  /** Bytes still alive in the result. */
  readonly returned: number;
}

/**
 * Measures the heap bytes of one call after compilation, and the part that is in its result. The difference is garbage.
 * Needs `--expose-gc`.
 */
export function allocationOf(operation: () => unknown, sizes: HeapSizes): Allocation {
  for (let call = 0; call < sizes.warmUpCalls; call += 1) operation();
  return { allocated: allocatedBy(operation, sizes), returned: returnedBy(operation, sizes) };
}

/** Median of small batches, without those in which the collector ran. Subtracts the cost of the heap measurement. */
function allocatedBy(operation: () => unknown, { batches }: HeapSizes): number {
  const bytes = bytesOfBatch(operation, CALLS_PER_BATCH, batches) - bytesOfBatch(operation, 0, batches);
  return Math.max(0, bytes) / CALLS_PER_BATCH;
}

function bytesOfBatch(operation: () => unknown, calls: number, batches: number): number {
  const each: number[] = [];
  for (let batch = 0; batch < batches; batch += 1) {
    const before = heapUsed();
    for (let call = 0; call < calls; call += 1) operation();
    const bytes = heapUsed() - before;
    if (bytes >= 0) each.push(bytes);
  }
  return median(each);
}

/** Median of several rounds, because the collector may also free other memory in a round. */
function returnedBy(operation: () => unknown, { kept: count, rounds }: HeapSizes): number {
  const kept: unknown[] = Array.from({ length: count }, () => null);
  return median(Array.from({ length: rounds }, () => bytesKept(operation, kept))) / count;
}

function bytesKept(operation: () => unknown, kept: unknown[]): number {
  kept.fill(null);
  collect();
  const before = heapUsed();
  for (let index = 0; index < kept.length; index += 1) kept[index] = operation();
  collect();
  const bytes = heapUsed() - before;
  assert(kept.length > 0, 'all results are still alive');
  return bytes;
}

function median(values: number[]): number {
  values.sort((one, other) => one - other);
  return values[Math.floor(values.length / 2)] ?? 0;
}

function heapUsed(): number {
  return getHeapStatistics().used_heap_size;
}

function collect(): void {
  assert(globalThis.gc !== undefined, 'allocation is measured with --expose-gc');
  globalThis.gc();
}
