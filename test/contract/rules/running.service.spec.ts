import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../system/eventually.js';
import { ROOT, ServiceRun, statusOf } from '../../system/service-run.js';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RESTING } from './orders.js';
import type { ApiKey } from './signature.js';
import { useService } from './service-under-rules.js';
import { StreamClient } from './stream-client.js';
import { Trader } from './trader.js';

const SHUTDOWN_MS_MAX = 10_000;
const MISCONFIGURED = 2;

const service = useService();
/** A second service, which is stopped and started again. */
const other = useService({ env: { SLUICE_CREATE_DEMO_KEY: 'true', SLUICE_MARKET_DATA_CAP: '0' } });

/** The content of the file whose path is logged. */
async function demoKey(): Promise<ApiKey> {
  const path = (): unknown => other.run.lines.find((line) => String(line['path']).endsWith('demo-key.json'))?.['path'];
  await other.run.until(() => path() !== undefined, 'it logs where the demo key is');
  expect(path()).toBe(join(other.dataDir, 'demo-key.json'));
  expect(statSync(String(path())).mode & 0o777).toBe(0o600);
  return JSON.parse(readFileSync(String(path()), 'utf8')) as ApiKey;
}

describe('Bad values stop the start with a message that names the variable and exit status 2', () => {
  // The other variables are refused by the same code (test/runtime/config.spec.ts).
  it.each([['SLUICE_PORT', '65536']])('refuses %s=%s', async (name, value) => {
    const run = new ServiceRun(join(service.folder, 'unused'), { env: { [name]: value } });
    expect(await run.ended).toEqual({ status: MISCONFIGURED, signal: null });
    expect(run.output).toContain(name);
  });
});

describe('SLUICE_HOST / SLUICE_PORT: listen address; port 0 picks a free one', () => {
  it('picks different free ports, and refuses to start on a port in use', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as { port: number };
    const run = new ServiceRun(join(service.folder, 'other'), { env: { SLUICE_PORT: String(port) } });
    expect((await run.ended).status).not.toBe(0);
    expect(service.port).toBeGreaterThan(0);
  });
});

describe('`GET /status/ready` answers 200 once recovery is over', () => {
  it('200', async () => expect(await statusOf(service.port, '/status/ready')).toBe(200));
});

describe('SLUICE_CREATE_DEMO_KEY: on an empty data directory, make account `demo` and one key, in demo-key.json where standard output is no terminal', () => {
  it('makes one key with permission trade when it is true', async () => {
    const key = await demoKey();
    const demo = new Trader(other.port, key);
    expect(other.run.output).not.toContain(key.api_secret);
    expect(await demo.create(RESTING)).toMatchObject({ status: 'PENDING_NEW' });
    const listed: unknown = JSON.parse(await other.sluice('keys', 'list', '--json'));
    expect(listed).toContainEqual(expect.objectContaining({ api_key: key.api_key, account: 'demo' }));
  });

  it('false: none', () => expect(service.run.output).not.toContain('SLUICE_API_SECRET'));
});

describe('SLUICE_MARKET_DATA_CAP: 0 = market data disabled', () => {
  it('answers 7002 "market data topics are not enabled"', async () => {
    const stream = await StreamClient.of(other.trader);
    for (const topic of ['ticker', 'ohlcv', 'open_interest']) {
      const request = { topic, exchange: 'BINANCE', symbol: 'BTC/USDT:USDT', method: 'subscribe' };
      expect(await stream.ask(request)).toEqual({ code: 7002, message: 'market data topics are not enabled' });
    }
    await stream.follow('order');
    stream.close();
  });

  it('is 20 by default', async () => {
    const stream = await StreamClient.of(service.trader);
    const symbols = ['BTC/USDT', 'ETH/USDT', 'SOL/USDT', 'XRP/USDT', 'DOGE/USDT'];
    const exchanges = ['BINANCE', 'OKX', 'KRAKEN', 'BYBIT'];
    for (const exchange of exchanges) for (const symbol of symbols) await stream.follow('ticker', { exchange, symbol });
    const request = { topic: 'ticker', exchange: 'WOO', symbol: 'BTC/USDT', method: 'subscribe' };
    expect(await stream.ask(request)).toMatchObject({ code: 7002 });
    stream.close();
  });
});

describe('SLUICE_DATA_DIR: LMDB environment, generated secrets', () => {
  it('refuses the start of a second service on one data directory', async () => {
    const second = new ServiceRun(service.dataDir);
    expect((await second.ended).status).not.toBe(0);
    expect(await statusOf(service.port, '/status/ready')).toBe(200);
  });
});

describe('`npx sluice keys …`', () => {
  it('creates a key while the service runs and prints api_key, api_secret, account and permissions', async () => {
    const key = await service.createKey('--account', 'printed', '--permissions', 'trade');
    expect(key).toEqual({
      api_key: expect.any(String) as string,
      api_secret: expect.any(String) as string,
      account: 'printed',
      permissions: ['read', 'trade'],
    });
    expect((await new Trader(service.port, key).get('/api/v2/trading/order/open')).status).toBe(200);
  });

  it('revokes a key with immediate effect', async () => {
    const trader = await service.client('revoked');
    expect((await trader.get('/api/v2/trading/order/open')).status).toBe(200);
    await service.sluice('keys', 'revoke', trader.key.api_key);
    const { status, body } = await trader.get('/api/v2/trading/order/open');
    expect([status, body.error_code]).toEqual([401, 'INVALID_API_KEY']);
  });
});

describe('`npx sluice order create/cancel/open/get …`: over the public API with `SLUICE_URL`, `SLUICE_API_KEY`, `SLUICE_API_SECRET`', () => {
  it('has the documented commands', async () => {
    const help = await service.sluice('order', '--help');
    for (const command of ['create', 'cancel', 'open', 'get']) expect(help).toContain(command);
    expect(await service.sluice('--help')).toContain('watch');
  });
});

describe('service: serves until SIGTERM / SIGINT: stops accepting, journals, closes sockets with 1001, exits 0 within 10 s', () => {
  it('ends after SIGTERM with status 0', async () => {
    const orderId = await other.trader.place(RESTING);
    const followed = await StreamClient.of(other.trader);
    await followed.follow('order');
    const idle = await StreamClient.of(other.trader);
    const startMs = Date.now();
    expect(await other.run.stop()).toEqual({ status: 0, signal: null });
    expect(Date.now() - startMs).toBeLessThan(SHUTDOWN_MS_MAX);
    // The end of the process may be seen before the last frames of its streams.
    const codes = await eventually(
      () => [followed.closeCode, idle.closeCode],
      (seen) => !seen.includes(null),
    );
    expect(codes).toEqual([1001, 1001]);
    expect(await statusOf(other.port, '/status/ping')).toBe(0);
    await other.start();
    expect((await other.trader.details(orderId)).leaves_quantity).toBe(0.01);
    // The data directory is not empty any more.
    expect(other.run.output).not.toContain('SLUICE_API_SECRET');
    other.run.signal('SIGINT');
    expect(await other.run.ended).toEqual({ status: 0, signal: null });
  });

  it('runs with `exec` in the npm scripts, so that a signal to `npm start` reaches it', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Readonly<Record<string, string>>;
    };
    for (const name of ['start', 'demo', 'bench']) expect(scripts[name]).toContain('exec node');
  });
});
