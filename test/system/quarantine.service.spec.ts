import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { OrderDetails, OrderSummary, SluiceClient } from '../../src/client/index.js';
import { operate } from '../../src/admin/admin-client.js';
import type { OrderId } from '../../src/domain/ids.js';
import { orderKey } from '../../src/journal/state/rows.js';
import { openStateTables } from '../../src/journal/state/state-tables.js';
import { stateFolder } from '../../src/storage/data-directory.js';
import { sluice } from '../cli/command-line.js';
import { eventually } from './eventually.js';
import { pairOrder, restingOrder, twapOrder } from './sample-orders.js';
import type { ServiceRun } from './service-run.js';
import { newSite, type Site } from './site.js';
import { endSoon } from './sooner-end.js';
import { expectSound } from './soundness.js';

/** One wrong report of an exchange about an order of the account, and the contradiction that is recorded. */
const SAID: Readonly<Record<string, readonly [rule: object, contradiction: string]>> = {
  overfill: [{ fault: 'overfill' }, 'CHILD_OVERFILL'],
  price: [{ fault: 'wrong-price' }, 'PRICE_OUTSIDE_LIMIT'],
  side: [{ fault: 'wrong-side' }, 'WRONG_SIDE'],
  child: [{ fault: 'unknown-child' }, 'UNKNOWN_CHILD'],
  total: [{ fault: 'contradict', says: 'cancelled-over', report: 'acknowledgement' }, 'FILLED_OVER_QUANTITY'],
  id: [{ fault: 'contradict', says: 'other-id', report: 'acknowledgement' }, 'OTHER_EXCHANGE_ORDER_ID'],
  garbled: [{ fault: 'garbled' }, 'UNUSABLE_REPORT'],
  leading: [{ fault: 'overfill', venue: 'BINANCE' }, 'CHILD_OVERFILL'],
  hedge: [{ fault: 'overfill', venue: 'OKX' }, 'CHILD_OVERFILL'],
};
/** A wrong report that leaves no doubt about quantity or money. */
const PASSED_OVER = {
  refusal: { fault: 'contradict', says: 'rejected' },
  code: { fault: 'contradict', says: 'unknown-code' },
  // After the fill of the whole child, which always ends it. A cancellation does not while the service waits for the
  // status of the child, as it does on a loaded machine: then the wrong answer leaves a doubt.
  answer: { fault: 'contradict', says: 'answered-less', report: 'fill' },
};
const SICK = Object.keys(SAID);
const HEALTHY = ['well', ...Object.keys(PASSED_OVER)];

function writeScript(site: Site): string {
  const wrong = SICK.map((account) => ({ ...SAID[account]![0], account }));
  const passedOver = Object.entries(PASSED_OVER).map(([account, rule]) => ({ ...rule, account, count: 1 }));
  const script = join(site.folder, 'faults');
  writeFileSync(script, [...wrong, ...passedOver].map((rule) => JSON.stringify(rule)).join('\n'));
  return script;
}

/** Of children that rest, acknowledgements come before their fills, and each has a limit. */
const PASSIVE = new Set(['total', 'id', 'price']);

async function orderOf(client: SluiceClient, account: string): Promise<number> {
  const placed = await place(client, account);
  return placed.order_id ?? expect.fail(placed.message ?? 'an order has an id');
}

/**
 * In real time: a faster service time would leave a loaded machine less time for each answer and for the last slice.
 */
const DURATION_S = 20;

function place(client: SluiceClient, account: string): Promise<OrderSummary> {
  if (account === 'leading' || account === 'hedge') return client.createMultiLegs(pairOrder(undefined, DURATION_S));
  const order = twapOrder(DURATION_S);
  return client.create(
    PASSIVE.has(account) ? { ...order, params: { ...order.params, trading_style: 'PASSIVE' } } : order,
  );
}

const accountsOf = (orders: readonly Record<string, unknown>[]): string[] =>
  orders.map(({ account }) => account as string).toSorted();

// These wait for orders and for starts of the service most of the time.
describe.concurrent('a damaged order', () => {
  it('quarantines each order with an impossible report, and no other, until an operator releases it', async (test) => {
    const site = newSite(test);
    const keys = new Map<string, Awaited<ReturnType<Site['issueKey']>>>();
    for (const account of [...SICK, ...HEALTHY]) keys.set(account, await site.issueKey(account));
    const env = { SLUICE_SHARDS: '2' };
    const run = site.start({ env: { ...env, SLUICE_SIM_FAULTS: writeScript(site) } });
    const clientsOf = async (service: ServiceRun): Promise<ReadonlyMap<string, SluiceClient>> => {
      const port = await service.ready();
      return new Map([...keys].map(([account, key]) => [account, site.client(port, key, 2)]));
    };
    const clients = await clientsOf(run);
    const ids = new Map<string, number>();
    for (const [account, client] of clients) ids.set(account, await orderOf(client, account));
    const found = (all: ReadonlyMap<string, SluiceClient>, account: string): Promise<OrderDetails> =>
      all
        .get(account)!
        .byId({ orderIds: [ids.get(account)!] })
        .then(([order]) => order!);
    const cli = (...args: string[]): ReturnType<typeof sluice> => sluice(args, { SLUICE_DATA_DIR: site.dataDir });
    const listed = async (): Promise<Record<string, unknown>[]> =>
      JSON.parse((await cli('quarantine', 'list', '--json')).out) as Record<string, unknown>[];

    for (const account of SICK) {
      const { order } = await eventually(
        async () => ({ account, order: await found(clients, account) }),
        ({ order: { quarantine } }) => quarantine !== undefined,
      );
      expect(order).toMatchObject({ error_code: 'SYSTEM_ERROR', quarantine: { reason: 'CONTRADICTORY_REPORT' } });
      expect([account, order.quarantine?.detail]).toEqual([account, expect.stringContaining(SAID[account]![1])]);
    }
    await Promise.all(HEALTHY.map((account) => endSoon(clients.get(account)!, [ids.get(account)!])));
    for (const account of HEALTHY) {
      const order = await eventually(
        () => found(clients, account),
        ({ status }) => status === 'FILLED',
      );
      expect([account, order.filled_quantity]).toEqual([account, 0.01]);
    }
    expect(accountsOf(await listed())).toEqual(SICK.toSorted());
    const status = JSON.parse((await cli('trading', 'status', '--json')).out) as {
      quarantined: Record<string, unknown>[];
    };
    expect(accountsOf(status.quarantined)).toEqual(SICK.toSorted());
    expect((await cli('trading', 'status')).out).toContain(`Quarantined orders: ${SICK.length}.`);

    // A cancelAll and a kill switch end them too.
    await clients.get('side')!.cancelAll();
    const data = { path: site.dataDir, masterKey: undefined };
    await operate(data, 'kill-switch.engage', { account: 'price' });
    for (const [account, by] of [
      ['side', 'CANCEL_ALL'],
      ['price', 'KILL_SWITCH'],
    ] as const) {
      const order = await eventually(
        () => found(clients, account),
        ({ status: one }) => one === 'CANCELLED',
      );
      expect(order).toMatchObject({ cause: { by } });
    }
    await operate(data, 'kill-switch.release', { account: 'price' });

    const released = await cli('quarantine', 'release', String(ids.get('overfill')));
    expect(released.out).toContain('The running service carries out the release within about a second.');
    const overfilled = await eventually(
      () => found(clients, 'overfill'),
      ({ status: one }) => one === 'CANCELLED',
    );
    expect(overfilled.cause).toEqual({ by: 'OPERATOR' });

    await run.kill();
    const later = await cli('quarantine', 'release', String(ids.get('garbled')));
    expect(later.out).toContain('No service runs on this directory. The next start carries out the release;');
    expect((await listed()).find(({ account }) => account === 'garbled')).toMatchObject({ released: true });
    const again = site.start({ env });
    const survivors = await clientsOf(again);
    await eventually(
      () => found(survivors, 'garbled'),
      ({ status: one }) => one === 'CANCELLED',
    );
    for (const account of ['child', 'total', 'id', 'leading', 'hedge']) {
      expect((await found(survivors, account)).quarantine?.reason).toBe('CONTRADICTORY_REPORT');
      await cli('quarantine', 'release', String(ids.get(account)));
    }
    await eventually(listed, (open) => open.length === 0);
    for (const { lines, output } of [run, again]) {
      expect(
        lines.filter(({ level }) => (level as number) >= 60),
        output,
      ).toEqual([]);
    }
    await again.stop();
    await expectSound(site.dataDir);
  });

  it('starts with an open order whose stored state is unreadable, and sets only that one aside', async (test) => {
    const site = newSite(test);
    const key = await site.issueKey();
    const run = site.start({ env: { SLUICE_SHARDS: '2' } });
    const client = site.client(await run.ready(), key);
    const created = await client.createMany(Array.from({ length: 4 }, () => restingOrder()));
    const [bad, ...good] = created.map(({ order_id: orderId }) => orderId!) as [number, ...number[]];
    await eventually(
      () => client.byId({ orderIds: good }),
      (orders) => orders.every(({ status }) => status === 'ACCEPTED'),
    );
    expect(await run.stop()).toMatchObject({ status: 0 });
    const tables = openStateTables(stateFolder(site.dataDir));
    tables.table.orders.putSync(orderKey(bad as OrderId), Buffer.from('no order'));
    await tables.root.close();

    const again = site.start({ env: { SLUICE_SHARDS: '2' } });
    const survivor = site.client(await again.ready(), key);
    const found = await survivor.byId({ orderIds: good });
    expect(found.map(({ status }) => status)).toEqual(good.map(() => 'ACCEPTED'));
    const { out } = await sluice(['quarantine', 'list', '--json'], { SLUICE_DATA_DIR: site.dataDir });
    expect((JSON.parse(out) as { order_id: number }[]).map(({ order_id: orderId }) => orderId)).toEqual([bad]);
    expect(await again.stop()).toMatchObject({ status: 0 });
  });
});
