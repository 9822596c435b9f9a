import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** One violation for each rule. The test plants them in a copy of the tree, never in the project. */
const PLANTED: readonly { file: string; imports: string; rule: string }[] = [
  { file: 'src/domain/planted.ts', imports: '../order/target.js', rule: 'domain-reaches-only-its-layers' },
  { file: 'src/domain/planted.ts', imports: 'node:fs', rule: 'domain-uses-only-its-packages' },
  { file: 'src/storage/planted.ts', imports: '../journal/target.js', rule: 'storage-reaches-only-its-layers' },
  { file: 'src/storage/planted.ts', imports: 'ws', rule: 'storage-uses-only-its-packages' },
  { file: 'src/wire/planted.ts', imports: '../journal/target.js', rule: 'wire-reaches-only-its-layers' },
  { file: 'src/wire/planted.ts', imports: 'lmdb', rule: 'wire-uses-only-its-packages' },
  { file: 'src/order/planted.ts', imports: '../strategy/target.js', rule: 'order-reaches-only-its-layers' },
  { file: 'src/order/planted.ts', imports: 'big.js', rule: 'order-uses-only-its-packages' },
  { file: 'src/strategy/planted.ts', imports: '../order/target.js', rule: 'strategy-reaches-only-its-layers' },
  { file: 'src/strategy/planted.ts', imports: 'node:crypto', rule: 'strategy-uses-only-its-packages' },
  { file: 'src/tca/planted.ts', imports: '../http/target.js', rule: 'tca-reaches-only-its-layers' },
  { file: 'src/tca/planted.ts', imports: 'lmdb', rule: 'tca-uses-only-its-packages' },
  { file: 'src/pretrade/planted.ts', imports: '../journal/target.js', rule: 'pretrade-reaches-only-its-layers' },
  { file: 'src/pretrade/planted.ts', imports: 'pino', rule: 'pretrade-uses-only-its-packages' },
  { file: 'src/api/planted.ts', imports: '../http/target.js', rule: 'api-reaches-only-its-layers' },
  { file: 'src/api/order/planted.ts', imports: '../../intake/target.js', rule: 'api-reaches-only-its-layers' },
  { file: 'src/api/planted.ts', imports: 'ajv', rule: 'api-uses-only-its-packages' },
  { file: 'src/journal/planted.ts', imports: '../order/target.js', rule: 'journal-reaches-only-its-layers' },
  { file: 'src/journal/planted.ts', imports: '../keys/target.js', rule: 'journal-reaches-only-its-layers' },
  { file: 'src/journal/planted.ts', imports: 'ws', rule: 'journal-uses-only-its-packages' },
  { file: 'src/keys/planted.ts', imports: '../http/target.js', rule: 'keys-reaches-only-its-layers' },
  { file: 'src/keys/planted.ts', imports: '../journal/target.js', rule: 'keys-reaches-only-its-layers' },
  { file: 'src/keys/planted.ts', imports: 'ws', rule: 'keys-uses-only-its-packages' },
  { file: 'src/admin/planted.ts', imports: '../http/target.js', rule: 'admin-reaches-only-its-layers' },
  { file: 'src/admin/planted.ts', imports: 'ws', rule: 'admin-uses-only-its-packages' },
  { file: 'src/shard/planted.ts', imports: '../journal/target.js', rule: 'shard-reaches-only-its-layers' },
  { file: 'src/shard/planted.ts', imports: 'node:fs', rule: 'shard-uses-only-its-packages' },
  { file: 'src/venue/planted.ts', imports: '../shard/target.js', rule: 'venue-reaches-only-its-layers' },
  { file: 'src/venue/planted.ts', imports: 'node:worker_threads', rule: 'venue-uses-only-its-packages' },
  {
    file: 'src/venue/live/transport/planted.ts',
    imports: '../../../shard/target.js',
    rule: 'venue/live/transport-reaches-only-its-layers',
  },
  {
    file: 'src/venue/live/transport/planted.ts',
    imports: 'node:worker_threads',
    rule: 'venue/live/transport-uses-only-its-packages',
  },
  { file: 'src/marketdata/planted.ts', imports: '../shard/target.js', rule: 'marketdata-reaches-only-its-layers' },
  { file: 'src/marketdata/planted.ts', imports: 'lmdb', rule: 'marketdata-uses-only-its-packages' },
  { file: 'src/sim/planted.ts', imports: '../shard/target.js', rule: 'sim-reaches-only-its-layers' },
  { file: 'src/sim/planted.ts', imports: 'node:worker_threads', rule: 'sim-uses-only-its-packages' },
  { file: 'src/risk/planted.ts', imports: '../http/target.js', rule: 'risk-reaches-only-its-layers' },
  { file: 'src/risk/planted.ts', imports: 'uWebSockets.js', rule: 'risk-uses-only-its-packages' },
  { file: 'src/intake/planted.ts', imports: '../http/target.js', rule: 'intake-reaches-only-its-layers' },
  { file: 'src/intake/planted.ts', imports: 'uWebSockets.js', rule: 'intake-uses-only-its-packages' },
  { file: 'src/restore/planted.ts', imports: '../http/target.js', rule: 'restore-reaches-only-its-layers' },
  { file: 'src/restore/planted.ts', imports: 'lmdb', rule: 'restore-uses-only-its-packages' },
  { file: 'src/http/planted.ts', imports: '../journal/target.js', rule: 'http-reaches-only-its-layers' },
  { file: 'src/http/planted.ts', imports: 'lmdb', rule: 'http-uses-only-its-packages' },
  { file: 'src/stream/planted.ts', imports: '../journal/target.js', rule: 'stream-reaches-only-its-layers' },
  { file: 'src/stream/planted.ts', imports: 'node:fs', rule: 'stream-uses-only-its-packages' },
  { file: 'src/backtest/planted.ts', imports: '../http/target.js', rule: 'backtest-reaches-only-its-layers' },
  { file: 'src/backtest/planted.ts', imports: 'lmdb', rule: 'backtest-uses-only-its-packages' },
  {
    file: 'src/cli/operator/planted.ts',
    imports: '../../http/target.js',
    rule: 'cli/operator-reaches-only-its-layers',
  },
  { file: 'src/cli/operator/planted.ts', imports: 'ws', rule: 'cli/operator-uses-only-its-packages' },
  { file: 'src/client/planted.ts', imports: '../domain/target.js', rule: 'client-reaches-only-its-layers' },
  { file: 'src/client/planted.ts', imports: 'lmdb', rule: 'client-uses-only-its-packages' },
  { file: 'src/cli/planted.ts', imports: '../domain/target.js', rule: 'cli-reaches-only-its-layers' },
  { file: 'src/cli/planted.ts', imports: 'lmdb', rule: 'cli-uses-only-its-packages' },
  { file: 'src/cli/main.ts', imports: '../http/target.js', rule: 'cli/main-reaches-only-its-layers' },
  { file: 'src/cli/main.ts', imports: 'ws', rule: 'cli/main-uses-only-its-packages' },
  { file: 'src/console/planted.ts', imports: '../intake/target.js', rule: 'console-reaches-only-its-layers' },
  { file: 'src/console/planted.ts', imports: 'node:fs', rule: 'console-uses-only-its-packages' },
  { file: 'src/intake/planted.ts', imports: '../stream/target.js', rule: 'intake-reaches-only-its-layers' },
  { file: 'src/risk/planted.ts', imports: '../stream/target.js', rule: 'risk-reaches-only-its-layers' },
  { file: 'src/risk/planted.ts', imports: '../intake/target.js', rule: 'risk-reaches-only-its-layers' },
  { file: 'src/http/planted.ts', imports: '../risk/target.js', rule: 'http-reaches-only-its-layers' },
  { file: 'src/http/planted.ts', imports: '../runtime/target.js', rule: 'http-reaches-only-its-layers' },
  { file: 'src/http/planted.ts', imports: '../client/target.js', rule: 'http-reaches-only-its-layers' },
  {
    file: 'src/http/docs-page/planted.ts',
    imports: '../../intake/target.js',
    rule: 'http/docs-page-reaches-only-its-layers',
  },
  { file: 'src/http/docs-page/planted.ts', imports: 'node:fs', rule: 'http/docs-page-uses-only-its-packages' },
  { file: 'src/http/planted.ts', imports: '../sim/target.js', rule: 'http-reaches-only-its-layers' },
  { file: 'src/stream/planted.ts', imports: 'lmdb', rule: 'stream-uses-only-its-packages' },
  { file: 'src/client/planted.ts', imports: '../api/target.js', rule: 'client-takes-only-types-from-the-api' },
  { file: 'workers/planted.ts', imports: 'uWebSockets.js', rule: 'sockets-only-in-http-and-stream' },
  {
    file: 'src/runtime/planted.ts',
    imports: '../sim/target.js',
    rule: 'only-the-venue-worker-and-backtests-simulate',
  },
  { file: 'src/intake/planted.ts', imports: '../runtime/target.js', rule: 'nothing-runs-back-into-the-composition' },
  { file: 'src/intake/planted.ts', imports: '../main.js', rule: 'entries-and-workers-are-imported-by-no-file' },
  { file: 'src/domain/planted.ts', imports: './gone.js', rule: 'no-unresolvable' },
  { file: 'src/shard/planted.ts', imports: 'fast-check', rule: 'no-dev-packages-in-the-service' },
];

const FOLDERS = [
  'api',
  'client',
  'domain',
  'http',
  'intake',
  'journal',
  'keys',
  'order',
  'risk',
  'runtime',
  'shard',
  'sim',
  'strategy',
  'stream',
];

const workbench = mkdtempSync(join(tmpdir(), 'sluice-layers-'));
afterAll(() => rmSync(workbench, { recursive: true }));

function plant(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(workbench, 'tree-'));
  for (const name of ['.dependency-cruiser.cjs', 'tsconfig.json', 'package.json']) {
    cpSync(join(ROOT, name), join(root, name));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  const targets = Object.fromEntries(
    FOLDERS.map((folder) => [`src/${folder}/target.ts`, 'export const target = 1;\n']),
  );
  const all = { ...targets, 'src/main.ts': 'export const main = 1;\n', 'workers/target.ts': 'export {};\n', ...files };
  for (const [file, text] of Object.entries(all)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return root;
}

interface Report {
  readonly summary: {
    readonly violations: readonly { readonly from: string; readonly rule: { readonly name: string } }[];
    readonly totalCruised: number;
  };
}

function cruise(root: string, ...folders: string[]): Report {
  const binary = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const args = [binary, '--config', '.dependency-cruiser.cjs', '--output-type', 'json', ...folders];
  try {
    return JSON.parse(
      execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 }),
    ) as Report;
  } catch (error) {
    return JSON.parse((error as { stdout: string }).stdout) as Report;
  }
}

describe('import rules', () => {
  it('reports the planted violation of each rule', () => {
    // All violations share one tree, so every planted file has its own name. An entry has one fixed name.
    const planted = PLANTED.map((plan, index) => ({ ...plan, file: plan.file.replace('planted', `planted${index}`) }));
    const circle = {
      'src/domain/circle-a.ts': `import { b } from './circle-b.js';\nexport const a = (): unknown => b;\n`,
      'src/domain/circle-b.ts': `import { a } from './circle-a.js';\nexport const b = (): unknown => a;\n`,
    };
    const circleByTypes = {
      'src/domain/types-a.ts': `import type { B } from './types-b.js';\nexport type A = B | null;\n`,
      'src/domain/types-b.ts': `import type { A } from './types-a.js';\nexport interface B {\n  readonly a: A;\n}\n`,
    };
    const texts: Record<string, string> = { ...circle, ...circleByTypes };
    for (const [index, { file, imports }] of planted.entries()) {
      texts[file] = `${texts[file] ?? ''}import * as it${index} from '${imports}';\nexport { it${index} };\n`;
    }
    const root = plant(texts);
    const { violations } = cruise(root, 'src', 'workers').summary;
    const found = new Set(violations.map(({ from, rule }) => `${from}: ${rule.name}`));
    for (const { file, rule } of planted) expect(found, `${file} breaks ${rule}`).toContain(`${file}: ${rule}`);
    expect([...found].some((line) => line.endsWith('no-circles'))).toBe(true);
    expect(found).toContain('src/domain/types-a.ts: no-circles-by-types');
    expect(found).not.toContain('src/domain/types-a.ts: no-circles');
  });

  it('covers every rule of the configuration', async () => {
    const config = (await import(join(ROOT, '.dependency-cruiser.cjs'))) as {
      default: { forbidden: readonly { name: string }[] };
    };
    const rules = config.default.forbidden.map(({ name }) => name);
    expect(new Set([...PLANTED.map(({ rule }) => rule), 'no-circles', 'no-circles-by-types'])).toEqual(new Set(rules));
  });

  it('reads more than 50 files of the project', () => {
    expect(cruise(ROOT, 'src/order', 'src/strategy').summary.totalCruised).toBeGreaterThan(50);
  });
});
