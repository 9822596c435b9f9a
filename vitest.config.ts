import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Ends a test that hangs. Waits inside a test end by themselves when nothing moves (test/system/eventually.ts). */
const HANG_MS = 600_000;

/** Tests that leave no state in modules: their files share one set of loaded modules, which halves their cost. */
const SHARING = [
  'api',
  'architecture',
  'backtest',
  'cli',
  'client',
  'console',
  'contract',
  'dependencies',
  'domain',
  'http',
  'intake',
  'journal',
  'keys',
  'marketdata',
  'operate',
  'order',
  'pair',
  'pretrade',
  'risk',
  'shard',
  'sim',
  'storage',
  'strategy',
  'stream',
  'system',
  'tca',
  'venue',
  'wire/codec',
];
const sharing = SHARING.map((folder) => `test/${folder}/**/*.spec.ts`);

/** The files that take longest, or wait longest for the bounds of the service. They start first. */
const LONG = [
  'torture/torture',
  'bench/quick',
  'fuzz/fuzz',
  'system/demo',
  'system/watchdog',
  'journal/large-book',
  'system/restore',
  'system/wall-clock',
  'system/power-loss',
  'system/shutdown',
  'system/supervision',
  'system/backup-size',
  'storage/data-format',
  'system/pairs',
  'system/control',
  'system/start-up',
  'system/quarantine',
  'operate/alerts',
  'operate/systemd',
  'strategy/trials',
  'strategy/participation',
  'contract/request-form',
  'contract/rules/life-cycle',
  'contract/rules/working',
  'contract/rules/error-codes',
  'contract/rules/running',
  'contract/rules/stream-requests',
  'contract/rules/venue-budget',
  'client/package',
  'tca/restart',
  'tca/recomputation',
  'storage/kept-commits',
  'sim/faults/trading-day',
  'system/venue-faults',
  'system/full-disk',
];

class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    const shared = usual.filter(({ project }) => project.name === 'sharing');
    const others = usual.filter(({ project }) => project.name !== 'sharing');
    return [...longFirst(others), ...longFirst(shared)];
  }
}

function longFirst(files: readonly TestSpecification[]): TestSpecification[] {
  const long = LONG.flatMap((name) => files.filter(({ moduleId }) => moduleId.endsWith(`/test/${name}.spec.ts`)));
  return [...long, ...files.filter((file) => !long.includes(file))];
}

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

export default defineConfig({
  test: {
    // Two cores, and tests that wait about half of the time. With four files at once the cores were idle for a fifth of it.
    maxWorkers: 6,
    env: temporaryFolder(),
    testTimeout: HANG_MS,
    hookTimeout: HANG_MS,
    // Concurrent tests wait for most of their time.
    maxConcurrency: 10,
    sequence: { sequencer: LongFilesFirst },
    expect: { poll: { timeout: 120_000, interval: 20 } },
    projects: [
      { extends: true, test: { name: 'sharing', include: sharing, isolate: false } },
      { extends: true, test: { name: 'isolated', include: ['test/**/*.spec.ts'], exclude: sharing } },
    ],
  },
});
