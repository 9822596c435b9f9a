import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordedData } from '../recorded-data.js';
import { units } from './decimal.js';
import { newOkxKey, OkxLoopback } from './okx/okx-loopback.js';
import { OkxTestClient } from './okx/test-client.js';
import type { TestSocket } from './test-client.js';

const RECORDED = recordedData('exchange-messages/okx');
const SPOT = { instId: 'BTC-USDT', tdMode: 'cash', side: 'buy', ordType: 'ioc', px: '50100', sz: '0.01' };
const SWAP = { ...SPOT, instId: 'BTC-USDT-SWAP', tdMode: 'cross', sz: '1' };
const SYMBOL = { instId: 'BTC-USDT-SWAP' };

let loopback: OkxLoopback;
let client: OkxTestClient;
let sockets: readonly TestSocket[];

beforeAll(async () => {
  loopback = await OkxLoopback.start();
  client = new OkxTestClient(loopback, loopback.openAccount([newOkxKey()]).keys[0]);
  const [own, market, business] = [
    await client.socket('private'),
    await client.socket('public'),
    await client.socket('business'),
  ];
  sockets = [own, market, business];
  own.write(client.login());
  await own.frame((frame) => frame['event'] === 'login');
  own.write({ op: 'subscribe', args: [{ channel: 'orders', instType: 'ANY' }, { channel: 'account' }] });
  const names = ['bbo-tbt', 'books', 'tickers', 'trades', 'funding-rate'];
  market.write({ op: 'subscribe', args: names.map((channel) => ({ channel, ...SYMBOL })) });
  business.write({ op: 'subscribe', args: [{ channel: 'candle1Dutc', ...SYMBOL }] });
  await client.post('trade/order', { ...SPOT, ordType: 'limit', px: '49000' });
  await client.post('trade/order', SPOT);
  await client.post('trade/order', SWAP);
});
afterAll(() => loopback.close());

/** Objects of a message by path: the message, and the first element of each list. */
function* objectsIn(value: unknown, path = ''): Iterable<readonly [string, object]> {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    if (value.length > 0) yield* objectsIn(value[0], `${path}[]`);
    return;
  }
  yield [path, value];
  for (const [name, member] of Object.entries(value)) yield* objectsIn(member, `${path}.${name}`);
}

/** Members of the recorded message that ours lacks, and members whose types differ. */
function differences(recorded: unknown, ours: unknown): readonly string[] {
  const own = new Map(objectsIn(ours));
  return [...objectsIn(recorded)].flatMap(([path, object]) => {
    const found = own.get(path);
    if (found === undefined) return [`${path} is missing`];
    return Object.entries(object).flatMap(([name, value]) => {
      if (!Object.hasOwn(found, name)) return [`${path}.${name} is missing`];
      const member = (found as Record<string, unknown>)[name];
      return typeof member === typeof value ? [] : [`${path}.${name} is ${typeof member} instead of ${typeof value}`];
    });
  });
}

function recorded(name: string): unknown {
  return JSON.parse(readFileSync(join(RECORDED, `${name}.json`), 'utf8'));
}

/** Differences without those of the subscription and of attached orders, which this exchange does not have. */
function unexplained(name: string, ours: unknown): readonly string[] {
  return differences(recorded(name), ours).filter((difference) => {
    const [path = ''] = difference.split(' ');
    return !path.startsWith('.arg') && !path.includes('attachAlgoOrds[]');
  });
}

describe('answers of the loopback OKX have the members of recorded ones', () => {
  it.each<[string, string, Record<string, string>]>([
    ['http_get_account_balance', 'account/balance', {}],
    ['http_get_positions', 'account/positions', {}],
    ['http_get_orders_pending_with_attached_tp_sl', 'trade/orders-pending', {}],
    ['http_get_order_book', 'market/books', SYMBOL],
    ['http_get_candlesticks', 'market/candles', SYMBOL],
    ['http_get_instruments_swap', 'public/instruments', { instType: 'SWAP' }],
    ['http_get_mark_price', 'public/mark-price', { instType: 'SWAP' }],
    ['http_get_funding_rate_history', 'public/funding-rate-history', SYMBOL],
  ])('%s', async (name, path, members) => {
    expect(unexplained(name, await client.get(path, members))).toEqual([]);
  });

  it('http_transaction_detail', async () => {
    const { data } = await client.get('trade/fills');
    expect(unexplained('http_transaction_detail', data[0])).toEqual([]);
  });

  it.each([
    ['ws_orders_trigger', 'orders'],
    ['ws_orders_adl', 'orders'],
    ['ws_account', 'account'],
    ['ws_bbo_tbt', 'bbo-tbt'],
    ['ws_books_snapshot', 'books'],
    ['ws_tickers', 'tickers'],
    ['ws_trades', 'trades'],
    ['ws_candle', 'candle1Dutc'],
    ['ws_funding_rate', 'funding-rate'],
  ])('%s', async (name, channel) => {
    loopback.background.swap.trade('BTC-USDT-SWAP', 'SELL', units('0.01'));
    const isOf = (frame: Record<string, unknown>): boolean => {
      return (frame['arg'] as { channel?: string } | undefined)?.channel === channel && frame['data'] !== undefined;
    };
    const frame = await Promise.any(sockets.map((socket) => socket.frame(isOf)));
    expect(unexplained(name, frame)).toEqual([]);
  });
});
