import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** Each rule is proven by a file that breaks it: planted in a copy of the rules, never in the project. */
const PLANTED: readonly { file: string; imports: string; rule: string }[] = [
  { file: 'src/model/planted.ts', imports: '../order/target.js', rule: 'model-reaches-only-its-layers' },
  { file: 'src/model/planted.ts', imports: 'node:fs', rule: 'model-uses-only-its-packages' },
  { file: 'src/contract/planted.ts', imports: '../http/target.js', rule: 'contract-reaches-only-its-layers' },
  { file: 'src/contract/planted.ts', imports: 'ajv', rule: 'contract-uses-only-its-packages' },
  { file: 'src/order/planted.ts', imports: '../strategy/target.js', rule: 'order-reaches-only-its-layers' },
  { file: 'src/order/planted.ts', imports: 'big.js', rule: 'order-uses-only-its-packages' },
  { file: 'src/strategy/planted.ts', imports: '../order/target.js', rule: 'strategy-reaches-only-its-layers' },
  { file: 'src/strategy/planted.ts', imports: 'node:crypto', rule: 'strategy-uses-only-its-packages' },
  { file: 'src/analytics/planted.ts', imports: '../journal/target.js', rule: 'analytics-reaches-only-its-layers' },
  { file: 'src/analytics/planted.ts', imports: 'pino', rule: 'analytics-uses-only-its-packages' },
  { file: 'src/lmdb/planted.ts', imports: '../model/target.js', rule: 'lmdb-reaches-only-its-layers' },
  { file: 'src/lmdb/planted.ts', imports: 'node:fs', rule: 'lmdb-uses-only-its-packages' },
  { file: 'src/venue/planted.ts', imports: '../shard/target.js', rule: 'venue-reaches-only-its-layers' },
  { file: 'src/venue/planted.ts', imports: 'node:worker_threads', rule: 'venue-uses-only-its-packages' },
  { file: 'src/wire/planted.ts', imports: '../journal/target.js', rule: 'wire-reaches-only-its-layers' },
  { file: 'src/wire/planted.ts', imports: 'lmdb', rule: 'wire-uses-only-its-packages' },
  { file: 'src/journal/planted.ts', imports: '../order/target.js', rule: 'journal-reaches-only-its-layers' },
  { file: 'src/journal/planted.ts', imports: 'ws', rule: 'journal-uses-only-its-packages' },
  { file: 'src/shard/planted.ts', imports: '../journal/target.js', rule: 'shard-reaches-only-its-layers' },
  { file: 'src/shard/planted.ts', imports: 'node:fs', rule: 'shard-uses-only-its-packages' },
  { file: 'src/route/planted.ts', imports: '../shard/target.js', rule: 'route-reaches-only-its-layers' },
  { file: 'src/route/planted.ts', imports: 'lmdb', rule: 'route-uses-only-its-packages' },
  { file: 'src/http/planted.ts', imports: '../shard/target.js', rule: 'http-reaches-only-its-layers' },
  { file: 'src/http/planted.ts', imports: 'lmdb', rule: 'http-uses-only-its-packages' },
  { file: 'src/stream/planted.ts', imports: '../http/target.js', rule: 'stream-reaches-only-its-layers' },
  { file: 'src/stream/planted.ts', imports: 'node:fs', rule: 'stream-uses-only-its-packages' },
  { file: 'src/tca/planted.ts', imports: '../http/target.js', rule: 'tca-reaches-only-its-layers' },
  { file: 'src/tca/planted.ts', imports: 'lmdb', rule: 'tca-uses-only-its-packages' },
  { file: 'src/replay/planted.ts', imports: '../http/target.js', rule: 'replay-reaches-only-its-layers' },
  { file: 'src/replay/planted.ts', imports: 'lmdb', rule: 'replay-uses-only-its-packages' },
  { file: 'src/operator/planted.ts', imports: '../http/target.js', rule: 'operator-reaches-only-its-layers' },
  { file: 'src/operator/planted.ts', imports: 'ws', rule: 'operator-uses-only-its-packages' },
  { file: 'src/client/planted.ts', imports: '../model/target.js', rule: 'client-reaches-only-its-layers' },
  { file: 'src/client/planted.ts', imports: 'lmdb', rule: 'client-uses-only-its-packages' },
  {
    file: 'src/client/planted.ts',
    imports: '../contract/target.js',
    rule: 'client-takes-only-types-from-the-contract',
  },
  { file: 'src/cli/planted.ts', imports: '../model/target.js', rule: 'cli-reaches-only-its-layers' },
  { file: 'src/cli/planted.ts', imports: 'lmdb', rule: 'cli-uses-only-its-packages' },
  { file: 'src/console/planted.ts', imports: '../route/target.js', rule: 'console-reaches-only-its-layers' },
  { file: 'src/console/planted.ts', imports: 'node:fs', rule: 'console-uses-only-its-packages' },
  { file: 'workers/planted.ts', imports: 'uWebSockets.js', rule: 'sockets-only-in-http-and-stream' },
  {
    file: 'src/route/planted.ts',
    imports: '../main.js',
    rule: 'root-files-and-workers-are-imported-by-nobody',
  },
  { file: 'src/model/planted.ts', imports: './gone.js', rule: 'no-unresolvable' },
  { file: 'src/shard/planted.ts', imports: 'fast-check', rule: 'no-dev-packages-in-the-service' },
];

const FOLDERS = ['contract', 'order', 'strategy', 'journal', 'shard', 'http', 'model', 'route'];

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

describe('layer rules', () => {
  it('each refuses the violation planted for it', () => {
    // One tree for all: every planted file gets a name of its own.
    const planted = PLANTED.map((plan, index) => ({ ...plan, file: plan.file.replace('planted', `planted${index}`) }));
    const circle = {
      'src/model/circle-a.ts': `import { b } from './circle-b.js';\nexport const a = (): unknown => b;\n`,
      'src/model/circle-b.ts': `import { a } from './circle-a.js';\nexport const b = (): unknown => a;\n`,
    };
    const root = plant({
      ...Object.fromEntries(
        planted.map(({ file, imports }) => [file, `import * as it from '${imports}';\nexport { it };\n`]),
      ),
      ...circle,
    });
    const { violations } = cruise(root, 'src', 'workers').summary;
    const found = new Set(violations.map(({ from, rule }) => `${from}: ${rule.name}`));
    for (const { file, rule } of planted) expect(found, `${file} breaks ${rule}`).toContain(`${file}: ${rule}`);
    expect([...found].some((line) => line.endsWith('no-circles'))).toBe(true);
  });

  it('covers every rule of the configuration', async () => {
    const config = (await import(join(ROOT, '.dependency-cruiser.cjs'))) as {
      default: { forbidden: readonly { name: string }[] };
    };
    const rules = config.default.forbidden.map(({ name }) => name);
    expect(new Set([...PLANTED.map(({ rule }) => rule), 'no-circles'])).toEqual(new Set(rules));
  });

  it('reads the project at all', () => {
    expect(cruise(ROOT, 'src', 'workers').summary.totalCruised).toBeGreaterThan(50);
  });
});
