import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EpochMs } from '../../../src/domain/time.js';
import { SpacedTask } from '../../../src/venue/live/spaced-task.js';

const GAP_MS = 1_000;
const now = (): EpochMs => Date.now() as EpochMs;

let runs: number;
let task: SpacedTask;

beforeEach(() => {
  vi.useFakeTimers({ now: 50_000 });
  runs = 0;
  task = new SpacedTask(() => (runs += 1), GAP_MS, now);
});
afterEach(() => void vi.useRealTimers());

describe('a spaced task', () => {
  it('runs soon after the first request', () => {
    task.soon();
    expect(runs).toBe(0);
    vi.advanceTimersByTime(0);
    expect(runs).toBe(1);
  });

  it('runs once in a gap, and once more for the requests within it', () => {
    for (let ms = 0; ms < 10 * GAP_MS; ms += 50) {
      task.soon();
      vi.advanceTimersByTime(50);
    }
    // At the begin and after each gap.
    expect(runs).toBe(11);
    vi.advanceTimersByTime(10 * GAP_MS);
    expect(runs).toBe(11);
  });

  it('counts the gap from a run that began in another way', () => {
    task.began();
    task.soon();
    vi.advanceTimersByTime(GAP_MS - 1);
    expect(runs).toBe(0);
    vi.advanceTimersByTime(1);
    expect(runs).toBe(1);
  });

  it('does not wait longer than the gap when the clock steps back', () => {
    task.soon();
    vi.advanceTimersByTime(0);
    vi.setSystemTime(10_000);
    task.soon();
    vi.advanceTimersByTime(GAP_MS);
    expect(runs).toBe(2);
  });

  it('does not run after it was closed', () => {
    task.soon();
    task.close();
    task.soon();
    vi.advanceTimersByTime(10 * GAP_MS);
    expect(runs).toBe(0);
  });
});
