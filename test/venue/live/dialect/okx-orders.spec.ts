import { createSecretKey } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Lots, Ticks } from '../../../../src/domain/quantity.js';
import type { ChildSubmission } from '../../../../src/domain/venue-message.js';
import {
  type ContractInstrument,
  nameFields,
  type OkxFields,
  placeFields,
  readPlacement,
} from '../../../../src/venue/live/dialect/okx-orders.js';
import { instrumentCodes, orderInRequest, socketRequest } from '../../../../src/venue/live/dialect/okx-socket.js';
import { OkxRest, type OrderCheck } from '../../../../src/venue/live/okx/okx-rest.js';
import type { HttpRequest } from '../../../../src/venue/live/transport/https-client.js';
import type { RestName } from '../../../../src/venue/live/transport/rest-form.js';
import { assertWrittenAs, WrongRequest } from '../../../../src/venue/live/wire-guard.js';
import { submissionOf } from '../lossy-exchange.js';

const GOLDEN = join(import.meta.dirname, 'okx-orders.golden.txt');
const CLIENT_ID = '3814123456789x17';
const GRID = { quantityPrecision: 8, pricePrecision: 1, quantityStep: 1, priceStep: 1 };
const SPOT: ContractInstrument = { ...GRID, exchangeSymbol: 'BTC-USDT', isFuture: false, contractSize: '1' };
/** One lot is 0.01 contracts of 0.01 BTC. */
const SMALL: ContractInstrument = {
  ...GRID,
  exchangeSymbol: 'BTC-USDT-SWAP',
  isFuture: true,
  contractSize: '0.01',
  quantityPrecision: 4,
};
/** One lot is 0.01 contracts of 1,000 DOGE. */
const LARGE: ContractInstrument = {
  exchangeSymbol: 'DOGE-USDT-SWAP',
  isFuture: true,
  contractSize: '1000',
  quantityPrecision: 0,
  quantityStep: 10,
  pricePrecision: 5,
  priceStep: 1,
};
const INSTRUMENTS = [SPOT, SMALL, LARGE];
const PREVENTIONS = ['EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH'] as const;

/** Every child that a strategy can place at the product. */
function children(to: ContractInstrument): ChildSubmission[] {
  const kinds = [
    { type: 'LIMIT', timeInForce: 'GTC', postOnly: false, limitPrice: 612_345 as Ticks },
    { type: 'LIMIT', timeInForce: 'GTC', postOnly: true, limitPrice: 612_341 as Ticks },
    { type: 'LIMIT', timeInForce: 'IOC', postOnly: false, limitPrice: 612_305 as Ticks },
    { type: 'MARKET', timeInForce: 'IOC', postOnly: false, limitPrice: null },
  ] as const;
  const all: ChildSubmission[] = [];
  for (const side of ['BUY', 'SELL'] as const) {
    for (const kind of kinds) {
      for (const reduceOnly of to.isFuture ? [false, true] : [false]) {
        for (const selfTradePrevention of PREVENTIONS) {
          all.push({
            ...submissionOf(1, 17),
            ...kind,
            side,
            reduceOnly,
            selfTradePrevention,
            quantity: 12_340 as Lots,
          });
        }
      }
    }
  }
  return all;
}

const CODES: Readonly<Record<string, number>> = {
  'BTC-USDT': 10_459,
  'BTC-USDT-SWAP': 10_461,
  'DOGE-USDT-SWAP': 10_463,
};
const EXPIRY = '1700000002000';

function codeOf({ exchangeSymbol }: ContractInstrument) {
  return { instId: exchangeSymbol, instIdCode: CODES[exchangeSymbol]! };
}

/** A placement on the private socket. */
function placedOnSocket(child: ChildSubmission, to: ContractInstrument): string {
  const fields = placeFields(child, CLIENT_ID, to);
  return socketRequest('1700000000000001', 'order', fields, { ...codeOf(to), expTime: EXPIRY });
}

function cancelledOnSocket(to: ContractInstrument): string {
  const fields = nameFields(CLIENT_ID, to);
  return socketRequest('1700000000000002', 'cancel-order', fields, { ...codeOf(to), expTime: null });
}

function goldenText(): string {
  const lines: string[] = [];
  for (const to of INSTRUMENTS) {
    const { exchangeSymbol } = to;
    for (const child of children(to)) {
      lines.push(`${exchangeSymbol} place ${JSON.stringify(placeFields(child, CLIENT_ID, to))}`);
    }
    for (const child of children(to)) lines.push(`${exchangeSymbol} socket place ${placedOnSocket(child, to)}`);
    lines.push(
      `${exchangeSymbol} cancel ${JSON.stringify(nameFields(CLIENT_ID, to))}`,
      `${exchangeSymbol} socket cancel ${cancelledOnSocket(to)}`,
      `${exchangeSymbol} look-up ${new URLSearchParams(nameFields(CLIENT_ID, to)).toString()}`,
    );
  }
  return `${lines.join('\n')}\n`;
}

/** What the guard says about a body that is to leave for a child. */
function judged(child: ChildSubmission, to: ContractInstrument, body: object | string): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  assertWrittenAs(child, CLIENT_ID, to, readPlacement(text, to));
}

describe('orders of OKX', () => {
  it('are written byte for byte as recorded', () => {
    const written = goldenText();
    if (process.env['WIRE_GOLDEN'] === 'write') writeFileSync(GOLDEN, written);
    expect(written).toBe(readFileSync(GOLDEN, 'utf8'));
  });

  it('pass the guard as they are written', () => {
    for (const to of INSTRUMENTS) {
      for (const child of children(to)) {
        judged(child, to, placeFields(child, CLIENT_ID, to));
        judged(child, to, orderInRequest(placedOnSocket(child, to), { ...codeOf(to), expTime: EXPIRY })!);
      }
      expect(orderInRequest(cancelledOnSocket(to), { ...codeOf(to), expTime: null })).toBeNull();
    }
  });

  it('leave on the socket in no other request than the one for a single order that expires', () => {
    const expected = { ...codeOf(SPOT), expTime: EXPIRY };
    const right = JSON.parse(placedOnSocket(children(SPOT)[0]!, SPOT)) as { args: [object] };
    const args = (change: object) => ({ ...right, args: [{ ...right.args[0], ...change }] });
    for (const wrong of [
      null,
      [right],
      args({ instIdCode: 10_461 }),
      args({ instIdCode: '10459' }),
      args({ instId: 'BTC-USDT' }),
      { ...right, op: 'amend-order' },
      { ...right, op: 'batch-orders' },
      { ...right, args: [] },
      { ...right, args: [...right.args, ...right.args] },
      { ...right, expTime: '1700000005000' },
      { ...right, expTime: undefined },
      { ...right, more: 1 },
    ]) {
      expect(() => orderInRequest(JSON.stringify(wrong), expected), JSON.stringify(wrong)).toThrow(WrongRequest);
    }
    const cancel = { ...codeOf(SPOT), expTime: null };
    const endless = placedOnSocket(children(SPOT)[0]!, SPOT).replace(`,"expTime":"${EXPIRY}"`, '');
    expect(() => orderInRequest(endless, cancel)).toThrow('the order has no expiry');
  });

  it('name instruments by the numbers of the market list that are numbers', () => {
    const codes: unknown[] = [10_459, 0, -1, 1.5, '10460', null, undefined];
    const data = codes.map((instIdCode, index) => ({ instId: `A${index}`, instIdCode }));
    expect(instrumentCodes({ code: '0', data: [...data, { instIdCode: 7 }, null] })).toEqual([
      { instId: 'A0', instIdCode: 10_459 },
    ]);
    expect(instrumentCodes('<html></html>')).toEqual([]);
  });

  it('are refused before they are sent when any member is changed, missing or added', () => {
    for (const to of INSTRUMENTS) {
      for (const child of children(to)) {
        for (const wrong of faulty(placeFields(child, CLIENT_ID, to), to)) {
          expect(() => judged(child, to, wrong), JSON.stringify(wrong)).toThrow(WrongRequest);
        }
      }
    }
  });

  it('state contracts exactly, or are refused', () => {
    const [child] = children(SMALL);
    const size = (quantity: number, to: ContractInstrument) =>
      placeFields({ ...child!, quantity: quantity as Lots }, CLIENT_ID, to)['sz'];
    expect(size(1, SMALL)).toBe('0.01');
    expect(size(100, SMALL)).toBe('1');
    expect(size(9_007_199_254_740_991, SMALL)).toBe('90071992547409.91');
    expect(size(1, LARGE)).toBe('0.01');
    expect(size(12_345, LARGE)).toBe('123.45');
    expect(size(1, SPOT)).toBe('0.00000001');
    expect(size(3, { ...SMALL, contractSize: '0.0003' })).toBe('1');
    expect(() => size(1, { ...SMALL, contractSize: '0.0003' })).toThrow('no exact number of contracts');
    expect(() => size(1, { ...SMALL, contractSize: '0' })).toThrow('no exact number of contracts');
  });

  it('do not exist for a child that contradicts itself or the exchange', () => {
    const [child] = children(SPOT);
    const place = (change: Partial<ChildSubmission>) => () => placeFields({ ...child!, ...change }, CLIENT_ID, SPOT);
    expect(place({ reduceOnly: true })).toThrow('spot has no reduce-only orders');
    expect(place({ postOnly: true, timeInForce: 'IOC' })).toThrow('a post-only order rests');
    expect(place({ limitPrice: null })).toThrow('a limit order, and only it, has a price');
    expect(place({ type: 'MARKET' })).toThrow('a limit order, and only it, has a price');
    expect(place({ selfTradePrevention: 'NONE' })).toThrow('OKX has no self-trade prevention NONE');
  });

  it('leave by no other request than the one for a single order, and not without their check', async () => {
    const looks: string[] = [];
    const order: OrderCheck = { expiresAtMs: 7, check: (body) => looks.push(body) };
    const body = '{"clOrdId":"1x1"}';
    expect(await byRest('POST /api/v5/trade/order', order)).toMatchObject({ body, headers: { expTime: '7' } });
    expect(looks).toEqual([body]);
    expect(await byRest('POST /api/v5/trade/order')).toBeNull();
    expect(await byRest('POST /api/v5/trade/cancel-order')).toMatchObject({ body });
    expect(await byRest('GET /api/v5/trade/order')).toMatchObject({
      path: '/api/v5/trade/order?clOrdId=1x1',
      body: null,
    });
    for (const path of ['trade/batch-orders', 'trade/order-algo', 'trade/close-position', 'trade/amend-order']) {
      expect(await byRest(`POST /api/v5/${path}`, order), path).toBeNull();
    }
    expect(await byRest('POST /api/v5/account/set-leverage')).toBeNull();
  });
});

/** The request that leaves by REST; null: none. */
async function byRest(rest: RestName, order?: OrderCheck): Promise<HttpRequest | null> {
  let sent: HttpRequest | null = null;
  const own = new OkxRest({
    http: {
      send: (request) => {
        sent = request;
        return Promise.resolve({ reason: 'none' });
      },
    },
    origin: 'https://okx.test',
    key: { apiKey: 'key', secret: createSecretKey(Buffer.from('s')), passphrase: createSecretKey(Buffer.from('p')) },
    timestampMs: () => 0,
    headers: {},
  });
  await own.send({ rest, max: 1 }, { clOrdId: '1x1' }, order);
  return sent;
}

/** The faults that libraries have been seen to make, and some more. */
function* faulty(right: OkxFields, { isFuture }: ContractInstrument): Iterable<object | string> {
  const without = (name: string) => Object.fromEntries(Object.entries(right).filter(([key]) => key !== name));
  yield 'no JSON';
  yield '[]';
  yield JSON.stringify([right]);
  for (const name of Object.keys(right)) yield without(name);
  const { sz, side, ordType, stpMode } = right;
  yield { ...right, sz: `${String(sz)}0` };
  yield { ...right, sz: `${String(sz)}.0` };
  yield { ...right, sz: `0${String(sz)}` };
  yield { ...right, sz: Number(sz) };
  yield { ...right, sz: '0' };
  yield { ...right, sz: String(Number(sz) * 100) };
  yield { ...right, instId: 'BTC-USDC' };
  yield { ...right, instIdCode: 10_459 };
  yield { ...right, side: side === 'buy' ? 'sell' : 'buy' };
  yield { ...right, side: 'BUY' };
  yield { ...right, clOrdId: '6b9ad766b55dBCDE0123456789abcdef' };
  yield { ...right, tag: '6b9ad766b55dBCDE' };
  yield { ...right, tag: '' };
  yield { ...right, stpMode: stpMode === 'cancel_maker' ? 'cancel_taker' : 'cancel_maker' };
  yield { ...right, stpMode: '' };
  yield { ...right, stpMode: 'EXPIRE_TAKER' };
  yield { ...right, side: 'constructor' };
  yield { ...right, tdMode: isFuture ? 'isolated' : 'cross' };
  yield { ...right, posSide: isFuture ? 'long' : 'net' };
  yield { ...right, ccy: 'USDT' };
  yield { ...right, slTriggerPx: '60000' };
  yield { ...right, reduceOnly: right['reduceOnly'] !== true };
  yield { ...right, reduceOnly: 'true' };
  yield { ...right, ordType: 'fok' };
  yield { ...right, ordType: 'optimal_limit_ioc' };
  yield { ...right, ordType: ordType === 'limit' ? 'post_only' : 'limit' };
  yield { ...right, ordType: ordType === 'ioc' ? 'limit' : 'ioc' };
  yield { ...right, ordType: ordType === 'market' ? 'limit' : 'market' };
  yield { ...right, tgtCcy: 'quote_ccy' };
  yield { ...right, banAmend: right['banAmend'] !== true };
  yield { ...right, banAmend: 'true' };
  if (right['px'] === undefined) {
    yield { ...right, px: '61234.5' };
    return;
  }
  yield { ...right, px: `${String(right['px'])}0` };
  yield { ...right, px: '61234' };
  yield { ...right, px: Number(right['px']) };
  yield { ...right, px: '' };
}
