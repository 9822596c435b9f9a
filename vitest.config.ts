import { defineConfig } from 'vitest/config';

/** Ends a test that hangs. Waits inside a test end by themselves when nothing moves (test/system/eventually.ts). */
const HANG_MS = 600_000;

export default defineConfig({
  test: {
    include: ['test/**/*.spec.ts'],
    // Two cores: more files in parallel would starve each other's threads.
    maxWorkers: 2,
    testTimeout: HANG_MS,
    hookTimeout: HANG_MS,
    expect: { poll: { timeout: 120_000, interval: 20 } },
  },
});
