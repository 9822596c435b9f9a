import { Rejected } from '../../src/domain/rejection.js';
import { afterEach, describe, expect, it } from 'vitest';
import type { Venue } from '../../src/domain/exchange.js';
import type { OrderId, Seq } from '../../src/domain/ids.js';
import type { SettledStatus } from '../../src/domain/order.js';
import type { Amount } from '../../src/domain/quantity.js';
import {
  WS_FLUSH_TURN_MS_MAX,
  WS_FRAME_BYTES_MAX,
  WS_MESSAGES_BURST_SECONDS,
  WS_PRIVATE_BACKLOG_BYTES_MAX,
} from '../../src/domain/limits/clients.js';
import { type StreamDeps, SYSTEM_TIMERS } from '../../src/stream/port.js';
import { BTC, ETH } from './catalogue.js';
import { ACCEPTED, ACCOUNT, balanceChanged, CHILD_SNAPSHOT, FILLED, OTHER_ACCOUNT, PARENT } from './sample-events.js';
import { type Frame, marketAt, StreamRig, type StreamClient } from './stream-rig.js';

const rigs: StreamRig[] = [];
afterEach(() => {
  for (const rig of rigs.splice(0)) rig.close();
});

async function started(settings: Partial<StreamDeps['settings']> = {}, changes: Partial<StreamDeps> = {}) {
  const rig = new StreamRig(settings, changes);
  rigs.push(rig);
  return rig.listen();
}

async function subscribed(rig: StreamRig, topic: string, fields: Frame = {}): Promise<StreamClient> {
  const client = await rig.connect();
  client.subscribe(topic, fields);
  expect(await client.next()).toMatchObject({ code: 0 });
  return client;
}

function seqs(frames: readonly Frame[]): unknown[] {
  return frames.map((frame) => frame['seq']);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, k) => from + k);
}

describe('a subscription of topic order with snapshot', () => {
  it('sends the open orders before the live frames, after its acknowledgement', async () => {
    const rig = await started();
    const place = (id: number, status: SettledStatus, venue: Venue = 'BINANCE'): void => {
      const parent = { ...ACCEPTED.parent!, status };
      rig.publish('order', { ...ACCEPTED, seq: id as Seq, orderId: id as OrderId, venue, parent });
    };
    for (let id = 1; id <= 300; id += 1) place(id, id % 3 === 0 ? 'FILLED' : 'ACCEPTED');
    place(301, 'ACCEPTED', 'OKX');
    const client = await subscribed(rig, 'order', { snapshot: true });
    const frames = await client.take(200);
    place(302, 'ACCEPTED');
    const ids = frames.map((frame) => (frame['order_status'] as Frame)['order_id']);
    expect(ids).toEqual(range(1, 300).flatMap((id) => (id % 3 === 0 ? [] : String(PARENT.orderId))));
    expect(frames.every((frame) => frame['snapshot'] === true && frame['seq'] === 300)).toBe(true);
    expect(await client.next()).toMatchObject({ topic: 'order', seq: 301 });
    expect(rig.faults).toEqual([]);
  });

  it('is refused for topics without a snapshot, and together with resume_from', async () => {
    const rig = await started();
    const client = await rig.connect();
    for (const fields of [{ topic: 'trade' }, { topic: 'child_order' }, { topic: 'order', resume_from: 0 }]) {
      client.subscribe(fields.topic, { snapshot: true, ...fields });
      expect(await client.next()).toMatchObject({ code: 7002, message: expect.stringContaining('snapshot') as string });
    }
  });
});

function messageWith(part: string): unknown {
  return { message: expect.stringContaining(part) as string };
}

describe('subscribe and unsubscribe', () => {
  it('are acknowledged with an echo of the request and the exchange in upper case', async () => {
    const rig = await started();
    const client = await rig.connect();
    client.send({ topic: 'order', exchange: 'binance', method: 'subscribe' });
    expect(await client.next()).toEqual({
      code: 0,
      message: '{"topic":"order","exchange":"BINANCE","method":"subscribe"}',
    });
  });

  it('are refused with the code of the first mistake', async () => {
    const rig = await started();
    const client = await rig.connect();
    client.send('{');
    client.socket.send(Buffer.from('{"topic":"ping"}'), { binary: true });
    client.send({ topic: 'order', exchange: 'NOWHERE', method: 'subscribe' });
    client.send({ topic: 'candy', exchange: 'NOWHERE', method: 'subscribe' });
    // Letters outside of ASCII have no case.
    client.send({ topic: 'tic\u212aer', exchange: 'BINANCE', symbol: 'BTC/USDT', method: 'subscribe' });
    client.send({ topic: 'order', exchange: 'b\u0131nance', method: 'subscribe' });
    client.send({ topic: 'order', exchange: 'BINANCE', method: '\u017fubscribe' });
    const answers = await client.take(7);
    expect(answers.map((answer) => answer['code'])).toEqual([7002, 7002, 8054, 7002, 7002, 8054, 7002]);
  });

  it('acknowledge a duplicate without doubling its frames', async () => {
    const rig = await started();
    const client = await subscribed(rig, 'order');
    client.subscribe('order', { resume_from: 0 });
    client.subscribe('ticker', { symbol: 'BTC/USDT' });
    client.subscribe('ticker', { symbol: 'btc/usdt' });
    const answers = await client.settle();
    expect(answers.map((answer) => answer['code'] ?? answer['topic'])).toEqual([0, 0, 'ticker', 0]);
    rig.publish('order', ACCEPTED);
    rig.change(BTC, marketAt(200));
    const frames = await client.settle();
    expect(frames).toHaveLength(2);
    expect(new Set(frames.map((frame) => frame['topic']))).toEqual(new Set(['order', 'ticker']));
  });

  it('stop the frames', async () => {
    const rig = await started();
    const client = await subscribed(rig, 'order');
    client.subscribe('ticker', { symbol: 'BTC/USDT' });
    client.send({ topic: 'order', exchange: 'BINANCE', method: 'unsubscribe' });
    client.send({ topic: 'ticker', exchange: 'BINANCE', symbol: 'BTC/USDT', method: 'unsubscribe' });
    client.send({ topic: 'trade', exchange: 'BINANCE', method: 'unsubscribe' });
    expect((await client.settle()).map((frame) => frame['code'] ?? frame['topic'])).toEqual([0, 'ticker', 0, 0, 0]);
    rig.publish('order', ACCEPTED);
    rig.change(BTC, marketAt(300));
    expect(await client.settle()).toEqual([]);
    expect(rig.watched).toEqual([
      [BTC, true],
      [BTC, false],
    ]);
  });
});

describe('a connection', () => {
  it.each(['ping', 'pong'] as const)('counts each %s of the protocol like a message', async (kind) => {
    const rig = await started({ messageRate: 2 }, { timers: { ...SYSTEM_TIMERS, nowMs: () => 0 } });
    const client = await rig.connect();
    for (let sent = 1; sent < 2 * WS_MESSAGES_BURST_SECONDS; sent += 1) client.socket[kind]();
    expect(await client.settle()).toEqual([]);
    client.socket[kind]();
    expect(await client.closed).toEqual({ code: 1008, reason: 'too many messages' });
    expect(rig.refusals.stream_messages).toBe(1);
  });
});

describe('a frame for many streams of one account', () => {
  it.each(['order', 'ohlcv'])('reaches all of them over several turns of the event loop: %s', async (topic) => {
    let nowMs = 0;
    const turns: number[] = [];
    const rig = await started(
      {},
      {
        // Each look at the clock takes half of the time of one turn.
        timers: {
          ...SYSTEM_TIMERS,
          nowMs: () => (nowMs += WS_FLUSH_TURN_MS_MAX / 2),
          soon: (run) => {
            turns.push(nowMs);
            setImmediate(run);
          },
        },
      },
    );
    const fields = topic === 'order' ? {} : { symbol: 'BTC/USDT' };
    const clients = await Promise.all(range(1, 30).map(() => subscribed(rig, topic, fields)));
    const before = turns.length;
    if (topic === 'order') rig.publish('order', ACCEPTED);
    else rig.feeds.candle({ isClosed: true });
    for (const client of clients) expect(await client.next()).toMatchObject({ topic });
    expect(turns.length - before).toBeGreaterThanOrEqual(10);
    expect(rig.faults).toEqual([]);
  });
});

describe('market data', () => {
  it('has a maximum of subscriptions per connection', async () => {
    const rig = await started({ marketDataCap: 1 });
    const client = await rig.connect();
    client.subscribe('ticker', { symbol: 'BTC/USDT' });
    client.subscribe('ticker', { symbol: 'ETH/USDT' });
    client.subscribe('ticker', { symbol: 'BTC/USDT' });
    const answers = (await client.settle()).filter((frame) => 'code' in frame);
    expect(answers.map((answer) => answer['code'])).toEqual([0, 7002, 0]);
    expect(answers[1]?.['message']).toContain('1 market data');
  });

  it('can be switched off', async () => {
    const rig = await started({ marketDataCap: 0 });
    const client = await rig.connect();
    client.subscribe('ticker', { symbol: 'BTC/USDT' });
    expect(await client.next()).toEqual({ code: 7002, message: 'market data topics are not enabled' });
  });

  it('reaches every subscriber', async () => {
    const rig = await started();
    const clients = await Promise.all(range(1, 20).map(() => subscribed(rig, 'ticker', { symbol: 'BTC/USDT' })));
    await Promise.all(clients.map((client) => client.next()));
    rig.change(BTC, marketAt(200));
    rig.change(ETH, marketAt(200));
    for (const client of clients) expect(await client.next()).toMatchObject({ symbol: 'BTC/USDT', bid: 2 });
  });

  it('is conflated for a slow client, which gets the latest value in the end', async () => {
    const rig = await started();
    const slow = await subscribed(rig, 'ticker', { symbol: 'BTC/USDT' });
    slow.stall();
    let bid = 100;
    for (let rounds = 0; rounds < 300; rounds += 1) {
      for (let k = 0; k < 200; k += 1) rig.change(BTC, marketAt((bid += 1)));
      await new Promise(setImmediate);
    }
    slow.resume();
    let latest: Frame = {};
    let received = 0;
    for (; latest['bid'] !== bid / 100; received += 1) latest = await slow.next();
    expect(received).toBeLessThan(bid - 100);
    rig.change(BTC, marketAt(7));
    expect(await slow.next()).toMatchObject({ bid: 0.07 });
    expect(rig.faults).toEqual([]);
  });
});

describe('account feeds', () => {
  it('send every frame of the account once and in order, also frames that were dropped', async () => {
    const rig = await started();
    const client = await subscribed(rig, 'order');
    const other = await rig.connect('other');
    other.subscribe('order');
    expect(await other.next()).toMatchObject({ code: 0 });
    for (const n of range(1, 200)) rig.publish('order', ACCEPTED, n % 3 === 0);
    rig.publish('order', { ...ACCEPTED, account: OTHER_ACCOUNT });
    rig.publish('order', { ...ACCEPTED, venue: 'OKX' });
    rig.streams.onMissed();
    expect(seqs(await client.take(200))).toEqual(range(1, 200));
    expect(seqs(await other.take(1))).toEqual([1]);
    expect(await client.settle()).toEqual([]);
  });

  it('send the three frames of a fill', async () => {
    const rig = await started();
    const client = await subscribed(rig, 'order');
    client.subscribe('child_order');
    client.subscribe('trade');
    await client.settle();
    rig.streams.onPublished({ ...FILLED, child: CHILD_SNAPSHOT }, [
      { topic: 'child_order', n: 1 },
      { topic: 'trade', n: 1 },
      { topic: 'order', n: 1 },
    ]);
    expect((await client.take(3)).map((frame) => frame['topic'])).toEqual(['child_order', 'trade', 'order']);
  });

  it('replay the frames after resume_from, then continue live', async () => {
    const rig = await started();
    for (const _ of range(1, 1_000)) rig.publish('order', ACCEPTED);
    const client = await subscribed(rig, 'order', { resume_from: 10 });
    for (const _ of range(1_001, 1_100)) rig.publish('order', ACCEPTED);
    expect(seqs(await client.take(1_090))).toEqual(range(11, 1_100));
    expect(await client.settle()).toEqual([]);
  });

  it('answer 7001 when resume_from was never sent or is no longer kept', async () => {
    const rig = await started();
    for (const _ of range(1, 10)) rig.publish('order', ACCEPTED);
    rig.reader.forgetBefore(ACCOUNT, 'order', 'BINANCE', 6);
    const client = await rig.connect();
    client.subscribe('order', { resume_from: 11 });
    client.subscribe('order', { resume_from: 4 });
    client.subscribe('order', { resume_from: 5 });
    const frames = await client.settle();
    expect(frames.slice(0, 3).map((frame) => frame['code'])).toEqual([7001, 7001, 0]);
    expect(seqs([...frames.slice(3), ...(await client.take(5 - (frames.length - 3)))])).toEqual(range(6, 10));
  });

  it('close with 1013 while the store lacks the latest events, and resume without a gap later', async () => {
    const rig = await started();
    for (const _ of range(1, 10)) rig.publish('order', ACCEPTED);
    rig.reader.isBehind = true;
    const early = await rig.connect();
    early.subscribe('order', { resume_from: 12 });
    expect((await early.closed).code).toBe(1013);
    rig.reader.isBehind = false;
    const client = await subscribed(rig, 'order', { resume_from: 8 });
    expect(seqs(await client.take(2))).toEqual([9, 10]);
  });

  it('wait for a store that is behind, with the later requests of their connection behind them', async () => {
    const rig = await started();
    rig.publish('order', ACCEPTED);
    rig.reader.isBehind = true;
    const client = await rig.connect();
    client.subscribe('order', { resume_from: 0 });
    client.subscribe('ticker', { symbol: 'BTC/USDT' });
    client.send('{');
    client.send({ topic: 'order', exchange: 'BINANCE', method: 'unsubscribe' });
    expect(await client.settle()).toEqual([]);
    rig.reader.isBehind = false;
    expect([...(await client.take(5)), ...(await client.settle())]).toMatchObject([
      messageWith('{"topic":"order"'),
      messageWith('{"topic":"ticker"'),
      { topic: 'ticker' },
      { code: 7002 },
      messageWith('"method":"unsubscribe"'),
    ]);
    expect(rig.faults).toEqual([]);
  });

  it('get the frames that were published while they waited and that the store showed later', async () => {
    const rig = await started();
    Object.assign(rig.reader, { isBehind: true, shownMax: 0, headMax: 0 });
    const client = await rig.connect();
    client.subscribe('order');
    expect(await client.settle()).toEqual([]);
    rig.publish('order', ACCEPTED);
    rig.reader.shown = { shownSeq: 1, durableSeq: 2 };
    expect(await client.next()).toMatchObject({ code: 0 });
    expect(await client.settle()).toEqual([]);
    Object.assign(rig.reader, { isBehind: false, shownMax: 1, headMax: 1 });
    expect(seqs(await client.take(1))).toEqual([1]);
  });

  it('close with 1013 while the store does not show frames to replay, and resume without a gap later', async () => {
    const rig = await started();
    for (const _ of range(1, 10)) rig.publish('order', ACCEPTED);
    rig.reader.shownMax = 5;
    const early = await subscribed(rig, 'order', { resume_from: 3 });
    expect((await early.closed).code).toBe(1013);
    expect(seqs(early.frames)).toEqual([4, 5]);
    rig.reader.shownMax = 10;
    const client = await subscribed(rig, 'order', { resume_from: 5 });
    expect(seqs(await client.take(5))).toEqual(range(6, 10));
  });

  it('close a client that is too slow with 1013, without a gap before', async () => {
    const rig = await started();
    const client = await subscribed(rig, 'order');
    rig.publish('order', ACCEPTED);
    const frame = await client.next();
    client.stall();
    // More than both kernel buffers and our own limit hold.
    const published = Math.ceil((24 * WS_PRIVATE_BACKLOG_BYTES_MAX) / JSON.stringify(frame).length);
    for (let n = 2; n <= published; n += 1) {
      rig.publish('order', ACCEPTED);
      if (n % 200 === 0) await new Promise(setImmediate);
    }
    client.resume();
    expect((await client.closed).code).toBe(1013);
    const last = 1 + client.frames.length;
    expect(last).toBeLessThan(published);
    expect(seqs(client.frames)).toEqual(range(2, last));
    const resumed = await subscribed(rig, 'order', { resume_from: last });
    expect(seqs(await resumed.take(published - last))).toEqual(range(last + 1, published));
  });
});

describe('balance', () => {
  const usdt = { asset: 'USDT', total: (7n * 10n ** 18n) as Amount, free: (5n * 10n ** 18n) as Amount };
  const none = { asset: 'BTC', total: 0n as Amount, free: 0n as Amount };

  it('starts with a snapshot, then sends the changes since', async () => {
    const rig = await started();
    rig.publish('balance', balanceChanged(1n));
    const client = await subscribed(rig, 'balance');
    rig.publish('balance', balanceChanged(2n));
    expect(await client.settle()).toEqual([]);
    rig.balanceQueries[0]?.([usdt, none]);
    rig.publish('balance', balanceChanged(3n));
    const frames = await client.take(3);
    expect(frames[0]).toMatchObject({ snapshot: true, seq: 1, symbol: 'USDT', balance: 7, free: 5, timestamp: 5_000 });
    expect(frames.slice(1).map((frame) => [frame['seq'], frame['balance']])).toEqual([
      [2, 2],
      [3, 3],
    ]);
  });

  it('resumes without a snapshot', async () => {
    const rig = await started();
    rig.publish('balance', balanceChanged(1n));
    const client = await subscribed(rig, 'balance', { resume_from: 0 });
    expect(await client.next()).toMatchObject({ seq: 1, balance: 1 });
    expect(rig.balanceQueries).toEqual([]);
  });

  it('ends with 7001 when the exchange does not answer', async () => {
    const rig = await started();
    const client = await subscribed(rig, 'balance');
    rig.balanceQueries[0]?.(new Rejected({ code: 'EXCHANGE_NOT_AVAILABLE', message: 'BINANCE is down' }));
    expect(await client.next()).toMatchObject({
      code: 7001,
      message: expect.stringContaining('BINANCE is down') as string,
      ended: { topic: 'balance', exchange: 'BINANCE' },
    });
    rig.publish('balance', balanceChanged(1n));
    expect(await client.settle()).toEqual([]);
  });

  it('drops a snapshot whose subscription has ended', async () => {
    const rig = await started();
    const client = await subscribed(rig, 'balance');
    client.send({ topic: 'balance', exchange: 'BINANCE', method: 'unsubscribe' });
    await client.settle();
    rig.balanceQueries[0]?.([usdt]);
    expect(await client.settle()).toEqual([]);
  });
});

describe('keep-alive', () => {
  it('sends pings and answers a ping with a pong', async () => {
    const rig = await started({ pingMs: 50 });
    const client = await rig.connect();
    expect(await client.take(2)).toEqual([{ topic: 'ping' }, { topic: 'ping' }]);
    client.send({ topic: 'ping' });
    while ((await client.next())['topic'] !== 'pong');
  });

  it('closes a silent client with 1001 and restarts its time at each message', async () => {
    let nowMs = 0;
    const sweeps: (() => void)[] = [];
    const every = (_intervalMs: number, run: () => void) => {
      sweeps.push(run);
      return () => {};
    };
    const rig = await started({}, { timers: { ...SYSTEM_TIMERS, nowMs: () => nowMs, every } });
    const [silent, talking] = [await rig.connect(), await rig.connect()];
    nowMs = 299_999;
    await talking.settle();
    sweeps[0]?.();
    expect(rig.streams.connectionCount).toBe(2);
    nowMs = 300_000;
    sweeps[0]?.();
    expect((await silent.closed).code).toBe(1001);
    expect(rig.streams.connectionCount).toBe(1);
    expect(await talking.settle()).toEqual([{ topic: 'ping' }]);
  });
});

describe('hostile clients', () => {
  it('lose their connection for a frame that is too long, while others keep theirs', async () => {
    const rig = await started();
    const [hostile, bystander] = [await rig.connect(), await rig.connect()];
    hostile.socket.send('x'.repeat(10 * 1024 * 1024));
    await hostile.closed;
    expect(await bystander.settle()).toEqual([]);
    expect(rig.refusals.stream_frame_bytes).toBe(1);
    bystander.send(`{"topic":"ping","pad":"${'x'.repeat(WS_FRAME_BYTES_MAX - 100)}"}`);
    expect(await bystander.next()).toEqual({ topic: 'pong' });
  });

  it('are closed with 1008 when they send too many messages', async () => {
    const rig = await started({ messageRate: 5 });
    const client = await rig.connect();
    for (const _ of range(1, 10 * WS_MESSAGES_BURST_SECONDS)) client.send({ topic: 'pong' });
    expect((await client.closed).code).toBe(1008);
    expect(rig.refusals.stream_messages).toBe(1);
  });
});

describe('many connections', () => {
  it('stay open and get a notice of the shutdown', async () => {
    const rig = await started({ accountConnectionsMax: 300 });
    const clients = await Promise.all(range(1, 300).map(() => rig.connect()));
    expect(rig.streams.connectionCount).toBe(300);
    rig.streams.drain();
    for (const client of clients) {
      expect(await client.next()).toEqual({ topic: 'server', message: 'shutting down' });
      expect((await client.closed).code).toBe(1001);
    }
    expect(rig.streams.connectionCount).toBe(0);
  });
});
