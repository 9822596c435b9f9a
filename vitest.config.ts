import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Ends a test that hangs. Waits inside a test end by themselves when nothing moves (test/system/eventually.ts). */
const HANG_MS = 900_000;

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
  'isolation',
  'journal',
  'keys',
  'loopback',
  'marketdata',
  'operate',
  'order',
  'pair',
  'pretrade',
  'risk',
  'runtime',
  'shard',
  'sim',
  'simulation',
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
  'bench/quick',
  'torture/torture',
  'fuzz/fuzz',
  'torture/live/live-torture',
  'torture/lost-writes',
  'journal/large-book',
  'journal/format/interrupted-upgrade',
  'system/live-market-changes',
  'system/live-changed-markets',
  'system/live-thread',
  'system/live-restore',
  'system/live-bybit',
  'system/live-okx',
  'system/live-binance',
  'system/live-refusals',
  'system/paper-binance',
  'system/live-rates',
  'system/wall-clock',
  'system/supervision',
  'journal/power-loss-after-kill',
  'system/backup-size',
  'system/power-loss',
  'system/restore',
  'system/cancel-on-disconnect',
  'system/shutdown',
  'system/watchdog',
  'system/demo',
  'system/upgrade',
  'system/start-up',
  'strategy/participation',
  'operate/alerts',
  'system/pairs',
  'storage/data-format',
  'system/quarantine',
  'operate/systemd',
  'contract/request-form',
  'cli/build',
  'cli/venue-keys-service',
  'venue/live/okx/orders',
  'system/control',
  'shard/sleeping-orders',
  'strategy/trials',
  'journal/format/upgrade',
  'contract/rules/life-cycle',
  'contract/rules/risk-limits',
  'venue/live/binance/orders',
  'operate/dockerfile',
  'journal/sync-point',
  'tca/recomputation',
  'cli/loopback',
  'sim/faults/trading-day',
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
    // Two cores. Four files at once keep them busy; more would make threads of a service wait for seconds.
    maxWorkers: 4,
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
