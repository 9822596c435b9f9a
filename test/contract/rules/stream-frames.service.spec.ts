import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../system/eventually.js';
import { IMMEDIATE, RESTING, SCHEDULED } from './orders.js';
import { useService } from './service-under-rules.js';
import { StreamClient, type Frame } from './stream-client.js';

const TOPICS = ['order', 'child_order', 'trade', 'balance'];
const ASSETS = ['BTC', 'ETH', 'SOL', 'USDT'];

/** Service time runs 10 times as fast. */
const service = useService({ env: { SLUICE_SIM_SPEED: '10' } });

let stream: StreamClient;
let filledId = 0;

/** An order that fills, with subscriptions from before its create. */
beforeAll(async () => {
  stream = await StreamClient.of(service.trader);
  for (const topic of TOPICS) await stream.follow(topic);
  const order = { ...IMMEDIATE, client_order_id: 'watched', subaccount: 'desk', clip_size_type: 'ORDER_COUNT' };
  filledId = await service.trader.place({ ...order, clip_size_val: '2', params: { urgency: 'HIGH' } });
  await stream.frame('order', (frame) => part(frame, 'order_status')['status'] === 'FILLED');
  await stream.frame('balance', (frame) => frame['snapshot'] === undefined && frame['symbol'] === 'BTC');
});
afterAll(() => stream.close());

const part = (frame: Frame, name: string): Frame => frame[name] as Frame;
const ofOrder = (topic: string, orderId: number): readonly Frame[] =>
  stream.of(topic).filter((frame) => {
    const { order_id: id, parent_order_id: parentId } = (frame['order'] ?? frame) as Frame;
    return (parentId ?? id) === String(orderId);
  });
const statusesOf = (frames: readonly Frame[]): unknown[] =>
  frames.map((frame) => part(frame, 'order_status')['status']);

const anyNumber = expect.any(Number) as number;
const anyText = expect.any(String) as string;

describe('Frames are snake_case with JSON numbers, ids of orders and trades as strings, times in ms, plus `topic`, and on account topics `exchange_id`, `exchange_name` and `seq`', () => {
  it('holds for every account frame', () => {
    for (const frame of stream.frames.filter(({ topic }) => TOPICS.includes(topic as string))) {
      expect(frame).toMatchObject({ exchange_id: 1, exchange_name: 'BINANCE', seq: anyNumber });
      for (const name of Object.keys(frame)) expect(name).toMatch(/^[a-z_]+$/);
    }
  });
});

describe('order: {topic, seq, order_status, order, order_progress}', () => {
  it('sends PENDING_NEW first and FILLED last', () => {
    const statuses = statusesOf(ofOrder('order', filledId));
    expect(statuses[0]).toBe('PENDING_NEW');
    expect(statuses).toContain('ACCEPTED');
    expect(statuses.at(-1)).toBe('FILLED');
  });

  it('has the documented members in the last frame', () => {
    const frame = ofOrder('order', filledId).at(-1) as Frame;
    expect(part(frame, 'order_status')).toEqual({
      source: anyText,
      order_id: String(filledId),
      client_order_id: 'watched',
      exchange_id: 1,
      status: 'FILLED',
      created_at: anyNumber,
      filled_quantity: 0.01,
      leaves_quantity: 0,
      side: 'BUY',
      average_price: anyNumber,
    });
    const { created_at: createdMs, start_time: startMs, ...order } = part(frame, 'order');
    expect([typeof createdMs, typeof startMs]).toEqual(['number', 'number']);
    expect(order).toMatchObject({
      order_id: String(filledId),
      client_order_id: 'watched',
      exchange_id: 1,
      exchange_name: 'BINANCE',
      subaccount: 'desk',
      symbol: 'BTC/USDT',
      asset_class: 'SPOT',
      side: 'BUY',
      quantity: 0.01,
      strategy: 'MARKET',
      order_type: anyText,
      clip_size_type: 'ORDER_COUNT',
      params: { urgency: 'HIGH' },
    });
    expect(Number(order['clip_size_val'])).toBe(2);
    expect(frame['order_progress']).toBe(1);
  });

  it('has message and error_code of an order that ended with a reason', async () => {
    const orderId = await service.trader.place({ ...RESTING, quantity: '100', limit_price: '60000' });
    const frame = await stream.frame('order', ({ order_status: status }) => {
      const { order_id: id, status: reached } = status as Frame;
      return id === String(orderId) && reached === 'REJECTED';
    });
    expect(part(frame, 'order_status')).toMatchObject({ error_code: 'INSUFFICIENT_FUNDS', message: anyText });
    expect(part(frame, 'order')).toMatchObject({ limit_price: 60000 });
    expect(frame['order_progress']).toBe(0);
  });

  it('sends PENDING_CANCEL, then CANCELLED for a cancel', async () => {
    const orderId = await service.trader.place(RESTING);
    await service.trader.reaches(orderId, 'ACCEPTED');
    await service.trader.cancel({ order_id: orderId });
    const statuses = await eventually(
      () => statusesOf(ofOrder('order', orderId)),
      (found) => found.includes('CANCELLED'),
    );
    expect(statuses.slice(-2)).toEqual(['PENDING_CANCEL', 'CANCELLED']);
  });

  it('has start_time and end_time of a schedule', async () => {
    const orderId = await service.trader.place({ ...SCHEDULED, params: { duration_seconds: '60' } });
    const frame = await stream.frame('order', (one) => part(one, 'order')['order_id'] === String(orderId));
    const { start_time: startMs, end_time: endMs } = part(frame, 'order') as { start_time: number; end_time: number };
    expect(endMs - startMs).toBe(60_000);
    expect(Number((part(frame, 'order')['params'] as Frame)['duration_seconds'])).toBe(60);
    await service.trader.reaches(orderId, 'FILLED');
  });
});

describe('child_order: `order` has `parent_order_id`, `order_type`, `tif`, `reason`; the child’s `client_order_id` is `<parent id>-<n>`', () => {
  it('numbers children and shows the end that the exchange reports', () => {
    const frames = ofOrder('child_order', filledId);
    expect(frames.length).toBeGreaterThan(0);
    for (const frame of frames) {
      const order = part(frame, 'order');
      expect(order).toMatchObject({
        parent_order_id: String(filledId),
        order_type: anyText,
        tif: anyText,
        reason: anyText,
        symbol: 'BTC/USDT',
        side: 'BUY',
      });
      expect(order['client_order_id']).toMatch(new RegExp(`^${filledId}-[1-9]\\d*$`));
      expect(order['reason']).not.toBe('');
      expect(part(frame, 'order_status')['client_order_id']).toBe(order['client_order_id']);
    }
    expect(statusesOf(frames).at(-1)).toBe('FILLED');
  });
});

describe('trade: {trade_id, order_id (the child’s), parent_order_id, …, client_order_id (the parent’s)}', () => {
  it('sends every fill of the order with the values of REST', async () => {
    const frames = ofOrder('trade', filledId);
    const { trades = [] } = await service.trader.details(filledId, 'include_trades=true&');
    expect(frames.map((frame) => frame['trade_id'])).toEqual(trades.map(({ trade_id: id }) => String(id)));
    expect(frames.map((frame) => frame['price'])).toEqual(trades.map(({ price }) => price));
    for (const frame of frames) {
      expect(frame).toMatchObject({
        trade_id: anyText,
        order_id: anyText,
        parent_order_id: String(filledId),
        symbol: 'BTC/USDT',
        side: 'BUY',
        price: anyNumber,
        amount: anyNumber,
        cost: anyNumber,
        fee_currency: anyText,
        fee_cost: anyNumber,
        timestamp: anyNumber,
        ext_trade_id: anyText,
        ext_order_id: anyText,
        client_order_id: 'watched',
      });
      expect(frame['taker_or_maker']).toMatch(/^(taker|maker)$/i);
      expect(frame['order_id']).toMatch(new RegExp(`^${filledId}-`));
      expect(frame['cost']).toBeCloseTo((frame['price'] as number) * (frame['amount'] as number), 6);
    }
  });
});

describe('`balance` sends a snapshot on subscribe ("snapshot": true), then updates; a snapshot carries the `seq` of the last frame sent', () => {
  it('has the members symbol, balance, free and timestamp', async () => {
    const frames = stream.of('balance');
    const snapshot = frames.filter((frame) => frame['snapshot'] === true);
    expect(new Set(snapshot.map(({ symbol }) => symbol))).toEqual(new Set(ASSETS));
    for (const frame of snapshot) {
      expect(frame).toMatchObject({ seq: 0, balance: anyNumber, free: anyNumber, timestamp: anyNumber });
    }
    const updates = frames.filter((frame) => frame['snapshot'] === undefined);
    expect(updates.length).toBeGreaterThan(0);
    const late = await StreamClient.of(service.trader);
    await late.follow('balance');
    const again = await late.frame('balance');
    expect(again).toMatchObject({ snapshot: true });
    expect(again['seq']).toBeGreaterThanOrEqual(updates.length);
    late.close();
  });
});

describe('`seq` counts the frames of one (account, topic, exchange) from 1 without a gap, across restarts', () => {
  it('starts at 1 and has no gap', () => {
    for (const topic of TOPICS) {
      const seqs = stream.of(topic).flatMap(({ seq, snapshot }) => (snapshot === true ? [] : [seq]));
      expect([topic, seqs]).toEqual([topic, seqs.map((_, place) => place + 1)]);
    }
  });

  it('counts each exchange separately, without frames of other exchanges', async () => {
    const elsewhere = await StreamClient.of(service.trader);
    await elsewhere.follow('order', { exchange: 'OKX' });
    const orderId = await service.trader.place({ ...IMMEDIATE, exchange: 'OKX' });
    const first = await elsewhere.frame('order');
    expect(first).toMatchObject({ seq: 1, exchange_id: 5, exchange_name: 'OKX' });
    expect(ofOrder('order', orderId)).toEqual([]);
    elsewhere.close();
  });

  it('sends no frame of one account to another', async () => {
    const stranger = await StreamClient.of(await service.client('stranger'));
    for (const topic of TOPICS) await stranger.follow(topic, topic === 'balance' ? {} : { resume_from: 0 });
    await service.trader.reaches(await service.trader.place(IMMEDIATE), 'FILLED');
    expect(stranger.frames.filter((frame) => frame['snapshot'] !== true)).toEqual([]);
    stranger.close();
  });
});

describe('`resume_from: n` first replays the frames with `seq` > n, each once, then goes on live', () => {
  it('replays the same bytes, also after a crash', async () => {
    const before = stream.of('order');
    const resumed = await StreamClient.of(service.trader);
    await resumed.follow('order', { resume_from: 2 });
    await eventually(
      () => resumed.of('order').length,
      (count) => count >= before.length - 2,
    );
    expect(resumed.of('order').slice(0, before.length - 2)).toEqual(before.slice(2));
    resumed.close();

    const followed = stream.of('order').length;
    await service.run.kill();
    await service.start();
    const again = await StreamClient.of(service.trader);
    await again.follow('order', { resume_from: 0 });
    await service.trader.reaches(await service.trader.place(IMMEDIATE), 'FILLED');
    await again.frame('order', ({ seq }) => (seq as number) > followed + 2);
    const seqs = again.of('order').map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_, place) => place + 1));
    expect(again.of('order').slice(0, before.length)).toEqual(before);
    again.close();
  });

  it('answers 7001 to a number that was never sent', async () => {
    const ahead = await StreamClient.of(service.trader);
    const request = { topic: 'order', exchange: 'BINANCE', method: 'subscribe', resume_from: 1_000_000 };
    expect(await ahead.ask(request)).toMatchObject({ code: 7001, message: anyText });
    ahead.close();
  });
});
