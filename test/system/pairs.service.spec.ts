import { describe, expect, it, type TestContext } from 'vitest';
import { StreamClient, type Frame, type SluiceClient } from '../../src/client/index.js';
import { eventually } from './eventually.js';
import { pairOrder, restingOrder } from './sample-orders.js';
import { newSite } from './site.js';
import { endSoon } from './sooner-end.js';
import { expectSound } from './soundness.js';

const EXCHANGES = ['BINANCE', 'OKX'] as const;

const START_TIME = new Date(Date.now() + 3_600_000).toISOString();

/** One that rests until an hour from now. */
function later(name: string): ReturnType<typeof pairOrder> {
  return { ...pairOrder(name), start_time: START_TIME };
}

/** Frames of topic `order` by exchange, in the order of arrival, after the known ones. */
async function follow(
  port: number,
  client: SluiceClient,
  known: readonly number[],
  test: Pick<TestContext, 'onTestFinished'>,
): Promise<Frame[][]> {
  const stream = new StreamClient({ url: `http://127.0.0.1:${port}`, listenKey: () => client.listenKey() });
  test.onTestFinished(() => stream.close());
  await stream.connect();
  const shown: Frame[][] = EXCHANGES.map(() => []);
  for (const [index, exchange] of EXCHANGES.entries()) {
    const request = { topic: 'order', exchange, resumeFrom: known[index] ?? 0 } as const;
    await stream.subscribe(request, (frame) => void shown[index]?.push(frame));
  }
  return shown;
}

/** `seq id status` of each frame. */
function steps(frames: readonly Frame[]): string[] {
  return frames.map((frame) => {
    const { seq, order_status: status } = frame as {
      seq?: number;
      order_status?: { order_id: string; status: string };
    };
    return `${seq} ${status?.order_id} ${status?.status}`;
  });
}

function seqs(frames: readonly Frame[]): number[] {
  return steps(frames).map((step) => Number(step.split(' ')[0]));
}

// These wait for starts of the service and for the end of an order most of the time.
describe.concurrent('pairs', () => {
  it('pairs are kept, asked for, streamed at both exchanges and cancelled, across a SIGKILL', async (test) => {
    const site = newSite(test);
    const key = await site.issueKey();
    const first = site.start();
    const port = await first.ready();
    const client = site.client(port, key);
    const live = await follow(port, client, [0, 0], test);

    const [one, other] = await client.createManyMultiLegs([later('one'), later('other')]);
    expect(one).toMatchObject({ status: 'PENDING_NEW' });
    expect(one).not.toHaveProperty('error_code');
    const ids = [one?.order_id ?? 0, other?.order_id ?? 0];
    const accepted = await eventually(
      () => client.byId({ orderIds: ids, includeTrades: true, includeFees: true }),
      (orders) => orders.every(({ status }) => status === 'ACCEPTED'),
    );
    expect(accepted[0]).toMatchObject({ algo: 'PAIR', mishedge: 0, trades: [], fees_infos: {} });
    expect(accepted[0]?.legs?.map(({ exchange, is_leading }) => [exchange, is_leading])).toEqual([
      ['BINANCE', true],
      ['OKX', false],
    ]);
    expect(accepted[0]).not.toHaveProperty('symbol');
    // The market was asleep: its price came with the order.
    expect(accepted[0]?.legs?.[0]?.leaves_quantity).toBeGreaterThan(0);
    expect(await client.createMultiLegs(later('one'))).toMatchObject({ order_id: ids[0], status: 'ACCEPTED' });
    expect(await client.create(restingOrder('one'))).toMatchObject({ error_code: 'INVALID_REQUEST' });
    await eventually(
      () => live.map(({ length }) => length),
      (counts) => counts.every((count) => count === 4),
    );
    for (const frames of live) expect(seqs(frames)).toEqual([1, 2, 3, 4]);

    await first.kill();
    const second = site.start({ env: { SLUICE_SHARDS: '2' } });
    const again = site.client(await second.ready(), key);
    expect((await again.open()).map(({ order_id: id }) => id)).toEqual(ids);
    expect(await again.createMultiLegs(later('one'))).toMatchObject({ order_id: ids[0] });
    const resumed = await follow(await second.ready(), again, [4, 3], test);
    expect(await again.cancel({ client_order_id: 'one' })).toMatchObject({ status: 'PENDING_CANCEL' });
    expect((await again.cancelAll()).map(({ order_id: id }) => id)).toContain(ids[1]);
    const ended = await eventually(
      () => again.find(),
      (orders) => orders.every(({ status }) => status === 'CANCELLED'),
    );
    // Newest first.
    expect(ended.map(({ order_id: id }) => id)).toEqual(ids.toReversed());
    expect(ended[0]).not.toHaveProperty('message');
    for (const [index, exchange] of EXCHANGES.entries()) {
      expect(await again.userTrades({ exchange, orderIds: ids })).toEqual([]);
      await eventually(
        () => steps(resumed[index] ?? []),
        (shown) => shown.filter((step) => step.endsWith(' CANCELLED')).length === 2,
      );
      const shown = seqs(resumed[index] ?? []);
      expect(shown).toEqual(shown.map((_, count) => count + (index === 0 ? 5 : 4)));
    }
    await second.stop();
    await expectSound(site.dataDir);
  });

  it('a pair is amended, the same twice as once, and keeps its terms across a SIGKILL', async (test) => {
    const site = newSite(test);
    const key = await site.issueKey();
    const first = site.start();
    const client = site.client(await first.ready(), key);
    const { order_id: id = 0 } = await client.createMultiLegs(later('amended'));
    const [before] = await eventually(
      () => client.byId({ orderIds: [id] }),
      ([order]) => order?.status === 'ACCEPTED',
    );
    const [whole = 0, wholeOfOther = 0] = before?.legs?.map(({ leaves_quantity: leaves }) => leaves) ?? [];
    const half = Math.round((whole / 2) * 1e4) / 1e4;
    const terms = {
      order_id: id,
      quantity: String(half),
      params: { trading_style: 'PASSIVE', max_unhedged_seconds: '45' },
    } as const;
    for (let times = 0; times < 2; times += 1) {
      expect(await client.amend(terms)).not.toHaveProperty('error_code');
    }
    expect(await client.amend({ order_id: id, quantity: '0' })).toMatchObject({ error_code: 'INVALID_QUANTITY' });
    await first.kill();
    const second = site.start();
    const again = site.client(await second.ready(), key);
    const [after] = await again.byId({ orderIds: [id] });
    const [lead, other] = after?.legs ?? [];
    expect(lead?.leaves_quantity).toBe(half);
    expect(lead?.target_value).toBeCloseTo((1000 * half) / whole, 6);
    expect(other?.leaves_quantity).toBeCloseTo((wholeOfOther * half) / whole, 3);
    await second.stop();
    await expectSound(site.dataDir);
  });

  it('a pair that is being worked is hedged to its last lot, across a SIGKILL', async (test) => {
    const site = newSite(test);
    const key = await site.issueKey();
    const first = site.start();
    const client = site.client(await first.ready(), key);
    const { order_id: id = 0 } = await client.createMultiLegs(pairOrder('worked', 20));
    await eventually(
      () => client.byId({ orderIds: [id] }),
      ([order]) => (order?.legs?.[1]?.filled_quantity ?? 0) > 0,
    );
    await first.kill();
    const second = site.start();
    const again = site.client(await second.ready(), key);
    await endSoon(again, [id]);
    const [done] = await eventually(
      () => again.byId({ orderIds: [id], includeTrades: true, includeFees: true }),
      ([order]) => order?.status === 'FILLED',
    );
    expect(done?.legs?.map(({ leaves_quantity: leaves, status }) => [leaves, status])).toEqual([
      [0, 'FILLED'],
      [0, 'FILLED'],
    ]);
    const [bought, sold] = await Promise.all(
      EXCHANGES.map((exchange) => again.userTrades({ exchange, orderIds: [id] })),
    );
    expect([bought?.[0]?.direction, sold?.[0]?.direction]).toEqual(['BUY', 'SELL']);
    expect(sold?.reduce((sum, { quantity }) => sum + Math.round(quantity * 1e8), 0)).toBe(
      Math.round((done?.legs?.[1]?.filled_quantity ?? 0) * 1e8),
    );
    await second.stop();
    await expectSound(site.dataDir);
  });
});
