import { describe, expect, it } from 'vitest';
import { silenceBounds } from '../../src/runtime/silence-bounds.js';

describe('the bounds of silent threads', () => {
  it('are those of the documents by default', () => {
    expect(silenceBounds(20_000)).toEqual({
      shard: { warningMs: 5_000, maxMs: 15_000 },
      keeper: { warningMs: 20_000, maxMs: 60_000 },
      main: { warningMs: 5_000, maxMs: 30_000 },
      thread: { warningMs: 5_000, maxMs: 20_000 },
    });
  });

  it('change in proportion to SLUICE_HANG_S, and a thread at work is never reported', () => {
    expect(silenceBounds(60_000)).toEqual({
      shard: { warningMs: 15_000, maxMs: 45_000 },
      keeper: { warningMs: 60_000, maxMs: 180_000 },
      main: { warningMs: 15_000, maxMs: 90_000 },
      thread: { warningMs: 15_000, maxMs: 60_000 },
    });
    expect(silenceBounds(5_000)).toEqual({
      shard: { warningMs: 3_000, maxMs: 3_750 },
      keeper: { warningMs: 5_000, maxMs: 15_000 },
      main: { warningMs: 3_000, maxMs: 7_500 },
      thread: { warningMs: 3_000, maxMs: 5_000 },
    });
  });
});
