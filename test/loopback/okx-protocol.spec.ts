import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TRADING_PERMISSIONS } from './accounts.js';
import type { LoopbackAccount } from './accounts.js';
import { units } from './decimal.js';
import { newOkxKey, OkxLoopback } from './okx/okx-loopback.js';
import { OkxTestClient } from './okx/test-client.js';

const SPOT = { instId: 'BTC-USDT', tdMode: 'cash', side: 'buy', ordType: 'limit', px: '49000', sz: '0.01' };
const SWAP = { ...SPOT, instId: 'BTC-USDT-SWAP', tdMode: 'cross', sz: '1' };
const ORDER = 'trade/order';

let loopback: OkxLoopback;
let account: LoopbackAccount;
let client: OkxTestClient;
let open: OkxTestClient;

beforeEach(async () => {
  loopback = await OkxLoopback.start();
  account = loopback.openAccount();
  client = new OkxTestClient(loopback, account.keys[0]);
  open = new OkxTestClient(loopback);
});
afterEach(() => loopback.close());

/** The order with this client id as its look-up shows it. */
async function order(instId: string, clOrdId: string): Promise<Record<string, unknown>> {
  return (await client.get(ORDER, { instId, clOrdId })).data[0]!;
}

describe('a signed request to the loopback OKX', () => {
  it.each<[string, Record<string, string>, number, string]>([
    ['key', { 'ok-access-key': '' }, 401, '50103'],
    ['passphrase', { 'ok-access-passphrase': '' }, 401, '50104'],
    ['signature', { 'ok-access-sign': '' }, 401, '50106'],
    ['known key', { 'ok-access-key': 'unknown' }, 401, '50111'],
    ['right passphrase', { 'ok-access-passphrase': 'wrong' }, 401, '50105'],
    ['right signature', { 'ok-access-sign': 'AAAA' }, 401, '50113'],
    ['timestamp in ISO form', { 'ok-access-timestamp': '1700000000' }, 401, '50112'],
    ['recent timestamp', { 'ok-access-timestamp': new Date(Date.now() - 31_000).toISOString() }, 401, '50102'],
    ['key of this environment', { 'x-simulated-trading': '1' }, 401, '50101'],
  ])('is refused without a %s', async (_, headers, status, code) => {
    const answer = await client.send('GET', 'account/balance', { headers });
    expect([answer.status, answer.body]).toMatchObject([status, { code, data: [] }]);
  });

  it('is refused from another address and without the permission to trade', async () => {
    const fixed = loopback.openAccount([newOkxKey({ addresses: ['192.0.2.1'] })]);
    const away = await new OkxTestClient(loopback, fixed.keys[0]).send('GET', 'account/balance');
    expect([away.status, away.body]).toMatchObject([401, { code: '50110' }]);
    const permissions = { ...TRADING_PERMISSIONS, spotTrading: false, futures: false };
    const reader = new OkxTestClient(loopback, loopback.openAccount([newOkxKey({ permissions })]).keys[0]);
    expect((await reader.get('account/balance')).code).toBe('0');
    expect(await reader.codeOf(ORDER, SPOT)).toBe('50120');
  });

  it('is refused with a wrong method, a wrong body and above its limit', async () => {
    expect((await client.send('GET', 'trade/cancel-order')).body).toMatchObject({ code: '50115' });
    expect((await client.send('GET', 'trade/nothing')).status).toBe(404);
    const limited = await Promise.all(Array.from({ length: 25 }, () => open.send('GET', 'public/time')));
    expect(limited.some(({ status }) => status === 429)).toBe(true);
    expect(limited.find(({ status }) => status === 429)!.body).toMatchObject({ code: '50011' });
  });

  it('that arrives after its expTime is refused', async () => {
    const late = { headers: { exptime: String(Date.now() - 1) }, members: SPOT };
    expect((await client.send('POST', ORDER, late)).body).toMatchObject({ code: '50036' });
    const inTime = { headers: { exptime: String(Date.now() + 5_000) }, members: SPOT };
    expect((await client.send('POST', ORDER, inTime)).body).toMatchObject({ code: '0' });
  });
});

describe('an order at the loopback OKX', () => {
  it.each<[string, object, string]>([
    ['an unknown instrument', { instId: 'X-USDT' }, '51001'],
    ['another margin mode', { tdMode: 'isolated' }, '51000'],
    ['another side', { side: 'BUY' }, '51000'],
    ['an unknown type', { ordType: 'stop' }, '51000'],
    ['no price', { px: '' }, '51204'],
    ['a price off the tick', { px: '49000.05' }, '51000'],
    ['a price above the limit', { px: '60000' }, '51137'],
    ['a price below the limit', { side: 'sell', px: '40000' }, '51138'],
    ['a size off the lot', { instId: 'ETH-USDT', px: '2400', sz: '0.0100005' }, '51121'],
    ['a size below the minimum', { sz: '0.000001' }, '51020'],
    ['a client id with a dash', { clOrdId: '1-1' }, '51000'],
    ['a client id of 33 characters', { clOrdId: 'a'.repeat(33) }, '51000'],
    ['a tag of 17 characters', { tag: 'a'.repeat(17) }, '51000'],
    ['an unknown self-trade prevention', { stpMode: 'none' }, '51000'],
    ['a flag to reduce at spot', { reduceOnly: true }, '51139'],
    ['too little money', { sz: '100' }, '51008'],
    ['no size', { sz: '' }, '50014'],
  ])('with %s is refused', async (_, change, code) => {
    expect(await client.codeOf(ORDER, { ...SPOT, ...change })).toBe(code);
    expect(loopback.trading.spot.ledger.orders).toEqual([]);
  });

  it('of a perpetual with a wrong position side, size or nothing to reduce is refused', async () => {
    expect(await client.codeOf(ORDER, { ...SWAP, posSide: 'long' })).toBe('51000');
    expect(await client.codeOf(ORDER, { ...SWAP, sz: '0.015' })).toBe('51121');
    expect(await client.codeOf(ORDER, { ...SWAP, sz: '0.001' })).toBe('51121');
    expect(await client.codeOf(ORDER, { ...SWAP, reduceOnly: true })).toBe('51169');
    expect(await client.codeOf(ORDER, { ...SWAP, ordType: 'market', sz: '20000' })).toBe('51101');
  });

  it('has a client id that no open order of the account has', async () => {
    expect(await client.codeOf(ORDER, { ...SPOT, clOrdId: 'same' })).toBe('0');
    expect(await client.codeOf(ORDER, { ...SWAP, clOrdId: 'same' })).toBe('51016');
    await client.post('trade/cancel-order', { instId: 'BTC-USDT', clOrdId: 'same' });
    expect(await client.codeOf(ORDER, { ...SWAP, clOrdId: 'same' })).toBe('0');
  });

  it('is sized in contracts for a perpetual', async () => {
    await client.post(ORDER, { ...SWAP, ordType: 'market', px: '', sz: '2.5', clOrdId: 'm' });
    expect(loopback.trading.swap.ledger.positionOf(account.id, 'BTC-USDT-SWAP')).toBe(units('0.025'));
    expect(await order('BTC-USDT-SWAP', 'm')).toMatchObject({ state: 'filled', accFillSz: '2.5', sz: '2.5', px: '' });
  });

  it('to buy at market takes its size in the quote currency unless it says otherwise', async () => {
    const market = { ...SPOT, ordType: 'market', px: '' };
    await client.post(ORDER, { ...market, sz: '1000', clOrdId: 'quote' });
    await client.post(ORDER, { ...market, sz: '0.02', tgtCcy: 'base_ccy', clOrdId: 'base' });
    const [quote, base] = loopback.trading.spot.ledger.ordersOf(account.id);
    expect(quote!.state.quoteFilled).toBeLessThanOrEqual(units('1000'));
    expect(quote!.state.quoteFilled).toBeGreaterThan(units('999.99'));
    expect(base!.state.filled).toBe(units('0.02'));
    expect(await order('BTC-USDT', 'quote')).toMatchObject({ sz: '1000', tgtCcy: 'quote_ccy' });
  });

  it('that is post-only and would take is accepted and cancelled at once', async () => {
    expect(await client.codeOf(ORDER, { ...SPOT, ordType: 'post_only', px: '51000', clOrdId: 'p' })).toBe('0');
    expect(await order('BTC-USDT', 'p')).toMatchObject({ state: 'canceled', cancelSource: '31', accFillSz: '0' });
    expect(await client.codeOf(ORDER, { ...SPOT, ordType: 'post_only', clOrdId: 'q' })).toBe('0');
    expect(await order('BTC-USDT', 'q')).toMatchObject({ state: 'live' });
  });

  it('ends as its type says', async () => {
    await client.post(ORDER, { ...SPOT, ordType: 'ioc', clOrdId: 'none' });
    expect(await order('BTC-USDT', 'none')).toMatchObject({ state: 'canceled', cancelSource: '14' });
    await client.post(ORDER, { ...SPOT, ordType: 'ioc', px: '50000.5', sz: '1', clOrdId: 'part' });
    expect(await order('BTC-USDT', 'part')).toMatchObject({ state: 'canceled', accFillSz: '0.4', cancelSource: '14' });
    await client.post(ORDER, { ...SPOT, ordType: 'fok', px: '50000.5', sz: '1', clOrdId: 'all' });
    expect(await order('BTC-USDT', 'all')).toMatchObject({ state: 'canceled', accFillSz: '0', cancelSource: '13' });
  });

  it.each([
    ['cancel_maker', 'canceled', 'live'],
    ['cancel_taker', 'live', 'canceled'],
    ['cancel_both', 'canceled', 'canceled'],
  ])('that meets one of its owner with %s leaves the maker %s and the taker %s', async (stpMode, maker, taker) => {
    loopback.background.spot.clear('BTC-USDT');
    await client.post(ORDER, { ...SPOT, px: '50000', clOrdId: 'maker' });
    await client.post(ORDER, { ...SPOT, side: 'sell', px: '50000', stpMode, clOrdId: 'taker' });
    expect([(await order('BTC-USDT', 'maker'))['state'], (await order('BTC-USDT', 'taker'))['state']]).toEqual([
      maker,
      taker,
    ]);
    expect(loopback.trading.spot.ledger.fills).toEqual([]);
  });

  it('is cancelled, amended and cancelled by a timer', async () => {
    const name = { instId: 'BTC-USDT', clOrdId: 'a' };
    expect(await client.codeOf('trade/cancel-order', name)).toBe('51400');
    expect(await client.codeOf('trade/amend-order', { ...name, newPx: '49100' })).toBe('51503');
    await client.post(ORDER, { ...SPOT, clOrdId: 'a' });
    expect(await client.codeOf('trade/amend-order', name)).toBe('51500');
    expect(await client.codeOf('trade/amend-order', { ...name, newPx: '49100', newSz: '0.02' })).toBe('0');
    expect(await order('BTC-USDT', 'a')).toMatchObject({ px: '49100', sz: '0.02', state: 'live' });
    expect(account.spot.balance('USDT').locked).toBe(units('982'));
    expect(await client.codeOf('trade/amend-order', { ...name, newSz: '100' })).toBe('51008');
    expect(account.spot.balance('USDT').locked).toBe(units('982'));
    // The price now crosses the book: the amended order trades.
    expect(await client.codeOf('trade/amend-order', { ...name, newPx: '50100' })).toBe('0');
    expect(await order('BTC-USDT', 'a')).toMatchObject({ state: 'filled', accFillSz: '0.02' });
    expect(account.spot.balance('USDT').locked).toBe(0n);
    expect((await client.post('trade/cancel-all-after', { timeOut: '5' })).code).toBe('51000');
    loopback.rest.limits.pardon();
    const [timer] = (await client.post('trade/cancel-all-after', { timeOut: '10' })).data;
    expect(Number(timer!['triggerTime'])).toBeGreaterThan(Date.now() + 9_000);
  });

  it('of a batch succeeds or fails for itself', async () => {
    const answer = await client.post('trade/batch-orders', [SPOT, { ...SPOT, sz: '0.000001' }, SWAP]);
    expect(answer.code).toBe('2');
    expect(answer.data.map(({ sCode }) => sCode)).toEqual(['0', '51020', '0']);
    const orders = answer.data.filter(({ sCode }) => sCode === '0').map(({ ordId }) => ordId);
    const cancels = [
      { instId: 'BTC-USDT', ordId: orders[0] },
      { instId: 'BTC-USDT-SWAP', ordId: orders[1] },
    ];
    expect((await client.post('trade/cancel-batch-orders', cancels)).code).toBe('0');
    expect((await client.post('trade/cancel-batch-orders', cancels)).code).toBe('1');
    const many = Array.from({ length: 21 }, () => SPOT);
    expect((await client.post('trade/batch-orders', many)).code).toBe('51111');
  });
});

describe('lists of the loopback OKX', () => {
  it('have pages from the newest entry on', async () => {
    for (let id = 1; id <= 5; id += 1) await client.post(ORDER, { ...SPOT, clOrdId: `o${id}` });
    const names = async (members: object) =>
      (await client.get('trade/orders-pending', { instType: 'SPOT', ...members })).data.map(({ clOrdId }) => clOrdId);
    expect(await names({ limit: '2' })).toEqual(['o5', 'o4']);
    const [, second] = (await client.get('trade/orders-pending', { limit: '2' })).data;
    expect(await names({ limit: '2', after: second!['ordId'] })).toEqual(['o3', 'o2']);
    expect(await names({ before: second!['ordId'] })).toEqual(['o5']);
    expect((await client.get('trade/orders-pending', { limit: '101' })).code).toBe('51000');
    expect(await names({ instId: 'ETH-USDT' })).toEqual([]);
  });

  it('need a type of instrument for the history', async () => {
    expect((await client.get('trade/orders-history')).code).toBe('50014');
    expect((await client.get('trade/fills-history')).code).toBe('50014');
  });

  it('forget an order without a fill after two hours', async () => {
    await client.post(ORDER, { ...SPOT, ordType: 'ioc', clOrdId: 'none' });
    await client.post(ORDER, { ...SPOT, ordType: 'ioc', px: '50100', clOrdId: 'filled' });
    loopback.clock.offsetMs = 2 * 3_600_000 + 1_000;
    const history = await client.get('trade/orders-history', { instType: 'SPOT' });
    expect(history.data.map(({ clOrdId }) => clOrdId)).toEqual(['filled']);
    expect((await client.get(ORDER, { instId: 'BTC-USDT', clOrdId: 'none' })).code).toBe('51603');
    const [fill] = (await client.get('trade/fills', { instType: 'SPOT' })).data;
    expect(fill).toMatchObject({ clOrdId: 'filled', fillSz: '0.01', fee: '-0.00001', feeCcy: 'BTC', execType: 'T' });
  });
});

describe('settings of an account at the loopback OKX', () => {
  it('are the position mode and the leverage', async () => {
    const config = async () => (await client.get('account/config')).data[0]!;
    expect(await config()).toMatchObject({ posMode: 'net_mode', perm: 'read_only,trade', acctLv: '2' });
    expect((await client.post('account/set-position-mode', { posMode: 'long_short_mode' })).code).toBe('0');
    expect(await client.codeOf(ORDER, { ...SWAP, posSide: 'net' })).toBe('51000');
    expect(await client.codeOf(ORDER, { ...SWAP, posSide: 'long', ordType: 'market', px: '' })).toBe('0');
    expect((await client.get('account/positions')).data).toMatchObject([{ posSide: 'long', pos: '1', lever: '20' }]);
    expect((await client.post('account/set-position-mode', { posMode: 'net_mode' })).code).toBe('59000');
    const leverage = { instId: 'BTC-USDT-SWAP', mgnMode: 'cross', lever: '5' };
    expect((await client.post('account/set-leverage', leverage)).data).toMatchObject([{ lever: '5' }]);
    expect((await client.post('account/set-leverage', { ...leverage, lever: '101' })).code).toBe('51000');
    expect((await client.get('account/positions')).data).toMatchObject([{ lever: '5' }]);
  });

  it('do not lend the collateral of positions to spot orders', async () => {
    await client.post(ORDER, { ...SWAP, ordType: 'market', px: '', sz: '10000' });
    const [balance] = (await client.get('account/balance', { ccy: 'USDT' })).data;
    const detail = (balance!['details'] as Record<string, string>[])[0]!;
    expect(Number(detail['availBal'])).toBeLessThan(Number(detail['cashBal']) - 200_000);
    expect(await client.codeOf(ORDER, { ...SPOT, sz: '19' })).toBe('51008');
    expect(await client.codeOf(ORDER, { ...SPOT, sz: '10' })).toBe('0');
  });
});
