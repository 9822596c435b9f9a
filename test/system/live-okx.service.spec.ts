import { describe, expect, it } from 'vitest';
import { formatUnits } from '../loopback/decimal.js';
import { wireOrderId } from '../loopback/okx/trading-account.js';
import { eventually } from './eventually.js';
import { accepted, addKey, openDemo } from './live-site.js';
import { newSite } from './site.js';
import { endSoon } from './sooner-end.js';

/* The service in its own process trades at a loopback OKX under the host names of its demo trading. */

function byText(one: unknown, other: unknown): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}

const SPOT = { exchange: 'OKX', symbol: 'BTC/USDT', asset_category: 'SPOT' } as const;
const SWAP = { exchange: 'OKX', symbol: 'BTC/USDT:USDT', asset_category: 'FUTURE' } as const;

describe('a service with SLUICE_LIVE=OKX:testnet', () => {
  it('fills orders of spot and of perpetuals as the ledger says, also after a SIGKILL in the middle', async () => {
    const demo = await openDemo();
    const account = demo.loopback.openAccount();
    const { spot, swap } = demo.loopback.trading;
    const site = newSite();
    const key = await site.issueKey();
    const env = { ...demo.environment, SLUICE_SHARDS: '2' };
    const run = site.start({ env });
    const client = site.client(await run.ready(), key);
    await addKey(site.dataDir, account, { exchange: 'OKX' });
    await run.line('the account is connected');

    const market = await accepted(client, { ...SPOT, side: 'BUY', strategy: 'MARKET', quantity: '0.01' });
    const short = await accepted(client, { ...SWAP, side: 'SELL', strategy: 'MARKET', quantity: '0.02' });
    await eventually(
      () => client.byId({ orderIds: [market, short] }),
      (found) => found.length === 2 && found.every(({ status }) => status === 'FILLED'),
    );
    const params = { duration_seconds: '30', trading_style: 'AGGRESSIVE' } as const;
    const twap = await accepted(client, { ...SWAP, side: 'BUY', strategy: 'TWAP', quantity: '0.05', params });
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
    const fillsOf = [...spot.ledger.fillsOf(account.id), ...swap.ledger.fillsOf(account.id)];
    for (const { ledger } of [spot, swap]) expect(ledger.repeatedClientIds(account.id)).toEqual([]);
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
      const real = fillsOf
        .filter(({ clientId }) => clientId.startsWith(`${id}x`))
        .map((fill) => [
          wireOrderId(fill.orderId),
          Number(formatUnits(fill.quantity)),
          Number(formatUnits(fill.price)),
          Number(formatUnits(fill.fee)),
          fill.feeAsset,
        ]);
      expect(seen.sort(byText)).toEqual(real.sort(byText));
      expect(order.filled_quantity).toBe(quantity);
    }
    const balances = await survivor.balances('OKX');
    expect(balances.find(({ symbol }) => symbol === 'BTC')?.balance).toBe(10.00999);
    const positions = await survivor.positions('OKX');
    expect(positions.map(({ symbol, contracts }) => [symbol, contracts])).toEqual([['BTC/USDT:USDT', 0.03]]);
    expect(demo.refused()).toEqual([]);
    expect(run.output).not.toContain(account.keys[0]!.secret);
    expect(run.output).not.toContain(account.keys[0]!.passphrase);
  });
});
