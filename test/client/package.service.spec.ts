import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newSite } from '../system/site.js';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');
/** The only package that the client loads. */
const LOADED = 'ws';

/** A program of a user. It fails to compile when a type is missing or `any`. */
const PROGRAM = `
import { SluiceClient, SluiceError, StreamClient, TERMINAL_STATUSES } from 'sluice/client';
import type { OrderDetails, OrderFrame, OrderRequest } from 'sluice/client';

const [url = '', apiKey = '', apiSecret = ''] = process.argv.slice(2);
const client = new SluiceClient({ url, apiKey, apiSecret });
const order: OrderRequest = {
  exchange: 'BINANCE', symbol: 'BTC/USDT', asset_category: 'SPOT', side: 'BUY', quantity: '0.05',
  strategy: 'LIMIT', limit_price: '1000', params: { post_only: true },
};
// @ts-expect-error: a side is BUY or SELL.
const wrong: OrderRequest['side'] = 'HOLD';
// @ts-expect-error: an answer cannot be changed.
const change = (details: OrderDetails): void => { details.status = 'FILLED'; };
void [wrong, change];

const stream = new StreamClient({ url, listenKey: () => client.listenKey() });
await stream.connect();
const ended = new Promise<OrderFrame>((resolve) => {
  void stream.subscribe({ topic: 'order', exchange: 'BINANCE' }, (frame) => {
    if (TERMINAL_STATUSES.includes(frame.order_status.status)) resolve(frame);
  });
});
const { order_id: id } = await client.create(order);
if (id === undefined) throw new Error('the order was rejected');
await client.cancel({ order_id: id });
const { order_status: status } = await ended;
const refusal: unknown = await client.pause({ order_id: 1 }).catch((error: unknown) => error);
console.log(JSON.stringify([Number(status.order_id) === id, status.status, refusal instanceof SluiceError && refusal.code]));
stream.close();
client.close();
`;

let folder: string;
let project: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-package-'));
  project = join(folder, 'project');
  mkdirSync(project);
  await run('npm', ['pack', '--pack-destination', folder], { cwd: ROOT });
  await install();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Installs the package without network. Packages that only the service loads are replaced by ones that throw. */
async function install(): Promise<void> {
  const { version, dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    version: string;
    dependencies: Record<string, string>;
  };
  const names = Object.keys(dependencies);
  expect(names).toContain(LOADED);
  const local = names.map((name) => [name, name === LOADED ? join(ROOT, 'node_modules', name) : stub(name)] as const);
  write('package.json', {
    type: 'module',
    dependencies: {
      ...Object.fromEntries(local.map(([name, path]) => [name, `file:${path}`])),
      sluice: `file:../sluice-${version}.tgz`,
    },
    overrides: Object.fromEntries(names.map((name) => [name, `$${name}`])),
  });
  const flags = ['--offline', '--ignore-scripts', '--install-links', '--no-audit', '--no-fund', '--no-package-lock'];
  await run('npm', ['install', ...flags], { cwd: project });
}

function stub(name: string): string {
  const path = join(folder, 'stubs', name);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'package.json'), JSON.stringify({ name, version: '0.0.0', main: 'index.js' }));
  writeFileSync(join(path, 'index.js'), `throw new Error('the client loads ${name}');`);
  return path;
}

function write(name: string, content: object): void {
  writeFileSync(join(project, name), JSON.stringify(content));
}

describe('the installed package', () => {
  it('has a client that imports no code of the service and no native package', () => {
    const client = readFileSync(join(project, 'node_modules/sluice/dist/client/index.js'), 'utf8');
    const imports = [...client.matchAll(/^(?:import|export)[^'"\n]* from "([^"]+)"|import\("([^"]+)"\)/gm)];
    const packages = imports
      .map(([, name = '', loaded = '']) => name + loaded)
      .filter((name) => !name.startsWith('node:'));
    expect(imports.length).toBeGreaterThan(2);
    expect(packages).toEqual([LOADED]);
  });

  it('type-checks and runs a program against a started service', async () => {
    writeFileSync(join(project, 'program.ts'), PROGRAM);
    write('tsconfig.json', {
      compilerOptions: {
        target: 'ES2022',
        module: 'NodeNext',
        strict: true,
        exactOptionalPropertyTypes: true,
        types: ['node'],
        typeRoots: [join(ROOT, 'node_modules/@types')],
      },
      files: ['program.ts'],
    });
    const site = newSite();
    const key = await site.issueKey();
    const [port] = await Promise.all([site.start().ready(), run(process.execPath, [COMPILER, '-p', project])]);
    const args = ['program.js', `http://127.0.0.1:${port}`, key.apiKey, key.apiSecret];
    const { stdout } = await run(process.execPath, args, { cwd: project, timeout: 120_000 });
    expect(JSON.parse(stdout)).toEqual([true, 'CANCELLED', 'INVALID_ORDER']);
  });
});
