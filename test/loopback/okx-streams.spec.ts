import { once } from 'node:events';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { Random } from '../../src/sim/prng.js';
import type { LoopbackAccount } from './accounts.js';
import { units } from './decimal.js';
import { OkxLoopback } from './okx/okx-loopback.js';
import { OkxTestClient } from './okx/test-client.js';
import type { TestSocket } from './test-client.js';

const SPOT = { instId: 'BTC-USDT', tdMode: 'cash', side: 'buy', ordType: 'limit', px: '49000', sz: '0.01' };
type Frame = Record<string, unknown>;

let loopback: OkxLoopback;
let account: LoopbackAccount;
let client: OkxTestClient;

beforeEach(async () => {
  loopback = await OkxLoopback.start();
  account = loopback.openAccount();
  client = new OkxTestClient(loopback, account.keys[0]);
});
afterEach(() => loopback.close());

const isEvent = (event: string) => (frame: Frame) => frame['event'] === event;
const channelOf = (frame: Frame): string => (frame['arg'] as { channel?: string } | undefined)?.channel ?? '';
const isData = (channel: string) => (frame: Frame) => channelOf(frame) === channel && frame['data'] !== undefined;
const rowsOf = (socket: TestSocket, channel: string): Frame[] =>
  socket.frames.filter(isData(channel)).flatMap((frame) => frame['data'] as Frame[]);

/** A private socket with the given channels. */
async function subscribed(...args: object[]): Promise<TestSocket> {
  const socket = await client.socket('private');
  socket.write(client.login());
  await socket.frame(isEvent('login'));
  socket.write({ op: 'subscribe', args });
  for (let count = 1; count <= args.length; count += 1) {
    await socket.frame(() => socket.frames.filter(isEvent('subscribe')).length >= count);
  }
  return socket;
}

describe('a private socket of the loopback OKX', () => {
  it.each([
    ['apiKey', 'unknown', '60005'],
    ['passphrase', 'wrong', '60024'],
    ['timestamp', '1700000000', '60006'],
    ['sign', 'AAAA', '60007'],
  ])('is refused with a wrong %s', async (member, value, code) => {
    const socket = await client.socket('private');
    socket.write(client.login({ [member]: value }));
    expect(await socket.frame(isEvent('error'))).toMatchObject({ code });
  });

  it('needs a login for channels and orders, and known channels', async () => {
    const socket = await client.socket('private');
    socket.write({ op: 'subscribe', args: [{ channel: 'orders', instType: 'ANY' }] });
    expect(await socket.frame(isEvent('error'))).toMatchObject({ code: '60011' });
    socket.write({ id: '1', op: 'order', args: [SPOT] });
    expect(await socket.frame((frame) => frame['id'] === '1')).toMatchObject({ code: '60011' });
    const other = await client.socket('public');
    other.write({ op: 'subscribe', args: [{ channel: 'orders', instType: 'ANY' }] });
    other.write({ op: 'subscribe', args: [{ channel: 'books', instId: 'X' }] });
    other.write({ op: 'nothing' });
    await other.frame(() => other.frames.length === 3);
    expect(other.frames.map(({ code }) => code)).toEqual(['60018', '60018', '60012']);
  });

  it('fails logins, subscriptions and lists by fault rules', async () => {
    const { faults } = loopback;
    faults.add({ on: 'okx private login', nth: 1, fault: { kind: 'fail', failure: 'unknown', executed: false } });
    faults.add({ on: 'okx private subscribe', nth: 1, fault: { kind: 'lose' } });
    const socket = await client.socket('private');
    socket.write(client.login());
    expect(await socket.frame(isEvent('error'))).toMatchObject({ code: '50026' });
    socket.write(client.login());
    await socket.frame(isEvent('login'));
    const subscription = { op: 'subscribe', args: [{ channel: 'account' }] };
    socket.write(subscription);
    socket.write(subscription);
    await socket.frame(isData('account'));
    expect(socket.frames.filter(isEvent('subscribe'))).toHaveLength(1);

    await client.post('trade/order', SPOT);
    expect((await client.get('trade/orders-pending')).data).toHaveLength(1);
    faults.add({ on: 'GET /api/v5/trade/orders-pending', fault: { kind: 'partial', every: 1 } });
    expect((await client.get('trade/orders-pending')).data).toEqual([]);
  });

  it('publishes orders, balances and positions from their present state on', async () => {
    const channels = [
      { channel: 'orders', instType: 'ANY' },
      { channel: 'account' },
      { channel: 'positions', instType: 'SWAP' },
    ];
    const socket = await subscribed(...channels);
    await socket.frame(isData('account'));
    await socket.frame(isData('positions'));
    await client.post('trade/order', { ...SPOT, clOrdId: 'rest' });
    await client.post('trade/amend-order', { instId: 'BTC-USDT', clOrdId: 'rest', newPx: '48000', reqId: 'r1' });
    await client.post('trade/cancel-order', { instId: 'BTC-USDT', clOrdId: 'rest' });
    const swap = { ...SPOT, instId: 'BTC-USDT-SWAP', tdMode: 'cross', sz: '1', clOrdId: 'take' };
    await client.post('trade/order', { ...swap, ordType: 'ioc', px: '50100' });
    await socket.frame(() => rowsOf(socket, 'orders').some(({ state }) => state === 'filled'));
    const seen = rowsOf(socket, 'orders').map(({ clOrdId, state, amendResult }) => [clOrdId, state, amendResult]);
    expect(seen).toEqual([
      ['rest', 'live', ''],
      ['rest', 'live', '0'],
      ['rest', 'canceled', ''],
      ['take', 'live', ''],
      ['take', 'filled', ''],
    ]);
    const fill = rowsOf(socket, 'orders').at(-1)!;
    expect(fill).toMatchObject({
      fillSz: '1',
      fillPx: '50000.5',
      fillFee: '-0.2500025',
      fillFeeCcy: 'USDT',
      execType: 'T',
    });
    expect(rowsOf(socket, 'positions').at(-1)).toMatchObject({ pos: '1', avgPx: '50000.5', posSide: 'net' });
  });

  it('publishes an order to a subscription that names its instrument or its type', async () => {
    const socket = await subscribed(
      { channel: 'orders', instType: 'SWAP' },
      { channel: 'orders', instType: 'SPOT', instId: 'ETH-USDT' },
    );
    await client.post('trade/order', SPOT);
    await client.post('trade/order', { ...SPOT, instId: 'ETH-USDT', px: '2400' });
    const { arg } = await socket.frame(isData('orders'));
    expect(arg).toEqual({ channel: 'orders', instType: 'SPOT', instId: 'ETH-USDT' });
    expect(socket.frames.filter(isData('orders'))).toHaveLength(1);
  });

  it('takes orders, amendments and cancels', async () => {
    const socket = await subscribed({ channel: 'orders', instType: 'ANY' });
    const ask = async (id: string, op: string, args: object[], more: object = {}): Promise<Frame> => {
      socket.write({ id, op, args, ...more });
      return socket.frame((frame) => frame['id'] === id);
    };
    const { instId: _replaced, ...terms } = SPOT;
    const spot = { instIdCode: 10_459, ...terms };
    expect(await ask('0', 'order', [SPOT])).toMatchObject({
      code: '1',
      data: [{ sCode: '50014', sMsg: 'Parameter instIdCode can not be empty.' }],
    });
    expect(await ask('1', 'order', [{ ...spot, clOrdId: 'ws' }])).toMatchObject({
      op: 'order',
      code: '0',
      data: [{ clOrdId: 'ws' }],
    });
    const name = { instIdCode: 10_459, clOrdId: 'ws' };
    expect(await ask('2', 'amend-order', [{ ...name, newPx: '48000' }])).toMatchObject({ code: '0' });
    expect(await ask('3', 'cancel-order', [name])).toMatchObject({ code: '0' });
    expect(await ask('4', 'cancel-order', [name])).toMatchObject({ code: '1', data: [{ sCode: '51400' }] });
    const late = { expTime: String(Date.now() - 1) };
    expect(await ask('5', 'order', [spot], late)).toMatchObject({ code: '50036' });
    loopback.faults.add({ on: 'okx order', fault: { kind: 'fail', failure: 'timeout', executed: true } });
    expect(await ask('6', 'order', [{ ...spot, clOrdId: 'open' }])).toMatchObject({ code: '50004' });
    expect(loopback.trading.spot.ledger.withClientId(account.id, 'BTC-USDT', 'open')).toHaveLength(1);
  });

  it('answers the text ping, and ends a connection that is silent', async () => {
    const quick = await OkxLoopback.start({ idleMs: 300 });
    const socket = new WebSocket(`${quick.address('ws.okx.com', 'ws')}/ws/v5/public`);
    await once(socket, 'open');
    socket.send('ping');
    const [answer] = (await once(socket, 'message')) as [Buffer];
    expect(answer.toString()).toBe('pong');
    const openedAtMs = Date.now();
    await once(socket, 'close');
    expect(Date.now() - openedAtMs).toBeGreaterThan(250);
    await quick.close();
  });
});

describe('a public socket of the loopback OKX', () => {
  it('publishes books whose changes follow each other, with their checksums', async () => {
    const socket = await client.socket('public');
    socket.write({ op: 'subscribe', args: [{ channel: 'books', instId: 'BTC-USDT-SWAP' }] });
    await socket.frame(isData('books'));
    const sides = { bids: new Map<string, string>(), asks: new Map<string, string>() };
    for (let step = 1; step <= 5; step += 1) {
      loopback.background.swap.quote('BTC-USDT-SWAP', units(String(50_000 + step)));
      await socket.frame(() => socket.frames.filter(isData('books')).length > step);
    }
    let last = -1;
    for (const frame of socket.frames.filter(isData('books'))) {
      const [row] = frame['data'] as (Frame & { bids: string[][]; asks: string[][] })[];
      expect(row!['prevSeqId']).toBe(last);
      last = row!['seqId'] as number;
      for (const side of ['bids', 'asks'] as const) {
        for (const [price, size] of row![side]) {
          if (size === '0') sides[side].delete(price!);
          else sides[side].set(price!, size!);
        }
      }
      expect(checksumOf(sides)).toBe(row!['checksum']);
    }
  });

  it('publishes best prices and trades at once, and other market data in its time', async () => {
    const socket = await client.socket('public');
    const instId = 'BTC-USDT-SWAP';
    const channels = ['bbo-tbt', 'books5', 'trades', 'tickers', 'mark-price', 'funding-rate', 'open-interest'];
    socket.write({ op: 'subscribe', args: channels.map((channel) => ({ channel, instId })) });
    await socket.frame(() => socket.frames.filter(isEvent('subscribe')).length === channels.length);
    loopback.background.swap.trade(instId, 'BUY', units('0.01'));
    for (const channel of channels) await socket.frame(isData(channel));
    expect(rowsOf(socket, 'trades')).toMatchObject([{ px: '50000.5', sz: '1', side: 'buy', count: '1' }]);
    expect(rowsOf(socket, 'bbo-tbt').at(-1)!['asks']).toEqual([['50000.5', '399', '0', '1']]);
    expect((rowsOf(socket, 'books5').at(-1)!['bids'] as unknown[]).length).toBe(5);
    expect(rowsOf(socket, 'funding-rate')[0]).toMatchObject({ fundingRate: '0.0001', instId });
    const business = await client.socket('business');
    business.write({
      op: 'subscribe',
      args: [
        { channel: 'candle1m', instId },
        { channel: 'books', instId },
      ],
    });
    await business.frame(isData('candle1m'));
    expect(await business.frame(isEvent('error'))).toMatchObject({ code: '60018' });
  });
});

describe('the loopback OKX', () => {
  it('keeps what its accounts own, whatever they trade', async () => {
    const other = loopback.openAccount();
    const clients = [client, new OkxTestClient(loopback, other.keys[0])];
    const random = new Random('conservation');
    const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random.uniform() * values.length)]!;
    for (let step = 0; step < 150; step += 1) {
      if (step % 30 === 0) loopback.rest.limits.pardon();
      const isSwap = random.uniform() < 0.5;
      const place = isSwap ? { instId: 'BTC-USDT-SWAP', tdMode: 'cross' } : { instId: 'BTC-USDT', tdMode: 'cash' };
      const ordType = pick(['limit', 'post_only', 'ioc', 'fok', 'market']);
      const px = ordType === 'market' ? '' : String(50_000 + Math.round((random.uniform() - 0.5) * 40));
      const sz = isSwap ? String(1 + Math.floor(random.uniform() * 50)) : (0.01 + random.uniform()).toFixed(4);
      const from = pick(clients);
      const tgtCcy = ordType === 'market' && !isSwap ? { tgtCcy: 'base_ccy' } : {};
      await from.post('trade/order', {
        ...place,
        ...tgtCcy,
        side: pick(['buy', 'sell']),
        ordType,
        px,
        sz,
        stpMode: pick(['cancel_maker', 'cancel_taker', 'cancel_both']),
      });
      const [open] = (await from.get('trade/orders-pending', { limit: '1' })).data;
      if (open === undefined || random.uniform() < 0.5) continue;
      const name = { instId: open['instId'], ordId: open['ordId'] };
      if (random.uniform() < 0.5) await from.post('trade/cancel-order', name);
      else
        await from.post('trade/amend-order', {
          ...name,
          newPx: String(50_000 + Math.round((random.uniform() - 0.5) * 40)),
        });
    }
    const { spot, swap, swapClearing } = loopback.trading;
    expect(spot.ledger.fills.length + swap.ledger.fills.length).toBeGreaterThan(50);
    for (const { id } of [account, other]) {
      for (const exchange of [spot, swap]) for (const order of exchange.openOrders(id)) exchange.cancel(order, null);
      const wallet = loopback.accounts.at(id).spot;
      const changes = new Map(spot.ledger.spotChanges(id));
      for (const { realizedPnl, fee } of swap.ledger.fillsOf(id)) {
        changes.set('USDT', (changes.get('USDT') ?? 0n) + realizedPnl - fee);
      }
      for (const [asset, first] of [
        ['BTC', units('10')],
        ['USDT', units('1000000')],
      ] as const) {
        expect([asset, wallet.balance(asset)]).toEqual([
          asset,
          { free: first + (changes.get(asset) ?? 0n), locked: 0n },
        ]);
      }
      expect(swapClearing.orderMargin(id)).toBe(0n);
      expect(swapClearing.position(id, 'BTC-USDT-SWAP', 'BOTH').amount).toBe(
        swap.ledger.positionOf(id, 'BTC-USDT-SWAP'),
      );
    }
  });
});

/** Levels of one side in the given order of their prices. */
function sorted(side: ReadonlyMap<string, string>, direction: 1 | -1): [string, string][] {
  return [...side].toSorted(([one], [other]) => direction * (Number(one) - Number(other)));
}

/** The checksum that a client computes from its book: 25 levels, best first, bid and ask by turns. */
function checksumOf({ bids, asks }: { bids: ReadonlyMap<string, string>; asks: ReadonlyMap<string, string> }): number {
  const [bid, ask] = [sorted(bids, -1), sorted(asks, 1)];
  const parts: string[] = [];
  for (let index = 0; index < 25; index += 1) {
    for (const level of [bid[index], ask[index]]) if (level !== undefined) parts.push(level.join(':'));
  }
  return crc32(parts.join(':')) | 0;
}
