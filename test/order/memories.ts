import { INITIAL_PACING, type PlainMemory } from '../../src/domain/strategy-memory.js';
import type { EpochMs } from '../../src/domain/time.js';

/** A strategy's memory that differs from others by its hold. */
export function memoryOf(heldUntilMs = 0): PlainMemory {
  return { kind: 'LIMIT', pacing: { ...INITIAL_PACING.pacing, heldUntilMs: heldUntilMs as EpochMs }, gates: null };
}
