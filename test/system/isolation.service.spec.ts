import { expect, it, onTestFinished } from 'vitest';
import { StreamClient, type Frame, type OrderRef, type SluiceClient } from '../../src/client/index.js';
import { eventually } from './eventually.js';
import { marketOrder, restingOrder } from './sample-orders.js';
import { newSite } from './site.js';

const EXCHANGE = 'BINANCE';
const ACCOUNT_TOPICS = ['order', 'child_order', 'trade', 'balance', 'position', 'position_risk'] as const;
/** No order's: the ids of the run are far beyond it. */
const NOBODYS: OrderRef & { readonly order_id: number } = { order_id: 4242, client_order_id: 'nobody-1' };

it('an account of the running service can neither read nor change another account', async () => {
  const site = newSite();
  const port = await site.start().ready();
  const alice = site.client(port, await site.issueKey('alice'));
  const bob = site.client(port, await site.issueKey('bob'));
  const before = await alice.balances(EXCHANGE);
  const heard = await listenTo(port, alice);

  const resting = await bob.create(restingOrder('bob-rests'));
  const traded = await bob.create(marketOrder('bob-trades'));
  const bought = await bob.create({ ...marketOrder('bob-holds'), asset_category: 'FUTURE' });
  const ids = [resting.order_id ?? 0, traded.order_id ?? 0, bought.order_id ?? 0];
  await eventually(
    () => bob.byId({ orderIds: ids, includeTrades: true }),
    (orders) => orders.filter(({ status }) => status === 'FILLED').length === 2,
  );
  const trades = await bob.userTrades({ exchange: EXCHANGE, orderIds: ids });
  expect(trades.length).toBeGreaterThan(0);

  // By order ids, client order ids, trade ids and ids of the exchange.
  const tradeIds = trades.map(({ trade_id: tradeId }) => tradeId ?? 0);
  const exchangeIds = trades.map(({ exchangeOrderId }) => exchangeOrderId ?? '');
  const children = ids.flatMap((id) => [`${id}-1`, `${id}-2`]);
  const names = {
    orderIds: [...ids, ...tradeIds],
    clientOrderIds: ['bob-rests', 'bob-trades', 'bob-holds', ...children, ...exchangeIds],
  };
  expect(await alice.byId({ ...names, includeTrades: true, includeFees: true })).toEqual([]);
  expect(await alice.userTrades({ exchange: EXCHANGE, ...names })).toEqual([]);
  expect(await alice.open()).toEqual([]);
  expect(await alice.find()).toEqual([]);
  expect(await alice.cancelAll()).toEqual([]);
  expect(await alice.balances(EXCHANGE)).toEqual(before);
  expect(await bob.positions(EXCHANGE)).toHaveLength(1);
  expect(await alice.positions(EXCHANGE)).toEqual([]);

  for (const refs of [ids.map((id) => ({ order_id: id })), [{ client_order_id: 'bob-rests' }]]) {
    for (const ref of refs) {
      expect(await refusal(alice, ref)).toBe(await refusal(alice, likeOf(ref)));
      for (const ask of CONTROLS) {
        await expect(ask(alice, ref)).rejects.toMatchObject({ status: 404, code: 'INVALID_ORDER' });
      }
    }
  }
  const own = await alice.create(restingOrder('bob-rests'));
  expect(own).toMatchObject({ status: 'PENDING_NEW', client_order_id: 'bob-rests' });
  expect(ids).not.toContain(own.order_id);
  await alice.cancel({ order_id: own.order_id });

  expect((await bob.byId({ orderIds: ids })).map(({ status }) => status).toSorted()).toEqual([
    'ACCEPTED',
    'FILLED',
    'FILLED',
  ]);
  await eventually(
    () => heard.filter(({ topic }) => topic === 'order').length,
    (count) => count >= 3,
  );
  const shown = JSON.stringify(heard);
  for (const id of [...ids, ...tradeIds, 'bob-trades', 'bob-holds', 'bob']) expect(shown).not.toContain(`"${id}"`);
});

const CONTROLS: readonly ((client: SluiceClient, ref: OrderRef) => Promise<unknown>)[] = [
  (client, ref) => client.pause(ref),
  (client, ref) => client.resume(ref),
  (client, ref) => client.amend({ ...ref, quantity: '1' }),
  (client, ref) => client.timeline({ orderId: ref.order_id, clientOrderId: ref.client_order_id }),
];

/** The answer to a cancel without its order's name and its time. */
async function refusal(client: SluiceClient, ref: OrderRef): Promise<string> {
  const { created_at: _time, ...summary } = await client.cancel(ref);
  return JSON.stringify(summary).replaceAll(String(ref.order_id ?? ref.client_order_id), '?');
}

function likeOf(ref: OrderRef): OrderRef {
  return ref.order_id === undefined ? { client_order_id: NOBODYS.client_order_id } : { order_id: NOBODYS.order_id };
}

/** Every frame of every topic of the account, as they come. */
async function listenTo(port: number, client: SluiceClient): Promise<Frame[]> {
  const frames: Frame[] = [];
  const stream = new StreamClient({ url: `http://127.0.0.1:${port}`, listenKey: () => client.listenKey() });
  onTestFinished(() => stream.close());
  await stream.connect();
  for (const topic of ACCOUNT_TOPICS) {
    await stream.subscribe({ topic, exchange: EXCHANGE }, (frame) => void frames.push(frame));
  }
  return frames;
}
