import { beforeAll, describe, expect, it } from 'vitest';
import type { Details, Trade } from './answers.js';
import { IMMEDIATE, RESTING } from './orders.js';
import { useService } from './service-under-rules.js';

const TRADING = '/api/v2/trading';
const HOUR_S = 3600;
const DAY_MS = 24 * 3600 * 1000;
const FIND_MAX = 1000;

const service = useService();

/** Ids of a filled, a cancelled and an open order, oldest first. */
const ids: number[] = [];

beforeAll(async () => {
  const { trader } = service;
  ids.push(await trader.place({ ...IMMEDIATE, client_order_id: 'filled', subaccount: 'desk' }));
  ids.push(await trader.place({ ...RESTING, client_order_id: 'cancelled' }));
  ids.push(await trader.place({ ...RESTING, client_order_id: 'open' }));
  await trader.reaches(ids[0] as number, 'FILLED');
  await trader.cancel({ client_order_id: 'cancelled' });
  await trader.reaches(ids[1] as number, 'CANCELLED');
  await trader.reaches(ids[2] as number, 'ACCEPTED');
});

const idsOf = (orders: readonly Details[]): number[] => orders.map(({ order_id: id }) => id);

async function refusal(path: string, query: string): Promise<[number, string]> {
  const { status, body } = await service.trader.get(`${TRADING}/${path}`, query);
  return [status, body.error_code];
}

async function userTrades(query: string): Promise<readonly Trade[]> {
  const { status, body } = await service.trader.get<{ trades: readonly Trade[] }>(`${TRADING}/userTrades`, query);
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(['trades']);
  return body.trades;
}

describe('GET /order/open: all orders not in a terminal state', () => {
  it('lists only the open order', async () => expect(idsOf(await service.trader.list('open'))).toEqual([ids[2]]));
});

describe('`byId`: `orderIds`, `clientOrderIds` (at least one; union), `include_trades`, `include_fees`; answers OrderDetailsList', () => {
  it.each([
    ['comma-joined', () => `orderIds=${ids[0]},${ids[1]}`],
    ['comma-joined and encoded', () => `orderIds=${ids[0]}%2C${ids[1]}`],
    ['repeated keys', () => `orderIds=${ids[0]}&orderIds=${ids[1]}`],
    ['by client id', () => 'clientOrderIds=filled,cancelled'],
    ['by repeated client ids', () => 'clientOrderIds=filled&clientOrderIds=cancelled'],
    ['union', () => `clientOrderIds=cancelled&orderIds=${ids[0]}`],
    ['each once', () => `clientOrderIds=cancelled,filled,filled&orderIds=${ids[0]},${ids[0]},${ids[1]}`],
    ['with unknown ones', () => `clientOrderIds=nobody,cancelled&orderIds=${ids[0]},1`],
  ])('finds orders: %s', async (_, query) => {
    const orders = await service.trader.list('byId', query());
    expect(new Set(idsOf(orders))).toEqual(new Set(ids.slice(0, 2)));
    expect(orders).toHaveLength(2);
  });

  it('answers an empty list for unknown order ids', async () => {
    expect(await service.trader.list('byId', 'clientOrderIds=nobody&orderIds=1,2')).toEqual([]);
  });

  it.each([
    '',
    'orderIds=',
    'include_trades=true',
    'orderIds=one',
    'orderIds=1.5',
    'orderIds=-1',
    'orderIds=9007199254740993',
    'orderIds=1&include_trades=perhaps',
  ])('answers 400 INVALID_PARAM to the bad query %s', async (query) =>
    expect(await refusal('order/byId', query)).toEqual([400, 'INVALID_PARAM']),
  );
});

describe('`trades[]` and `fees_infos` come with `include_trades=true` / `include_fees=true` on `byId`, `open` and `find`', () => {
  it.each(['byId', 'find'])('has trades and fees in %s', async (which) => {
    const named = which === 'byId' ? `&orderIds=${ids[0]}` : '';
    const find = async (extras: string): Promise<Details> => {
      const orders = await service.trader.list(which, extras + named);
      return orders.find(({ order_id: id }) => id === ids[0]) as Details;
    };
    const both = await find('include_fees=true&include_trades=true');
    expect(both.trades?.reduce((sum, { quantity }) => sum + quantity, 0)).toBeCloseTo(0.01, 8);
    expect(Object.values(both.fees_infos ?? {}).every((fee) => typeof fee === 'number')).toBe(true);
    expect(Object.keys(both.fees_infos ?? {})).toHaveLength(1);
    const trades = await find('include_trades=true');
    expect([trades.trades !== undefined, trades.fees_infos]).toEqual([true, undefined]);
    const neither = await find('include_fees=false&include_trades=false');
    expect([neither.trades, neither.fees_infos]).toEqual([undefined, undefined]);
  });

  it('has empty lists in open for an order without fills', async () => {
    const [open] = await service.trader.list('open', 'include_fees=true&include_trades=true');
    expect(open).toMatchObject({ trades: [], fees_infos: {} });
  });
});

describe('`find`: newest first; `limit` 1..1000, default 100; a window over 3 days is clipped to 3 days', () => {
  it('lists the newest order first', async () => {
    expect(idsOf(await service.trader.list('find'))).toEqual(ids.toReversed());
  });

  it('limits the list to the newest orders', async () => {
    expect(idsOf(await service.trader.list('find', 'limit=2'))).toEqual(ids.slice(1).toReversed());
    expect(await service.trader.list('find', `limit=${FIND_MAX}`)).toHaveLength(3);
  });

  it('selects by creation time from startMs to endMs, and clips a start that is too early', async () => {
    const { trader } = service;
    const nowMs = Date.now();
    const far = `endMs=${nowMs + 1000}&limit=10&startMs=${nowMs - 30 * DAY_MS}`;
    expect(await trader.list('find', far)).toHaveLength(3);
    expect(await trader.list('find', `startMs=0`)).toHaveLength(3);
    expect(await trader.list('find', `endMs=${nowMs - DAY_MS}&startMs=${nowMs - 2 * DAY_MS}`)).toEqual([]);
    expect(await trader.list('find', `endMs=${nowMs - 5 * DAY_MS}&startMs=${nowMs - 6 * DAY_MS}`)).toEqual([]);
    const { start_time: openedMs } = await trader.details(ids[2] as number);
    expect(idsOf(await trader.list('find', `startMs=${openedMs}`))).toContain(ids[2]);
  });

  it.each([
    'limit=0',
    'limit=1001',
    'limit=ten',
    'limit=-1',
    'limit=1.5',
    'startMs=yesterday',
    'endMs=-1',
    'startMs=2026-01-01T00:00:00Z',
    'include_fees=1',
  ])('answers 400 INVALID_PARAM to the bad query %s', async (query) =>
    expect(await refusal('order/find', query)).toEqual([400, 'INVALID_PARAM']),
  );
});

describe('GET /userTrades: exchange required; at least one of orderIds or clientOrderIds', () => {
  it('has the documented fields of a trade', async () => {
    const found = await userTrades(`exchange=binance&orderIds=${ids[0]}`);
    expect(found.reduce((sum, { quantity }) => sum + quantity, 0)).toBeCloseTo(0.01, 8);
    for (const trade of found) {
      expect(trade).toMatchObject({ symbol: 'BTC/USDT', clientOrderId: 'filled', direction: 'BUY' });
      expect(trade.makerOrTaker).toMatch(/^(MAKER|TAKER)$/i);
      expect(Number.isSafeInteger(trade.trade_id)).toBe(true);
      expect(typeof trade.exchangeOrderId).toBe('string');
      expect(Math.abs(trade.execTime - Date.now())).toBeLessThan(600_000);
      expect(trade.fee).toBeGreaterThanOrEqual(0);
      expect(trade.feeCurrency).toEqual(expect.any(String));
      expect(trade.price).toBeGreaterThan(1000);
    }
  });

  it.each([
    ['union of both names, each fill once', () => `clientOrderIds=filled&exchange=BINANCE&orderIds=${ids[0]}`, true],
    ['its subaccount', () => 'clientOrderIds=filled&exchange=BINANCE&subaccount=desk', true],
    ['another subaccount', () => 'clientOrderIds=filled&exchange=BINANCE&subaccount=other', false],
    ['another exchange', () => 'clientOrderIds=filled&exchange=OKX', false],
    ['an order without fills', () => 'clientOrderIds=open&exchange=BINANCE', false],
    ['an unknown order', () => 'clientOrderIds=nobody&exchange=BINANCE', false],
  ])('selects trades by %s', async (_, query, isFound) => {
    const found = await userTrades(query());
    expect(found.length > 0).toBe(isFound);
    expect(new Set(found.map(({ trade_id: id }) => id)).size).toBe(found.length);
  });

  it.each([
    ['orderIds=1', 'INVALID_EXCHANGE'],
    ['exchange=NASDAQ&orderIds=1', 'INVALID_EXCHANGE'],
    ['exchange=BINANCE', 'INVALID_PARAM'],
    ['exchange=BINANCE&orderIds=one', 'INVALID_PARAM'],
  ])('%s: 400, %s', async (query, code) => expect(await refusal('userTrades', query)).toEqual([400, code]));
});

describe('GET /balance: `exchange` required; array of balance entries, only for balances above 0', () => {
  interface Balance {
    readonly symbol: string;
    readonly balance: number;
    readonly free: number;
  }
  const balances = async (exchange: string): Promise<readonly Balance[]> =>
    (await service.trader.get<readonly Balance[]>(`${TRADING}/balance`, `exchange=${exchange}`)).body;

  it('shows 1,000,000 USDT, 10 BTC, 100 ETH and 1,000 SOL for a new account on every exchange', async () => {
    for (const exchange of ['OKX', 'kraken', 'COINBASE_INTL', 'B2C2']) {
      const found = new Map((await balances(exchange)).map(({ symbol, balance, free }) => [symbol, [balance, free]]));
      expect(Object.fromEntries(found)).toEqual({
        USDT: [1_000_000, 1_000_000],
        BTC: [10, 10],
        ETH: [100, 100],
        SOL: [1000, 1000],
      });
    }
  });

  it('shows free funds, reduced by resting orders', async () => {
    const usdt = (await balances('BINANCE')).find(({ symbol }) => symbol === 'USDT') as Balance;
    expect(usdt.balance).toBeLessThan(1_000_000);
    // 0.01 at 50000, and the highest fee of it.
    expect(usdt.balance - usdt.free).toBeGreaterThanOrEqual(500);
    expect(usdt.balance - usdt.free).toBeLessThan(505);
  });

  it.each([
    ['', 'INVALID_EXCHANGE'],
    ['exchange=NASDAQ', 'INVALID_EXCHANGE'],
    ['exchange=LIGHTER', 'INVALID_EXCHANGE'],
  ])('%s: 400, %s', async (query, code) => expect(await refusal('balance', query)).toEqual([400, code]));
});

describe('GET /listenKey: a JSON string holding the listen key (a JWT valid for 1 hour)', () => {
  it('contains its expiry', async () => {
    const askedAtS = Math.floor(Date.now() / 1000);
    const { status, body: listenKey } = await service.trader.get<string>(`${TRADING}/listenKey`);
    const answeredAtS = Math.ceil(Date.now() / 1000);
    expect(status).toBe(200);
    const [, claims = ''] = listenKey.split('.');
    expect(listenKey.split('.')).toHaveLength(3);
    const { exp, iat } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { exp: number; iat: number };
    expect(exp - iat).toBe(HOUR_S);
    expect(iat).toBeGreaterThanOrEqual(askedAtS);
    expect(iat).toBeLessThanOrEqual(answeredAtS);
  });
});
