import type { StateReader } from '../../src/journal/port.js';

/** Hands out one snapshot. `isComplete`: false while the snapshot misses an acknowledged turn. */
export function readerOf<Snapshot>(snapshot: Snapshot, isComplete = (): boolean => true): StateReader<Snapshot> {
  return {
    complete: () => (isComplete() ? snapshot : null),
    latest: () => snapshot,
    recent: () => snapshot,
    durableSeq: 0,
    renewed: () => snapshot,
    progress: () => ({ shownSeq: 0, durableSeq: 0 }),
  };
}
