import { spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { HEAP_FLAGS } from '../../src/domain/limits/process.js';
import { recordFormat } from '../../src/storage/data-format.js';
import { storeUnchecked } from '../keys/unchecked-key.js';
import { ROOT, statusOf } from './service-run.js';
import { restingOrder } from './sample-orders.js';
import { newSite, type Site } from './site.js';

describe('a value that cannot be used', () => {
  // readConfig refuses each of the others by its name (test/runtime/config.spec.ts).
  it.each([
    ['SLUICE_HOST', '256.0.0.1'],
    ['SLUICE_MASTER_KEY', 'short'],
    ['SLUICE_LIVE_TESTNET', 'BINANCE'],
  ])('%s=%j stops the start with status 2 and is named', async (name, value) => {
    const site = newSite();
    const run = site.start({ env: { [name]: value } });
    expect(await run.ended).toEqual({ status: 2, signal: null });
    expect(run.output).toMatch(new RegExp(`^sluice: .*${name}.*\n$`));
  });

  it('is named with its file and line in a fault script', async () => {
    const site = newSite();
    const script = `${site.dataDir}.faults`;
    writeFileSync(script, '# two rules\n{"fault": "lost"}\n{"fault": "fire"}\n');
    const run = site.start({ env: { SLUICE_SIM_FAULTS: script } });
    expect(await run.ended).toEqual({ status: 2, signal: null });
    expect(run.output).toContain(`SLUICE_SIM_FAULTS=${script}: line 3: fault="fire" is not one of reject, `);
  });

  it('stops the start with status 2 when the data directory is a file', async () => {
    const site = newSite();
    writeFileSync(site.dataDir, '');
    const run = site.start();
    expect(await run.ended).toEqual({ status: 2, signal: null });
    expect(run.output).toMatch(/^sluice: .*SLUICE_DATA_DIR/);
  });

  it('stops the start with status 2 when another master key sealed the secrets', async () => {
    const site = newSite();
    await site.issueKey();
    const run = site.start({ env: { SLUICE_MASTER_KEY: '00'.repeat(32) } });
    expect(await run.ended).toEqual({ status: 2, signal: null });
    expect(run.output).toContain('SLUICE_MASTER_KEY');
  });
});

// These wait for starts and ends of the service most of the time.
describe.concurrent('a resource of another process', () => {
  it('refuses the second service on a data directory in use, and the first service continues', async (test) => {
    const site = newSite(test);
    const key = await site.issueKey();
    const first = site.start();
    const port = await first.ready();
    const second = site.start();
    expect(await second.ended).toEqual({ status: 1, signal: null });
    expect(second.output).toContain(`is in use by the running process ${first.pid}`);
    expect(await site.client(port, key).create(restingOrder())).toMatchObject({ status: 'PENDING_NEW' });
  });

  it('is not the data directory of a killed service that is still a zombie', async (test) => {
    const site = newSite(test);
    const key = await site.issueKey();
    // The shell becomes a program that never waits for its children.
    const first = site.start({
      command: ['sh', '-c', `${process.execPath} ${join(ROOT, 'dist/service/src/main.js')} & exec sleep 600`],
    });
    const port = await first.ready();
    const { order_id: orderId } = await site.client(port, key).create(restingOrder());
    const [pid = ''] = readFileSync(`/proc/${first.pid}/task/${first.pid}/children`, 'utf8').split(' ');
    process.kill(Number(pid), 'SIGKILL');
    const again = site.start();
    const found = await site.client(await again.ready(), key).byId({ orderIds: [orderId as number] });
    expect(found).toHaveLength(1);
    expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z ');
  });

  it('refuses a service on a port in use', async (test) => {
    const [site, other] = [newSite(test), newSite(test)];
    const port = await other.start().listening();
    const run = site.start({ env: { SLUICE_PORT: String(port) } });
    expect(await run.ended).toEqual({ status: 1, signal: null });
    expect(run.output).toContain(`cannot listen on 127.0.0.1:${port}`);
  });
});

/** Level of a warning in the log. */
const WARN = 40;

const fileOf = (site: Site): string => join(site.dataDir, 'demo-key.json');

describe.concurrent('the demo key', () => {
  interface ApiKey {
    readonly api_key: string;
    readonly api_secret: string;
  }

  const env = { SLUICE_CREATE_DEMO_KEY: 'true' };

  it('is written once to a file for its owner, works, and is removed after its first use', async (test) => {
    const site = newSite(test);
    const first = site.start({ env });
    await first.ready();
    await first.until(() => existsSync(fileOf(site)), 'the file is there');
    const { api_key: apiKey, api_secret: apiSecret } = JSON.parse(readFileSync(fileOf(site), 'utf8')) as ApiKey;
    expect(statSync(fileOf(site)).mode & 0o777).toBe(0o600);
    await first.stop();
    expect(first.lines).toContainEqual(expect.objectContaining({ path: fileOf(site), level: WARN }));
    expect(first.output).not.toContain(apiSecret);

    const second = site.start({ env });
    const port = await second.ready();
    expect(second.lines).toContainEqual(expect.objectContaining({ path: fileOf(site), level: WARN }));
    const unproven = site.client(port, { apiKey, apiSecret: Buffer.alloc(32).toString('base64') });
    await expect(unproven.open()).rejects.toThrow();
    expect(existsSync(fileOf(site))).toBe(true);
    expect(await site.client(port, { apiKey, apiSecret }).create(restingOrder())).toMatchObject({
      status: 'PENDING_NEW',
    });
    await second.until(() => !existsSync(fileOf(site)), 'the file is removed');
    await second.stop();
    const third = site.start({ env });
    await third.ready();
    expect(existsSync(fileOf(site))).toBe(false);
  });

  it('is not made where there is a key already, also a weak one, of which the start warns', async (test) => {
    const site = newSite(test);
    const { apiKey } = await site.issueKey();
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    await storeUnchecked(site.dataDir, apiKey, publicKey.export({ format: 'pem', type: 'spki' }).toString());
    const run = site.start({ env });
    await run.ready();
    expect(existsSync(fileOf(site))).toBe(false);
    const command = `SLUICE_DATA_DIR=${site.dataDir} npx sluice keys create --account demo --permissions trade`;
    expect(run.lines).toContainEqual(expect.objectContaining({ command }));
    expect(run.lines).toContainEqual(expect.objectContaining({ key: apiKey, level: WARN }));
  });
});

describe.concurrent('/status/ready', () => {
  it('answers 503 until all threads have recovered, and 200 from then on', async (test) => {
    const site = newSite(test);
    const holdUp = await holdVenueStore(site, test);
    const run = site.start();
    const port = await run.listening();
    expect(await statusOf(port, '/status/ready')).toBe(503);
    expect(await statusOf(port, '/status/ping')).toBe(200);
    await run.until(() => run.lines.some(({ thread }) => thread === 'shard-0'), 'its shard is ready');
    expect(await statusOf(port, '/status/ready')).toBe(503);
    holdUp();
    expect(await run.ready()).toBe(port);
  });
});

/** Another process holds the writer lock of the venues' store, which the venue thread needs to start. */
async function holdVenueStore(site: Site, test: Pick<TestContext, 'onTestFinished'>): Promise<() => void> {
  const folder = join(site.dataDir, 'venue');
  mkdirSync(folder, { recursive: true });
  recordFormat(site.dataDir);
  const script = `
    import { open } from 'lmdb';
    const root = open({ path: ${JSON.stringify(folder)}, noSubdir: false });
    root.transactionSync(() => {
      process.stdout.write('held');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT });
  test.onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  return () => holder.kill('SIGKILL');
}

/** Compiles the scripts as a service does: the main program first, then, with its flags for the heap, the threads. */
const COMPILE = `
  const { readdirSync } = require('node:fs');
  const { setFlagsFromString } = require('node:v8');
  const [, service, ...flags] = process.argv;
  const { compile } = require(service + '/run-script.cjs');
  const isRefused = (script) => compile(service + script).cachedDataRejected !== false;
  const refused = ['/src/main.cjs'].filter(isRefused);
  for (const flag of flags) setFlagsFromString(flag);
  const threads = readdirSync(service + '/workers').filter((name) => name.endsWith('.cjs'));
  refused.push(...threads.map((name) => '/workers/' + name).filter(isRefused));
  console.log(JSON.stringify({ threads: threads.length, refused }));
`;

describe('the code caches of the build', () => {
  it('are accepted for the main program and for every thread, so that a start compiles nothing', () => {
    const args = ['-e', COMPILE, '--', join(ROOT, 'dist/service'), ...HEAP_FLAGS];
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    const { threads, refused } = JSON.parse(stdout) as { threads: number; refused: string[] };
    expect(threads).toBeGreaterThan(5);
    expect(refused).toEqual([]);
  });
});
