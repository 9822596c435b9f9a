import { getHeapStatistics } from 'node:v8';
import { assert } from '../src/model/assert.js';

const WARM_UP_CALLS = 20_000;
const CALLS_PER_BATCH = 100;
const BATCHES = 200;
const KEPT = 2_000;
const ROUNDS = 9;

/** Bytes of one call of an operation. */
export interface Allocation {
  /** All that it takes from the heap. */
  readonly allocated: number;
  /** What of it is alive in its result. */
  readonly returned: number;
}

/**
 * What one call takes from the heap, once it has been compiled, and how much of that is what it returns: the difference
 * is made for nothing. Needs `--expose-gc`.
 */
export function allocationOf(operation: () => unknown): Allocation {
  for (let call = 0; call < WARM_UP_CALLS; call += 1) operation();
  return { allocated: allocatedBy(operation), returned: returnedBy(operation) };
}

/** The median of small batches: one in which the collector has run tells nothing. What the look at the heap takes is taken off. */
function allocatedBy(operation: () => unknown): number {
  return Math.max(0, bytesOfBatch(operation, CALLS_PER_BATCH) - bytesOfBatch(operation, 0)) / CALLS_PER_BATCH;
}

function bytesOfBatch(operation: () => unknown, calls: number): number {
  const each: number[] = [];
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const before = heapUsed();
    for (let call = 0; call < calls; call += 1) operation();
    const bytes = heapUsed() - before;
    if (bytes >= 0) each.push(bytes);
  }
  return median(each);
}

/** The median of some rounds: what else the collector finds in one of them is not the operation's. */
function returnedBy(operation: () => unknown): number {
  const kept: unknown[] = Array.from({ length: KEPT }, () => null);
  return median(Array.from({ length: ROUNDS }, () => bytesKept(operation, kept))) / KEPT;
}

function bytesKept(operation: () => unknown, kept: unknown[]): number {
  kept.fill(null);
  collect();
  const before = heapUsed();
  for (let index = 0; index < KEPT; index += 1) kept[index] = operation();
  collect();
  const bytes = heapUsed() - before;
  assert(kept.length === KEPT, 'all of them are still alive');
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
