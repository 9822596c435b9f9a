import { execFile, spawn } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SluiceClient } from '../../src/client/index.js';
import { CURL, mustRun, OPENSSL, PYTHON } from '../operate/packages.js';
import { Site, type Key } from '../system/site.js';
import { networkTo } from './cut-network.js';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');
/** The only package that the client loads. */
const LOADED = 'ws';
const INSTALLED_BYTES_MAX = 3_000_000;
/** Service seconds per real second. */
const SPEED = 5;
const WITH_PYTHON = mustRun('the Python example', PYTHON);
const WITH_CURL = mustRun('the curl example', CURL) && mustRun('the curl example', OPENSSL);
const PYTHON_EXAMPLES = WITH_PYTHON ? ['rest.py'] : [];
const CURL_EXAMPLES = WITH_CURL ? ['rest.sh'] : [];

/** A program of a user. It fails to compile when a type is missing or `any`. */
const PROGRAM = `
import { SluiceClient, SluiceError, StreamClient, TERMINAL_STATUSES } from 'sluice-client';
import type { OrderDetails, OrderFrame, OrderRequest, SluiceErrorCode } from 'sluice-client';

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
// @ts-expect-error: the switch lacks all codes but one.
const reaction = (code: SluiceErrorCode): string => { switch (code) { case 'INVALID_ORDER': return 'look'; } };
// @ts-expect-error: no such code.
const isOfCode = (error: SluiceError): boolean => error.code === 'INVALID_ODER';
void [wrong, change, reaction, isOfCode];

const stream = new StreamClient({ url, listenKey: () => client.listenKey() });
await stream.connect();
const ended = new Promise<OrderFrame>((resolve) => {
  void stream.subscribe({ topic: 'order', exchange: 'BINANCE' }, (frame) => {
    if (frame.order_status.client_order_id === 'typed' && TERMINAL_STATUSES.includes(frame.order_status.status)) resolve(frame);
  });
});
const { order_id: id } = await client.create({ ...order, client_order_id: 'typed' });
if (id === undefined) throw new Error('the order was rejected');
await client.cancel({ order_id: id });
const { order_status: status } = await ended;
const refusal: unknown = await client.pause({ order_id: 1 }).catch((error: unknown) => error);
console.log(JSON.stringify([Number(status.order_id) === id, status.status, refusal instanceof SluiceError && refusal.code]));
stream.close();
client.close();
`;

/** Total bytes of the files below a folder. */
function bytesIn(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

describe('the packed client', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-package-'));
  const project = join(folder, 'project');
  const installed = join(project, 'node_modules/sluice-client');
  const examples = join(project, 'examples');
  const site = new Site();
  let key: Key;
  let port: number;
  let client: SluiceClient;

  const write = (name: string, content: object): void => writeFileSync(join(project, name), JSON.stringify(content));

  beforeAll(async () => {
    mkdirSync(examples, { recursive: true });
    await run('npm', ['run', 'pack:client', '--', '--pack-destination', folder], { cwd: ROOT });
    await install();
    for (const name of readdirSync(join(installed, 'examples')))
      copyFileSync(join(installed, 'examples', name), join(examples, name));
    writeFileSync(join(project, 'program.ts'), PROGRAM);
    write('tsconfig.json', {
      compilerOptions: {
        target: 'ES2022',
        module: 'NodeNext',
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        allowJs: true,
        outDir: 'built',
        rootDir: '.',
        types: ['node'],
        typeRoots: [join(ROOT, 'node_modules/@types')],
      },
      files: [
        'program.ts',
        'examples/errors.mts',
        'examples/first-order.mjs',
        'examples/market-maker.mjs',
        'examples/place-and-follow.mjs',
      ],
    });
    key = await site.issueKey();
    const compiling = run(process.execPath, [COMPILER, '-p', project]).catch((error: { stdout: string }) => {
      throw new Error(error.stdout);
    });
    [port] = await Promise.all([site.start({ env: { SLUICE_SIM_SPEED: String(SPEED) } }).ready(), compiling]);
    client = site.client(port, key);
  });
  afterAll(async () => {
    await site.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Installs the package without network. Any package besides ws would have to be downloaded. */
  async function install(): Promise<void> {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    write('package.json', {
      type: 'module',
      dependencies: {
        [LOADED]: `file:${join(ROOT, 'node_modules', LOADED)}`,
        'sluice-client': `file:../sluice-client-${version}.tgz`,
      },
      overrides: { [LOADED]: `$${LOADED}` },
    });
    const flags = ['--offline', '--ignore-scripts', '--install-links', '--no-audit', '--no-fund', '--no-package-lock'];
    await run('npm', ['install', ...flags], { cwd: project });
  }

  const environment = (at = port) => ({
    ...process.env,
    SLUICE_URL: `http://127.0.0.1:${at}`,
    SLUICE_API_KEY: key.apiKey,
    SLUICE_API_SECRET: key.apiSecret,
  });

  /** Runs an example to its end. Returns what it prints. */
  async function outputOf(program: string, ...args: string[]): Promise<string> {
    const { stdout } = await run(program, args, { cwd: examples, timeout: 120_000, env: environment() });
    return stdout;
  }

  it('has one dependency and at most 3 MB', () => {
    const packages = readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'));
    expect(packages).toEqual(['sluice-client', LOADED]);
    expect(bytesIn(join(project, 'node_modules'))).toBeLessThan(INSTALLED_BYTES_MAX);
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<string, object>;
    const ofService = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<string, object>;
    expect(Object.keys(manifest['dependencies'] ?? {})).toEqual([LOADED]);
    expect(manifest['engines']).toEqual({ node: '>=20' });
    for (const name of ['version', 'license']) expect(manifest[name], name).toEqual(ofService[name]);
  });

  it('imports no code of the service and no native package', () => {
    const text = readFileSync(join(installed, 'index.js'), 'utf8');
    const imports = [...text.matchAll(/^(?:import|export)[^'"\n]* from "([^"]+)"|import\("([^"]+)"\)/gm)];
    const packages = imports
      .map(([, name = '', loaded = '']) => name + loaded)
      .filter((name) => !name.startsWith('node:'));
    expect(imports.length).toBeGreaterThan(2);
    expect(packages).toEqual([LOADED]);
  });

  it('describes the fields with their units, defaults and ranges', () => {
    const declarations = readFileSync(join(installed, 'wire.d.ts'), 'utf8');
    /** The comments before the members of a name. */
    const commentsOf = (name: string): readonly string[] =>
      [...declarations.matchAll(new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\\s*readonly ${name}\\??:`, 'g'))].map(
        ([, text = '']) => text.replaceAll(/\s*\n\s*\* ?/g, ' '),
      );
    expect(commentsOf('quantity')).toContainEqual(expect.stringMatching(/base units/i));
    expect(commentsOf('duration_seconds')).toContainEqual(expect.stringMatching(/2592000|2,592,000/));
    expect(commentsOf('hedge_slippage_bps')).toContainEqual(expect.stringContaining('Default: "50"'));
    expect(commentsOf('clip_size_type')).toContainEqual(expect.stringContaining('Default: "AUTOMATIC"'));
    expect(commentsOf('arrival_slippage_bps')).toContainEqual(expect.stringMatching(/basis points|bps/i));
    expect(commentsOf('seq')).toContainEqual(expect.stringContaining('without a gap'));
    expect(declarations).toMatch(
      /- `INSUFFICIENT_FUNDS`: The account cannot cover the order\.[^]*?\*\/\nexport type ApiErrorCode/,
    );
    const members = declarations.match(/^ *readonly \w+\??:/gm) ?? [];
    const described = declarations.match(/\*\/\n *readonly \w+\??:|readonly \w+\??: [A-Z]\w+( \| undefined)?;/g) ?? [];
    expect(described.length / members.length).toBeGreaterThan(0.9);
  });

  it('type-checks and runs a program', async () => {
    const args = ['built/program.js', `http://127.0.0.1:${port}`, key.apiKey, key.apiSecret];
    const { stdout } = await run(process.execPath, args, { cwd: project, timeout: 120_000 });
    expect(JSON.parse(stdout)).toEqual([true, 'CANCELLED', 'INVALID_ORDER']);
  });

  it('has an example of one order in six lines', async () => {
    expect(await outputOf(process.execPath, 'first-order.mjs')).toMatch(/^order \d+ is (PENDING_NEW|ACCEPTED)\n$/);
  });

  it('has an example that places and follows an order', async () => {
    const lines = (await outputOf(process.execPath, 'place-and-follow.mjs')).trim().split('\n');
    expect(lines).toContainEqual(expect.stringMatching(/^order \d+ is PENDING_NEW$/));
    expect(lines.at(-2)).toMatch(/^FILLED 100 % at \d/);
    expect(lines.at(-1)).toMatch(/^arrival slippage -?\d+(\.\d+)? bps$/);
  });

  it('has an example with a complete switch over the error codes', async () => {
    const { stdout } = await run(process.execPath, ['built/examples/errors.mjs'], { cwd: project, env: environment() });
    expect(stdout).toBe(
      'HTTP 404 INVALID_ORDER: correct the request\nREJECTED INVALID_QUANTITY: correct the request\n',
    );
  });

  it('has an example that starts and resumes a session', async () => {
    expect(await outputOf(process.execPath, 'session-auth.mjs')).toMatch(
      /^session of account trader\norder is (PENDING_NEW|ACCEPTED)\nresumed: true\ncancel answers PENDING_CANCEL\n$/,
    );
  });

  it.each(PYTHON_EXAMPLES)('has an example in Python: %s', async (name) => {
    const [end = '', refusal = ''] = (await outputOf(PYTHON, '-I', name)).split('\n');
    expect(end).toMatch(/^FILLED 0\.01 at \d+/);
    expect(refusal).toMatch(/^404 INVALID_ORDER - /);
  });

  it.each(CURL_EXAMPLES)('has an example with curl: %s', async (name) => {
    const answers = (await outputOf('/bin/sh', name)).trim().split('\n');
    const [created, found, cancelled] = answers.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(created).toMatchObject({ status: 'PENDING_NEW' });
    expect(found).toMatchObject({ orders: [{ order_id: created?.['order_id'], quantity: 0.01, limit_price: 50_000 }] });
    expect(cancelled).toMatchObject({ status: 'PENDING_CANCEL' });
  });

  it('has an example of a market maker that keeps its quotes over a lost connection', async () => {
    const network = await networkTo(port);
    const maker = spawn(process.execPath, ['market-maker.mjs'], { cwd: examples, env: environment(network.port) });
    let output = '';
    for (const stream of [maker.stdout, maker.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const ended = new Promise<number | null>((resolve) => maker.once('exit', resolve));
    const quotes = async (): Promise<readonly string[]> =>
      (await client.open()).flatMap(({ client_order_id: id = '' }) => (id.startsWith('quote-') ? [id] : []));
    await expect.poll(quotes, { message: output }).toHaveLength(2);
    const before = await quotes();

    network.cut();
    await expect.poll(() => output.split('stream UP').length, { message: output }).toBe(3);
    // The service would cancel the orders of a session that is not resumed within 2 s.
    const cutAtMs = performance.now();
    await expect.poll(() => performance.now() - cutAtMs).toBeGreaterThan(3_000);
    const after = await client.byId({ clientOrderIds: before });
    expect(
      after.map(({ status }) => status).filter((status) => /CANCEL/.test(status)),
      output,
    ).toEqual([]);

    maker.kill('SIGTERM');
    expect(await ended, output).toBe(0);
    expect(output).toMatch(/cancelled [012] quotes\n/);
    await expect.poll(quotes).toEqual([]);
  });
});

describe("the service's package", () => {
  it('still has the client as sluice/client', () => {
    const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      exports: Record<string, { types: string; default: string }>;
    };
    for (const path of Object.values(exports['./client'] ?? {})) {
      expect(statSync(join(ROOT, path)).size, path).toBeGreaterThan(0);
    }
  });
});
