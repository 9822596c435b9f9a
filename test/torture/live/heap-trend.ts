import { existsSync, readFileSync } from 'node:fs';

/**
 * Growth that no leak of one object for each cut explains: caches that are still filling, measured after collections.
 */
const GROWTH_BYTES_MAX = 12 * 1024 * 1024;
const GROWTH_RATIO_MAX = 1.25;

/** Heap of one thread after collections, in bytes: medians of the first and the last third of the run. */
export interface HeapTrend {
  readonly thread: number;
  readonly samples: number;
  readonly early: number;
  readonly late: number;
}

/** Reads the file of the heap probe. Leaves out threads with less than six samples. */
export function heapTrends(file: string): readonly HeapTrend[] {
  const byThread = new Map<number, number[]>();
  for (const line of existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []) {
    const [thread = 0, bytes = 0] = line.split(' ').map(Number);
    byThread.set(thread, [...(byThread.get(thread) ?? []), bytes]);
  }
  return [...byThread].flatMap(([thread, bytes]): readonly HeapTrend[] => {
    const third = Math.floor(bytes.length / 3);
    if (third < 2) return [];
    // The first third is the warm-up of caches: the trend is from the second third to the last.
    return [
      {
        thread,
        samples: bytes.length,
        early: median(bytes.slice(third, 2 * third)),
        late: median(bytes.slice(-third)),
      },
    ];
  });
}

/** True for a heap that grows. */
export function isGrowing({ early, late }: HeapTrend): boolean {
  return late > early * GROWTH_RATIO_MAX && late - early > GROWTH_BYTES_MAX;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
