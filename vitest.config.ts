import { defineConfig } from 'vitest/config';

/** Ends a test that hangs. Waits inside a test end by themselves when nothing moves (test/system/eventually.ts). */
const HANG_MS = 600_000;

/** Tests that leave no state in modules: their files share one set of loaded modules, which halves their cost. */
const SHARING = [
  'analytics',
  'cli',
  'client',
  'console',
  'contract',
  'codec',
  'guardrails',
  'http',
  'model',
  'order',
  'pair',
  'preview',
  'replay',
  'route',
  'shard',
  'strategy',
  'stream',
  'tca',
  'venue',
];
const sharing = SHARING.map((folder) => `test/${folder}/**/*.spec.ts`);

export default defineConfig({
  test: {
    // Two cores, and tests that wait for a service most of the time. More files at once would starve their threads.
    maxWorkers: 3,
    testTimeout: HANG_MS,
    hookTimeout: HANG_MS,
    expect: { poll: { timeout: 120_000, interval: 20 } },
    projects: [
      { extends: true, test: { name: 'sharing', include: sharing, isolate: false } },
      { extends: true, test: { name: 'isolated', include: ['test/**/*.spec.ts'], exclude: sharing } },
    ],
  },
});
