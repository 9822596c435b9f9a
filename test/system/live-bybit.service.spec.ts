import { describe, expect, it, onTestFinished } from 'vitest';
import { BybitLoopback } from '../loopback/bybit/bybit-loopback.js';
import { orderIdText } from '../loopback/bybit/exchange-ids.js';
import { formatUnits } from '../loopback/decimal.js';
import { openSite } from '../loopback/proxied-site.js';
import { eventually } from './eventually.js';
import { accepted, addKey } from './live-site.js';
import { newSite } from './site.js';
import { endSoon } from './sooner-end.js';

/* The service in its own process trades at a loopback Bybit under the host names of Bybit's test environment. */

const MOVE_EVERY_MS = 250;
const CATEGORIES = ['spot', 'linear'] as const;

/** A test environment of Bybit whose markets move, and the environment of a service that trades there. */
async function openTestnet() {
  const loopback = await BybitLoopback.start({ seed: 'system' });
  const port = (host: string): number => loopback.ports.get(host) ?? 0;
  const site = await openSite(
    new Map([
      ['api-testnet.bybit.com', port('api.bybit.com')],
      ['stream-testnet.bybit.com', port('stream.bybit.com')],
    ]),
  );
  const mover = setInterval(() => {
    for (const category of CATEGORIES) loopback[category].background.wander();
  }, MOVE_EVERY_MS);
  onTestFinished(async () => {
    clearInterval(mover);
    await site.close();
    await loopback.close();
  });
  const environment = {
    SLUICE_LIVE: 'BYBIT:testnet',
    SLUICE_LIVE_PROXY: site.proxy.url,
    NODE_EXTRA_CA_CERTS: site.certificateFile,
  };
  return { loopback, environment, refused: () => site.proxy.refused };
}

function byText(one: unknown, other: unknown): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}

const SPOT = { exchange: 'BYBIT', symbol: 'BTC/USDT', asset_category: 'SPOT' } as const;
const PERPETUAL = { exchange: 'BYBIT', symbol: 'BTC/USDT:USDT', asset_category: 'FUTURE' } as const;

describe('a service with SLUICE_LIVE=BYBIT:testnet', () => {
  it('fills orders of spot and of perpetuals as the ledger says, also after a SIGKILL in the middle', async () => {
    const testnet = await openTestnet();
    const { loopback } = testnet;
    const account = loopback.openAccount();
    const ways = { socket: 'trade order.create', rest: 'POST /v5/order/create' };
    // Both rules match any request: the log says which way was taken.
    for (const on of Object.values(ways)) loopback.faults.add({ on, fault: { kind: 'hold', ms: 1 } });
    const site = newSite();
    const key = await site.issueKey();
    const env = { ...testnet.environment, SLUICE_SHARDS: '2' };
    const run = site.start({ env });
    const client = site.client(await run.ready(), key);
    await addKey(site.dataDir, account, { exchange: 'BYBIT' });
    await run.line('the account is connected');

    const market = await accepted(client, { ...SPOT, side: 'BUY', strategy: 'MARKET', quantity: '0.01' });
    const short = await accepted(client, { ...PERPETUAL, side: 'SELL', strategy: 'MARKET', quantity: '0.02' });
    await eventually(
      () => client.byId({ orderIds: [market, short] }),
      (found) => found.length === 2 && found.every(({ status }) => status === 'FILLED'),
    );
    const params = { duration_seconds: '30', trading_style: 'AGGRESSIVE' } as const;
    const twap = await accepted(client, { ...PERPETUAL, side: 'BUY', strategy: 'TWAP', quantity: '0.05', params });
    await eventually(
      () => client.byId({ orderIds: [twap] }),
      ([order]) => (order?.filled_quantity ?? 0) > 0,
    );
    await run.kill();

    const next = site.start({ env });
    const survivor = site.client(await next.ready(), key);
    await next.line('the account is connected');
    await endSoon(survivor, [twap]);
    const ids = [market, short, twap];
    const orders = await eventually(
      () => survivor.byId({ orderIds: ids, includeTrades: true }),
      (found) => found.length === ids.length && found.every(({ status }) => status === 'FILLED'),
    );
    const fills = CATEGORIES.flatMap((category) => {
      const { ledger } = loopback[category].exchange;
      expect(ledger.repeatedClientIds(account.id)).toEqual([]);
      return ledger.fillsOf(account.id).map((fill) => ({ ...fill, orderId: orderIdText(category, fill.orderId) }));
    });
    for (const [id, quantity] of [
      [market, 0.01],
      [short, 0.02],
      [twap, 0.05],
    ] as const) {
      const order = orders.find(({ order_id: found }) => found === id)!;
      const seen = (order.trades ?? []).map((trade) => [
        trade.exchangeOrderId,
        trade.quantity,
        trade.price,
        trade.fee,
        trade.feeCurrency,
      ]);
      const real = fills
        .filter(({ clientId }) => clientId.startsWith(`${id}-`))
        .map((fill) => [
          fill.orderId,
          Number(formatUnits(fill.quantity)),
          Number(formatUnits(fill.price)),
          Number(formatUnits(fill.fee)),
          fill.feeAsset,
        ]);
      expect(seen.sort(byText)).toEqual(real.sort(byText));
      expect(order.filled_quantity).toBe(quantity);
    }
    // The fee of 0.1 % of spot is paid in what was bought.
    const balances = await survivor.balances('BYBIT');
    expect(balances.find(({ symbol }) => symbol === 'BTC')?.balance).toBe(10.00999);
    const positions = await survivor.positions('BYBIT');
    expect(positions.map(({ symbol, contracts }) => [symbol, contracts])).toEqual([['BTC/USDT:USDT', 0.03]]);
    expect(loopback.faults.applied.map(({ on }) => on)).toContain(ways.socket);
    expect(testnet.refused()).toEqual([]);
    for (const { output } of [run, next]) expect(output).not.toContain(account.keys[0]!.secret);
  });
});
