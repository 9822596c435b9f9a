import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, type TestContext } from 'vitest';
import { eventually } from './eventually.js';
import { accepted, addKey } from './live-site.js';
import { ROOT } from './service-run.js';
import { newSite } from './site.js';

/*
 * A service sends everything of an exchange to one address (SLUICE_LIVE_URL_...). The exchange is the program that
 * users start. Its signed REST is the judge: the test shares no memory with it.
 */

interface Printed {
  readonly url: string;
  readonly api_key: string;
  readonly api_secret: string;
}

const COMMAND_LINE = join(ROOT, 'dist/service/src/cli/main.js');
const BTC = { symbol: 'BTC/USDT', exchange: 'BINANCE' } as const;
const [SPOT, FUTURE] = [
  { ...BTC, asset_category: 'SPOT' },
  { ...BTC, asset_category: 'FUTURE' },
] as const;

/** Starts `sluice loopback binance --json` until the end of the test. Resolves with its only line. */
async function startLoopback(test: TestContext): Promise<Printed> {
  const program = spawn(process.execPath, [COMMAND_LINE, 'loopback', 'binance', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(program, 'exit');
  test.onTestFinished(async () => {
    // The command passes the signal on to the exchange.
    program.kill('SIGTERM');
    await ended;
  });
  for await (const line of createInterface({ input: program.stdout })) return JSON.parse(line) as Printed;
  throw new Error('the exchange has printed nothing');
}

/** Executed quantities of all orders of the account in one market, by the client id's order. */
async function executed(
  { url, api_key: key, api_secret: secret }: Printed,
  path: string,
): Promise<Map<string, number>> {
  const query = `symbol=BTCUSDT&timestamp=${Date.now()}`;
  const signature = createHmac('sha256', secret).update(query).digest('hex');
  const answer = await fetch(`${url}${path}?${query}&signature=${signature}`, { headers: { 'X-MBX-APIKEY': key } });
  const orders = (await answer.json()) as readonly { readonly clientOrderId: string; readonly executedQty: string }[];
  const sums = new Map<string, number>();
  for (const { clientOrderId, executedQty } of orders) {
    const parent = clientOrderId.split('-')[0] ?? '';
    sums.set(parent, (sums.get(parent) ?? 0) + Number(executedQty));
  }
  return sums;
}

describe('a service with SLUICE_LIVE_URL_BINANCE', () => {
  it('trades spot and futures at that address, without the proxy, as its signed REST tells', async (test) => {
    const exchange = await startLoopback(test);
    const site = newSite(test);
    const key = await site.issueKey();
    await addKey(site.dataDir, { keys: [{ key: exchange.api_key, secret: exchange.api_secret }] });
    const env = { SLUICE_LIVE: 'BINANCE:testnet', SLUICE_LIVE_URL_BINANCE: exchange.url, SLUICE_SHARDS: '1' };
    const run = site.start({ env: { ...env, HTTPS_PROXY: 'http://127.0.0.1:9' } });
    const client = site.client(await run.ready(), key);
    await run.line('the account is connected');
    const spot = await accepted(client, { ...SPOT, side: 'BUY', strategy: 'MARKET', quantity: '0.02' });
    const future = await accepted(client, { ...FUTURE, side: 'SELL', strategy: 'MARKET', quantity: '0.03' });
    await eventually(
      () => client.byId({ orderIds: [spot, future] }),
      (orders) => orders.length === 2 && orders.every(({ status }) => status === 'FILLED'),
    );
    expect(await executed(exchange, '/api/v3/allOrders')).toEqual(new Map([[String(spot), 0.02]]));
    expect(await executed(exchange, '/fapi/v1/allOrders')).toEqual(new Map([[String(future), 0.03]]));
    expect(run.lines).toContainEqual(
      expect.objectContaining({ origin: exchange.url, msg: 'an address replaces the hosts of the exchange' }),
    );
    expect(await run.stop()).toMatchObject({ status: 0 });
  });
});
