import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { OrderSummary } from '../../src/client/index.js';
import { operate } from '../../src/admin/admin-client.js';
import type { HolderName, RiskLimitRequest } from '../../src/admin/risk-limit-operations.js';
import { isRejected } from '../../src/domain/rejection.js';
import { sluice } from '../cli/command-line.js';
import { eventually } from '../system/eventually.js';
import { marketOrder, restingOrder } from '../system/sample-orders.js';
import { newSite, type Site } from '../system/site.js';

const ACCOUNT = { account: 'trader' } as const;

async function hold(site: Site, request: RiskLimitRequest, name: HolderName = ACCOUNT): Promise<void> {
  const data = { path: site.dataDir, masterKey: undefined };
  const set = await operate(data, 'risk-limits.set', { name, request });
  if (isRejected(set)) throw new Error(set.rejection.message);
}

function codes(summaries: readonly OrderSummary[]): (string | undefined)[] {
  return summaries.map(({ error_code: code }) => code);
}

function auditedSwitches(site: Site): object[] {
  const lines = readFileSync(join(site.dataDir, 'audit.log'), 'utf8').trimEnd().split('\n');
  return lines.filter((line) => line.includes('kill-switch.')).map((line) => JSON.parse(line) as object);
}

// These wait for starts and ends of the service most of the time.
describe.concurrent('a running service', () => {
  it('applies limits set while it runs, counts over a SIGKILL, and answers repetitions as before', async (test) => {
    const site = newSite(test);
    const key = await site.issueKey();
    let run = site.start();
    let client = site.client(await run.ready(), key);
    const first = await client.create(restingOrder('first'));
    expect(first.error_code).toBeUndefined();

    await hold(site, { max_open_orders: '2', price_collar_bps: '5000', allowed_exchanges: 'BINANCE' });
    const batch = ['second', 'third', 'fourth'].map((id) => restingOrder(id));
    expect(codes(await client.createMany(batch))).toEqual([undefined, 'QUANTITY_EXCEED', 'QUANTITY_EXCEED']);
    expect(await client.create(restingOrder('first'))).toMatchObject({ order_id: first.order_id });
    expect(codes([await client.create({ ...restingOrder('fifth'), exchange: 'OKX' })])).toEqual(['INVALID_EXCHANGE']);
    expect(await client.riskLimits()).toMatchObject({ account: { max_open_orders: 2 }, usage: { open_orders: 2 } });

    await run.kill();
    run = site.start();
    client = site.client(await run.ready(), key);
    expect(codes([await client.create(restingOrder('third'))])).toEqual(['QUANTITY_EXCEED']);
    await client.cancel({ client_order_id: 'second' });
    const third = await eventually(
      () => client.create(restingOrder('third')),
      ({ error_code: code }) => code === undefined,
    );
    expect(third.order_id).toBeGreaterThan(first.order_id ?? 0);
  });

  it('adds positions to the open quantity of orders', async (test) => {
    const site = newSite(test);
    const client = site.client(await site.start().ready(), await site.issueKey());
    await hold(site, { max_gross_exposure: '100000' });
    const future = { ...marketOrder('future'), asset_category: 'FUTURE' as const, quantity: '0.5' };
    await client.create(future);
    await eventually(
      () => client.byId({ clientOrderIds: ['future'] }),
      ([order]) => order?.status === 'FILLED',
    );
    // The count takes the event from the shard, which may come after the stored order. The exchange counts a fill
    // before both: positions that were read in between count it twice, until they are read again.
    const { usage } = await eventually(
      () => client.riskLimits(),
      ({ usage: now }) => now?.open_orders === 0 && (now.gross_exposure ?? 0) < 50_000,
    );
    expect(usage?.gross_exposure).toBeGreaterThan(20_000);
    const more = { ...future, client_order_id: 'more', quantity: '5' };
    expect(await client.create(more)).toMatchObject({ error_code: 'QUANTITY_EXCEED' });
    const exit = { ...future, client_order_id: 'exit', side: 'SELL' as const, params: { reduce_only: true } };
    expect((await client.create(exit)).error_code).toBeUndefined();
    await eventually(
      () => client.riskLimits(),
      ({ usage: now }) => now?.gross_exposure === 0 && now.open_orders === 0,
    );
  });

  it('applies kill switches over a SIGKILL until the operator releases them', async (test) => {
    const site = newSite(test);
    const data = { path: site.dataDir, masterKey: undefined };
    const [key, otherKey] = [await site.issueKey(), await site.issueKey('other')];
    let run = site.start();
    let port = await run.ready();
    const [client, other] = [site.client(port, key), site.client(port, otherKey)];
    await client.createMany(['a', 'b', 'c'].map((id) => restingOrder(id)));
    await other.create(restingOrder('kept'));
    // A create in flight at the engagement is cancelled like the others.
    const [underWay, halt] = await Promise.all([
      client.createMany(Array.from({ length: 50 }, (_, index) => restingOrder(`late-${index}`))),
      client.engageKillSwitch(),
    ]);
    expect(underWay).toHaveLength(50);
    expect(halt).toMatchObject({ engaged: true, scope: 'ACCOUNT', engaged_by: 'API_KEY' });
    expect(await client.create(restingOrder('d'))).toMatchObject({ error_code: 'OTHER', reason: 'KILL_SWITCH' });
    expect(await other.health()).toMatchObject({
      trading: { state: 'PARTLY_HALTED', kill_switches: { account_count: 1 } },
    });
    const { out } = await sluice(['kill-switch', 'status', '--json'], { SLUICE_DATA_DIR: site.dataDir });
    expect(JSON.parse(out)).toMatchObject([{ account: 'trader', engaged_by: 'API_KEY', who: key.apiKey }]);
    await eventually(
      () => client.open(),
      (open) => open.length === 0,
    );
    expect(await other.open()).toHaveLength(1);
    expect(await client.create(restingOrder('a'))).toMatchObject({ status: 'CANCELLED' });

    await operate(data, 'kill-switch.engage', { all: true });
    await eventually(
      () => other.open(),
      (open) => open.length === 0,
    );
    const version = expect.stringMatching(/^\d+\.\d+\.\d+$/) as string;
    expect(await run.line('listening')).toMatchObject({ version });
    expect(await other.health()).toMatchObject({
      version,
      mode: 'SIMULATED',
      trading: { state: 'HALTED', kill_switches: { service: { engaged_by: 'OPERATOR' }, account_count: 1 } },
    });
    await run.kill();
    run = site.start();
    port = await run.ready();
    const [again, otherAgain] = [site.client(port, key), site.client(port, otherKey)];
    expect(codes([await again.create(restingOrder('e')), await otherAgain.create(restingOrder('e'))])).toEqual([
      'OTHER',
      'OTHER',
    ]);
    await operate(data, 'kill-switch.release', { all: true });
    expect(codes([await again.create(restingOrder('f')), await otherAgain.create(restingOrder('f'))])).toEqual([
      'OTHER',
      undefined,
    ]);
    await operate(data, 'kill-switch.release', ACCOUNT);
    expect(codes([await again.create(restingOrder('g'))])).toEqual([undefined]);

    const byKey = { kind: 'API_KEY', key: key.apiKey, address: '127.0.0.1' };
    expect(auditedSwitches(site)).toMatchObject([
      { action: 'kill-switch.engage', by: byKey, subject: ACCOUNT },
      { action: 'kill-switch.engage', by: { kind: 'OPERATOR' }, subject: { scope: 'SERVICE' } },
      { action: 'kill-switch.release', by: { kind: 'OPERATOR' }, subject: { scope: 'SERVICE' } },
      { action: 'kill-switch.release', by: { kind: 'OPERATOR' }, subject: ACCOUNT },
    ]);
  });
});
