import { expect, it } from 'vitest';
import { type OrderFrame, type OrderRequest, StreamClient } from '../../src/client/index.js';
import { eventually } from './eventually.js';
import { restingOrder } from './sample-orders.js';
import { newSite } from './site.js';

/* A market maker that restarts learns its quotes from the stream (decisions §8). */

const ORDERS_COUNT = 300;
const CANCELS_COUNT = 100;
const NEW_COUNT = 50;
const ROUNDS = 3;

function quote(name: string, exchange: 'BINANCE' | 'OKX'): OrderRequest {
  return { ...restingOrder(name), exchange, quantity: '0.001' };
}

it('sends each open order once at one instant, and then every change, while orders are placed and cancelled', async () => {
  const site = newSite();
  const key = await site.issueKey();
  const port = await site.start({ env: { SLUICE_SHARDS: '2' } }).ready();
  const client = site.client(port, key, 8);
  const names = Array.from({ length: ORDERS_COUNT }, (_, index) => `quote-${index}`);
  await client.createMany(names.map((name) => quote(name, 'BINANCE')));
  await client.createMany([quote('elsewhere', 'OKX')]);
  for (let round = 0; round < ROUNDS; round += 1) {
    const frames: OrderFrame[] = [];
    const stream = new StreamClient({ url: `http://127.0.0.1:${port}`, listenKey: () => client.listenKey() });
    await stream.connect();
    const open = (await client.open()).filter(({ exchange }) => exchange === 'BINANCE');
    const subscribed = stream.subscribe({ topic: 'order', exchange: 'BINANCE', snapshot: true }, (frame) =>
      frames.push(frame),
    );
    const fresh = Array.from({ length: NEW_COUNT }, (_, index) => quote(`new-${round}-${index}`, 'BINANCE'));
    const cancels = open.slice(0, CANCELS_COUNT).map(({ order_id: id }) => ({ order_id: id }));
    await Promise.all([subscribed, client.createMany(fresh), client.cancelMany(cancels)]);

    const state = (): Map<string, string> =>
      new Map(frames.map(({ order_status: { order_id: id, status } }) => [id, status]));
    const isSettled = (): boolean => {
      const statuses = [...state().values()];
      const ended = statuses.filter((status) => status === 'CANCELLED').length;
      return statuses.every((status) => status === 'ACCEPTED' || status === 'CANCELLED') && ended <= CANCELS_COUNT;
    };
    const left = (
      await eventually(
        () => client.open(),
        (orders) => orders.every(({ status }) => status === 'ACCEPTED'),
      )
    ).filter(({ exchange }) => exchange === 'BINANCE');
    await eventually(
      () => [...state()].filter(([, status]) => status === 'ACCEPTED').map(([id]) => id).length,
      (count) => count === left.length && isSettled(),
    );
    const snapshot = frames.filter((frame) => frame.snapshot);
    const live = frames.slice(snapshot.length);
    expect(live.some((frame) => frame.snapshot)).toBe(false);
    expect(new Set(snapshot.map(({ seq }) => seq)).size).toBe(1);
    expect(new Set(snapshot.map(({ order_status: { order_id: id } }) => id)).size).toBe(snapshot.length);
    expect(snapshot.map(({ snapshot_end: end }) => end === true).indexOf(true)).toBe(snapshot.length - 1);
    expect(live.map(({ seq }) => seq)).toEqual(live.map((_, index) => snapshot[0]!.seq + 1 + index));
    const accepted = [...state()].filter(([, status]) => status === 'ACCEPTED').map(([id]) => Number(id));
    expect(accepted.toSorted((one, other) => one - other)).toEqual(left.map(({ order_id: id }) => id));
    expect(snapshot[0]!.order).toMatchObject({ quantity: 0.001, limit_price: 50_000 });
    stream.close();
  }
  const [details] = await client.byId({ clientOrderIds: ['elsewhere'], includeParams: true });
  expect(details).toMatchObject({ quantity: 0.001, limit_price: 50_000, created_at: expect.any(Number) as number });
});
