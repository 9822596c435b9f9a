import { expect, it } from 'vitest';
import { operate } from '../../src/admin/admin-client.js';
import { type OrderFrame, type SluiceClient, StreamClient } from '../../src/client/index.js';
import { sluice } from '../cli/command-line.js';
import { eventually } from './eventually.js';
import { restingOrder } from './sample-orders.js';
import { sessionAt } from './session-client.js';
import { type Key, newSite } from './site.js';
import { expectSound } from './soundness.js';

/* Every way in which a running service cancels an order says so, also after a SIGKILL (decisions §3). */

const ACCOUNTS = ['client', 'all', 'timer', 'gone', 'halted'] as const;
type Account = (typeof ACCOUNTS)[number];

/** The cause of each account's order, without its key. */
const CAUSES: Readonly<Record<Account, string>> = {
  client: 'CLIENT',
  all: 'CANCEL_ALL',
  timer: 'CANCEL_ALL_AFTER',
  gone: 'DISCONNECT',
  halted: 'KILL_SWITCH',
};

function causeOf(account: Account, { apiKey }: Key): object {
  const hasKey = account === 'client' || account === 'all';
  return { by: CAUSES[account], ...(hasKey && { api_key: apiKey }) };
}

async function accepted(client: SluiceClient): Promise<number> {
  const [order] = await eventually(
    () => client.byId({ clientOrderIds: ['mine'] }),
    ([one]) => one?.status === 'ACCEPTED',
  );
  return order!.order_id;
}

it('stores, shows and streams the cause of each cancel, before and after a SIGKILL', async () => {
  const site = newSite();
  const keys = new Map<Account, Key>();
  for (const account of ACCOUNTS) keys.set(account, await site.issueKey(account));
  const run = site.start({ env: { SLUICE_SHARDS: '2' } });
  const port = await run.ready();
  const clients = new Map(ACCOUNTS.map((account) => [account, site.client(port, keys.get(account)!, 2)]));
  const { client: session } = await sessionAt(port, keys.get('gone')!, { cancel_on_disconnect: true });
  session.send({ id: 'placed', op: 'order.create', args: restingOrder('mine') });
  expect(await session.next()).toMatchObject({ id: 'placed', status: 201 });
  for (const account of ACCOUNTS) if (account !== 'gone') await clients.get(account)!.create(restingOrder('mine'));
  const ids = new Map<Account, number>();
  for (const account of ACCOUNTS) ids.set(account, await accepted(clients.get(account)!));

  const frames: OrderFrame[] = [];
  const client = clients.get('client')!;
  const stream = new StreamClient({ url: `http://127.0.0.1:${port}`, listenKey: () => client.listenKey() });
  await stream.connect();
  await stream.subscribe({ topic: 'order', exchange: 'BINANCE' }, (frame) => frames.push(frame));

  await client.cancel({ order_id: ids.get('client')! });
  // The order is being cancelled already, or it has ended: the first cause stays.
  await client.cancelAll();
  await clients.get('all')!.cancelAll();
  await clients.get('timer')!.cancelAllAfter(1_000);
  session.socket.terminate();
  await operate({ path: site.dataDir, masterKey: undefined }, 'kill-switch.engage', { account: 'halted' });

  const expectCauses = async (all: ReadonlyMap<Account, SluiceClient>): Promise<void> => {
    for (const account of ACCOUNTS) {
      const [order] = await eventually(
        () => all.get(account)!.byId({ orderIds: [ids.get(account)!] }),
        ([one]) => one?.status === 'CANCELLED',
      );
      const cause = causeOf(account, keys.get(account)!);
      expect([account, order!.cause]).toEqual([account, cause]);
      const { events } = await all.get(account)!.timeline({ orderId: ids.get(account)! });
      expect(events.find(({ event }) => event === 'ParentCancelRequested')).toMatchObject({ cause });
    }
  };
  await expectCauses(clients);
  await eventually(
    () => frames.at(-1)?.order_status.status,
    (status) => status === 'CANCELLED',
  );
  const causes = frames.map(({ order_status: { status, cause } }) => ({ status, cause }));
  const own = causeOf('client', keys.get('client')!);
  expect(causes).toEqual([
    { status: 'PENDING_CANCEL', cause: own },
    { status: 'CANCELLED', cause: own },
  ]);
  stream.close();

  const { apiKey, apiSecret } = keys.get('client')!;
  const env = { SLUICE_URL: `http://127.0.0.1:${port}`, SLUICE_API_KEY: apiKey, SLUICE_API_SECRET: apiSecret };
  const { out } = await sluice(['explain', String(ids.get('client'))], env);
  expect(out).toContain(`by CLIENT, API key ${apiKey}`);
  expect(out).not.toContain(apiSecret);

  // A session that exists at the kill ends after the restart: nothing resumes it.
  const { client: lasting } = await sessionAt(port, keys.get('gone')!, { cancel_on_disconnect: true });
  lasting.send({ id: 'last', op: 'order.create', args: restingOrder('last') });
  expect(await lasting.next()).toMatchObject({ id: 'last', status: 201 });
  await run.kill();
  const again = site.start({ env: { SLUICE_SHARDS: '2' } });
  const portAgain = await again.ready();
  const survivors = new Map(ACCOUNTS.map((account) => [account, site.client(portAgain, keys.get(account)!, 2)]));
  await expectCauses(survivors);
  const [last] = await eventually(
    () => survivors.get('gone')!.byId({ clientOrderIds: ['last'] }),
    ([one]) => one?.status === 'CANCELLED',
  );
  expect(last).toMatchObject({ cause: { by: 'DISCONNECT' } });
  await again.stop();
  await expectSound(site.dataDir);
});
