import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { finishRestore, restoreBackup } from '../../src/cli/operator/restored-data.js';
import { formatUnits } from '../loopback/decimal.js';
import { eventually } from './eventually.js';
import { accepted, addKey, openDemo, sluice } from './live-site.js';
import { resumed } from './resumed.js';
import { newSite } from './site.js';
import { endSoon } from './sooner-end.js';
import { isTerminal } from './watched-orders.js';

/*
 * A restored service learns from a real exchange what it traded after the backup. The exchange is OKX: it states the
 * soonest when a request can no longer be carried out.
 */

const BTC_USDT = { exchange: 'OKX', symbol: 'BTC/USDT', asset_category: 'SPOT' } as const;

describe('a service with orders at a real exchange that is restored from an old backup', () => {
  it('adopts and withdraws the children that it does not know, and trades nothing twice', async () => {
    const demo = await openDemo();
    const account = demo.loopback.openAccount();
    const exchange = demo.loopback.trading.spot;
    const { ledger } = exchange;
    const site = newSite();
    const key = await site.issueKey();
    const env = { ...demo.environment, SLUICE_SHARDS: '2' };
    const run = site.start({ env });
    const client = site.client(await run.ready(), key);
    await addKey(site.dataDir, account, { exchange: 'OKX' });
    await run.line('the account is connected');

    const params = { duration_seconds: '60', trading_style: 'AGGRESSIVE' } as const;
    const iceberg = { clip_size_type: 'ABSOLUTE', clip_size_val: '0.01' } as const;
    const resting = { ...BTC_USDT, side: 'BUY', strategy: 'LIMIT', quantity: '0.01', limit_price: '30000' } as const;
    const twap = await accepted(client, { ...BTC_USDT, side: 'SELL', strategy: 'TWAP', quantity: '0.09', params });
    const kept = await accepted(client, { ...resting, strategy: 'ICEBERG', quantity: '0.04', ...iceberg });
    const filledOf = (id: number) => ledger.fillsOf(account.id).filter(({ clientId }) => clientId.startsWith(`${id}x`));
    const openOf = (id: number) =>
      exchange.openOrders(account.id).filter(({ terms }) => terms.clientId.startsWith(`${id}x`));
    await eventually(
      () => [filledOf(twap).length, openOf(kept).length],
      ([fills, open]) => fills! > 0 && open! > 0,
    );
    const copy = join(site.folder, 'copy');
    // The exchange runs in this process, and goes on meanwhile.
    expect(await sluice(site.dataDir, ['backup', copy, '--with-master-key'])).toBe(0);
    const known = new Set(filledOf(twap).map(({ clientId }) => clientId));
    const lostResting = await accepted(client, resting);
    const market = { ...BTC_USDT, side: 'BUY', strategy: 'MARKET', quantity: '0.01' } as const;
    let lostFilled = await accepted(client, market);
    await eventually(
      () => [filledOf(twap).filter(({ clientId }) => !known.has(clientId)).length, openOf(lostResting).length],
      ([fills, open]) => fills! > 0 && open! > 0,
    );
    await eventually(
      async () => {
        const [order] = await client.byId({ orderIds: [lostFilled] });
        // A machine that starves the exchange cuts the account for a moment: an order of that moment ends without a
        // fill.
        if (isTerminal(order!) && order!.filled_quantity === 0) lostFilled = await accepted(client, market);
        return [lostFilled, filledOf(lostFilled).length];
      },
      ([, fills]) => fills! > 0,
    );
    await run.kill();

    const restored = join(site.folder, 'restored');
    await restoreBackup(copy, restored);
    await finishRestore(copy, restored, { keys: 'keep', killSwitches: 'keep', timers: 'drop' });
    const next = site.start({ env }, restored);
    const survivor = site.client(await next.ready(), key);
    const { report } = await resumed(next, restored);
    expect(report!.adoptedCount).toBeGreaterThan(0);
    expect(new Set(report!.orphans.map(({ clientId }) => Number(clientId.split('-')[0])))).toEqual(
      new Set([lostResting, lostFilled]),
    );
    expect(openOf(lostResting)).toEqual([]);

    await endSoon(survivor, [twap]);
    await eventually(
      () => survivor.byId({ orderIds: [twap] }),
      ([order]) => order?.status === 'FILLED',
    );
    const total = filledOf(twap).reduce((sum, { quantity }) => sum + quantity, 0n);
    expect(Number(formatUnits(total))).toBe(0.09);
    await eventually(
      () => openOf(kept).length,
      (open) => open === 1,
    );
    expect(filledOf(kept)).toEqual([]);
    expect(ledger.repeatedClientIds(account.id)).toEqual([]);
    expect(next.lines.filter(({ msg }) => msg === 'a client id was sent again')).toEqual([]);
    expect(await next.stop()).toMatchObject({ status: 0 });
  });
});
