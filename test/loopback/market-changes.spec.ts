import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LoopbackAccount } from './accounts.js';
import { BybitClient } from './bybit/bybit-client.js';
import { BybitLoopback } from './bybit/bybit-loopback.js';
import { units } from './decimal.js';
import type { Exchange } from './exchange.js';
import { OkxLoopback } from './okx/okx-loopback.js';
import { OkxTestClient } from './okx/test-client.js';

/* Markets of Bybit and OKX that change while the exchange runs, as their protocols show them. */

/** Suspends a market in one of the ways that an exchange knows. */
type Suspend = (exchange: Exchange, symbol: string) => void;
const LAUNCH: Suspend = (exchange, symbol) => exchange.announceLaunch(symbol);
const HALT: Suspend = (exchange, symbol) => exchange.halt(symbol);
const DELIVER: Suspend = (exchange, symbol) => exchange.deliver(symbol);
const DELIST: Suspend = (exchange, symbol) => exchange.delist(symbol);

describe('a market of the loopback Bybit', () => {
  let loopback: BybitLoopback;
  let account: LoopbackAccount;
  let client: BybitClient;

  beforeEach(async () => {
    loopback = await BybitLoopback.start({ seed: 'changes' });
    account = loopback.openAccount();
    client = new BybitClient(loopback, account.keys[0]);
  });
  afterEach(() => loopback.close());

  type Category = 'spot' | 'linear';

  async function create(category: Category, change: Readonly<Record<string, string>> = {}): Promise<number> {
    const order = { category, symbol: 'BTCUSDT', side: 'Buy', orderType: 'Limit', qty: '0.01', price: '49000' };
    return (await client.post('/v5/order/create', { ...order, ...change })).body.retCode;
  }

  async function listed(category: Category, status?: string): Promise<Record<string, unknown>[]> {
    const asked = { category, symbol: 'BTCUSDT', ...(status !== undefined && { status }) };
    return (await client.result(client.get('/v5/market/instruments-info', asked)))['list'] as Record<string, unknown>[];
  }

  it.each([
    ['announced', LAUNCH, 'linear', 'PreLaunch', 110074],
    ['halted', HALT, 'linear', 'Settling', 110063],
    ['in delivery', DELIVER, 'linear', 'Delivering', 110066],
    ['delisted', DELIST, 'linear', 'Closed', 110074],
    ['announced', LAUNCH, 'spot', null, 170151],
    ['halted', HALT, 'spot', null, 170151],
    ['delisted', DELIST, 'spot', null, 170121],
  ] as const)(
    'that is %s takes no order and is listed by its status (%#)',
    async (_name, suspend, category, status, code) => {
      const { exchange } = loopback[category];
      expect(await create(category)).toBe(0);
      suspend(exchange, 'BTCUSDT');
      expect(await create(category)).toBe(code);
      expect(await listed(category)).toEqual([]);
      for (const other of ['PreLaunch', 'Settling', 'Delivering', 'Closed']) {
        expect((await listed(category, other)).map((row) => row['status'])).toEqual(other === status ? [status] : []);
      }
      const isEnding = suspend === DELIVER || suspend === DELIST;
      expect(exchange.openOrders(account.id)).toHaveLength(isEnding ? 0 : 1);
      exchange.reopen('BTCUSDT');
      expect(await create(category)).toBe(0);
    },
  );

  it('lists changed rules and refuses what does not meet them', async () => {
    const [lot, tick] = [units('0.01'), units('0.5')];
    loopback.linear.exchange.changeRules('BTCUSDT', { lot, tick, quantityMin: lot, notionalMin: units('600') });
    const [perpetual] = await listed('linear');
    expect(perpetual).toMatchObject({
      lotSizeFilter: { qtyStep: '0.01', minOrderQty: '0.01', minNotionalValue: '600' },
      priceFilter: { tickSize: '0.5' },
    });
    expect(await create('linear', { qty: '0.015' })).toBe(10001);
    expect(await create('linear', { price: '49000.1' })).toBe(10001);
    expect(await create('linear', { qty: '0.01' })).toBe(110094);
    expect(await create('linear', { qty: '0.02', price: '49000.5' })).toBe(0);
    loopback.spot.exchange.changeRules('BTCUSDT', { lot, tick, quantityMin: units('0.02') });
    expect(await create('spot', { qty: '0.015' })).toBe(170137);
    expect(await create('spot', { qty: '0.02', price: '49000.01' })).toBe(170134);
    expect(await create('spot', { qty: '0.01' })).toBe(170136);
    expect(await create('spot', { qty: '0.02' })).toBe(0);
  });
});

describe('a market of the loopback OKX', () => {
  let loopback: OkxLoopback;
  let account: LoopbackAccount;
  let client: OkxTestClient;

  beforeEach(async () => {
    loopback = await OkxLoopback.start({ seed: 'changes' });
    account = loopback.openAccount();
    client = new OkxTestClient(loopback, account.keys[0]);
  });
  afterEach(() => loopback.close());

  const SPOT = { instId: 'BTC-USDT', tdMode: 'cash', side: 'buy', ordType: 'limit', px: '49000', sz: '0.01' };
  const SWAP = { ...SPOT, instId: 'BTC-USDT-SWAP', tdMode: 'cross', sz: '1' };
  const create = (order: object): Promise<string> => client.codeOf('trade/order', order as Record<string, string>);

  async function states(instId: string): Promise<unknown[]> {
    const instType = instId.endsWith('SWAP') ? 'SWAP' : 'SPOT';
    const { data } = await client.get('public/instruments', { instType, instId });
    return data.map(({ state }) => state);
  }

  it.each([
    ['announced', LAUNCH, SWAP, 'preopen', '51021'],
    ['suspended', HALT, SWAP, 'suspend', '51022'],
    ['in delivery', DELIVER, SWAP, null, '51028'],
    ['delisted', DELIST, SWAP, null, '51027'],
    ['suspended', HALT, SPOT, 'suspend', '51022'],
    ['delisted', DELIST, SPOT, null, '51001'],
  ] as const)(
    'that is %s takes no order and is listed by its state (%#)',
    async (_name, suspend, order, state, code) => {
      const exchange = order === SWAP ? loopback.trading.swap : loopback.trading.spot;
      expect(await create(order)).toBe('0');
      suspend(exchange, order.instId);
      expect(await create(order)).toBe(code);
      expect(await states(order.instId)).toEqual(state === null ? [] : [state]);
      expect(exchange.openOrders(account.id)).toHaveLength(state === null ? 0 : 1);
      if (state === null) {
        const { data } = await client.get('trade/orders-history', { instType: order === SWAP ? 'SWAP' : 'SPOT' });
        expect(data).toMatchObject([{ state: 'canceled', cancelSource: '0' }]);
      }
      exchange.reopen(order.instId);
      expect(await states(order.instId)).toEqual(['live']);
      expect(await create(order)).toBe('0');
    },
  );

  it('lists changed rules and refuses what does not meet them', async () => {
    // In base units: a contract has 0.01 BTC.
    loopback.trading.swap.changeRules('BTC-USDT-SWAP', { lot: units('0.001'), quantityMin: units('0.005') });
    const { data } = await client.get('public/instruments', { instType: 'SWAP', instId: 'BTC-USDT-SWAP' });
    expect(data).toMatchObject([{ lotSz: '0.1', minSz: '0.5', tickSz: '0.1' }]);
    expect(await create({ ...SWAP, sz: '0.55' })).toBe('51121');
    expect(await create({ ...SWAP, sz: '0.4' })).toBe('51020');
    expect(await create({ ...SWAP, sz: '0.6' })).toBe('0');
    loopback.trading.spot.changeRules('BTC-USDT', { tick: units('1') });
    expect(await create({ ...SPOT, px: '49000.5' })).toBe('51000');
    expect(await create(SPOT)).toBe('0');
  });

  it('pushes its state on the channel of instruments, after the whole list', async () => {
    const socket = await client.socket('public');
    socket.write({ op: 'subscribe', args: [{ channel: 'instruments', instType: 'SWAP' }] });
    const pushed = (): unknown[][] =>
      socket.frames.flatMap((frame) => {
        const rows = frame['data'] as Record<string, string>[] | undefined;
        return rows === undefined ? [] : [rows.map(({ instId, state, minSz }) => [instId, state, minSz])];
      });
    await socket.frame(() => pushed().length === 1);
    const { swap, spot } = loopback.trading;
    spot.halt('BTC-USDT');
    swap.halt('BTC-USDT-SWAP');
    swap.reopen('BTC-USDT-SWAP');
    swap.changeRules('ETH-USDT-SWAP', { quantityMin: units('0.1') });
    swap.delist('DOGE-USDT-SWAP');
    await socket.frame(() => pushed().length === 5);
    expect(pushed()).toEqual([
      [
        ['BTC-USDT-SWAP', 'live', '0.01'],
        ['ETH-USDT-SWAP', 'live', '0.01'],
        ['DOGE-USDT-SWAP', 'live', '0.01'],
      ],
      [['BTC-USDT-SWAP', 'suspend', '0.01']],
      [['BTC-USDT-SWAP', 'live', '0.01']],
      [['ETH-USDT-SWAP', 'live', '1']],
      [['DOGE-USDT-SWAP', 'expired', '0.01']],
    ]);
  });
});
