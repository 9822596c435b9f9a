import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { availableParallelism, freemem } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { generateCodeIfNeeded } from './src/cli/generate-messages.js';

/** Ends a test that hangs. Waits inside a test end by themselves when nothing moves (test/system/eventually.ts). */
const HANG_MS = 900_000;

/** The folders whose tests leave state in modules or timers. The files of the others share one set of loaded modules. */
const ISOLATED = ['bench', 'fuzz', 'torture', 'venue/live/transport', 'wire'];

/**
 * Unit tests that wait for time-outs, against a peer on sockets of the same process. Each has a process of its own, with a
 * clock that runs as fast as the event loop turns. A test that uses LMDB or other threads cannot be one of them.
 */
const ON_FAST_CLOCK = [
  'test/loopback/{faults,order-sockets}.spec.ts',
  'test/stream/session-disconnect.contract.spec.ts',
  'test/venue/live/{binance,bybit,okx}/{account,market-data,orders}.spec.ts',
  'test/venue/live/binance/{live-market,outage,wiped-exchange}.spec.ts',
  'test/venue/live/transport/api-socket.spec.ts',
  'test/venue/live/live-gateway.spec.ts',
  'test/venue/live/stepped-clock.spec.ts',
];

/** Endings of the files that only one tier runs. All other spec files are tier 1. */
const OF_OTHER_TIERS = ['service', 'long'];

/** Free memory that the data directories of the tests may use. Each new one has 160 MB of preallocated files. */
const MEMORY_BYTES_MIN = 6e9;

/** Data directories of the tests are in memory where there is plenty: each start of a service syncs 160 MB. */
function temporaryFolder(): Record<string, string> {
  const folder = '/dev/shm';
  if (process.env['TMPDIR'] !== undefined || !existsSync(folder)) return {};
  // Some tests load a library from there.
  const mayRun = !/^\S+ \/dev\/shm \S+ \S*\bnoexec\b/m.test(readFileSync('/proc/mounts', 'utf8'));
  const { bavail, bsize } = statfsSync(folder);
  const isRoomy = bavail * bsize >= MEMORY_BYTES_MIN && freemem() >= MEMORY_BYTES_MIN;
  return mayRun && isRoomy ? { TMPDIR: folder } : {};
}

/** The files of a tier in two projects: those that share loaded modules, and those that do not. */
function tier(name: string, ending: string, exclude: readonly string[] = []): TestProjectInlineConfiguration[] {
  const isolated = ISOLATED.map((folder) => `test/${folder}/**/*${ending}`);
  const shared = [...isolated, ...exclude];
  return [
    { extends: true, test: { name, include: [`test/**/*${ending}`], exclude: shared, isolate: false } },
    { extends: true, test: { name: `${name}-isolated`, include: isolated, exclude: [...exclude] } },
  ];
}

await generateCodeIfNeeded();

export default defineConfig({
  test: {
    // One file for each core: a service has ten threads, and more files at once would make them wait for seconds.
    maxWorkers: availableParallelism(),
    env: temporaryFolder(),
    // Most objects of a test are dead soon. With a larger young generation the collector copies fewer of them.
    execArgv: ['--max-semi-space-size=64'],
    testTimeout: HANG_MS,
    hookTimeout: HANG_MS,
    // Concurrent tests wait for most of their time.
    maxConcurrency: 10,
    expect: { poll: { timeout: 120_000, interval: 20 } },
    projects: [
      ...tier('unit', '.spec.ts', [...OF_OTHER_TIERS.map((name) => `test/**/*.${name}.spec.ts`), ...ON_FAST_CLOCK]),
      { extends: true, test: { name: 'unit-clock', include: ON_FAST_CLOCK, setupFiles: ['test/fast-clock.ts'] } },
      ...OF_OTHER_TIERS.flatMap((name) => tier(name, `.${name}.spec.ts`)),
    ],
  },
});
