import { createHmac, createPrivateKey, createSecretKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import {
  type BinanceKey,
  signedParameters,
  signedText,
} from '../../../../src/venue/live/transport/binance-signature.js';
import { bybitLogin, signedHeaders as bybitHeaders } from '../../../../src/venue/live/transport/bybit-signature.js';
import {
  loginMessage,
  type OkxKey,
  signedHeaders as okxHeaders,
} from '../../../../src/venue/live/transport/okx-signature.js';

/*
 * Signatures against the examples of the exchanges, and against those of a library that others wrote.
 *
 *   Binance  binance/binance-spot-api-docs at a5e0bc3: rest-api.md "HMAC Keys", web-socket-api.md "SIGNED request
 *            example (HMAC)"
 *   Bybit    bybit-exchange/docs at 072c197: docs/v5/guide.mdx "Create A Request". It names no secret, so its
 *            signatures are no example; its texts are.
 */

interface Library {
  nonce: () => number;
  options: Record<string, unknown>;
  sign(path: string, api: string, method: string, fields: object): Signed;
}

interface Signed {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

const TIME_MS = 1_700_000_000_123;

async function library(name: string, settings: object): Promise<Library> {
  const module = new URL(`./src/${name}.js`, import.meta.resolve('ccxt')).href;
  const { default: Exchange } = (await import(module)) as { default: new (settings: object) => Library };
  const made = new Exchange(settings);
  made.nonce = () => TIME_MS;
  return made;
}

function secretKey(text: string): KeyObject {
  return createSecretKey(Buffer.from(text));
}

function queryOf(url: string): string {
  return url.slice(url.indexOf('?') + 1);
}

describe('a signature for Binance', () => {
  const apiKey = 'vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A';
  const secret = secretKey('NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j');
  const key: BinanceKey = { kind: 'HMAC', apiKey, secret };
  const rest = { side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity: '1', price: '0.1', recvWindow: '5000' };

  it.each([
    ['LTCBTC', 'LTCBTC', 'c8db56825ae71d6d79447849e617115f4a920fa2acdcab2b053c4b2838bd6b71'],
    [
      '１２３４５６',
      '%EF%BC%91%EF%BC%92%EF%BC%93%EF%BC%94%EF%BC%95%EF%BC%96',
      'e1353ec6b14d888f1164ae9af8228a3dbd508bc82eb867db8ab6046442f33ef3',
    ],
  ])('by REST is that of the document for %s', (symbol, encoded, signature) => {
    const order = 'side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=0.1&recvWindow=5000&timestamp=1499827319559';
    expect(signedText({ symbol, ...rest }, key, 1_499_827_319_559)).toBe(
      `symbol=${encoded}&${order}&signature=${signature}`,
    );
  });

  it.each([
    [
      { symbol: 'BTCUSDT', side: 'SELL', quantity: '0.01000000', price: '52000.00', recvWindow: '100' },
      'aa1b5712c094bc4e57c05a1a5c1fd8d88dcd628338ea863fec7b88e59fe2db24',
    ],
    [
      { symbol: '１２３４５６', side: 'BUY', quantity: '1.00000000', price: '0.10000000', recvWindow: '5000' },
      'b33892ae8e687c939f4468c6268ddd4c40ac1af18ad19a064864c47bae0752cd',
    ],
  ])('on a socket is that of the document for %j', (fields, signature) => {
    const order = { ...fields, type: 'LIMIT', timeInForce: 'GTC' };
    expect(signedParameters(order, key, 1_645_423_376_532)).toEqual({
      ...order,
      recvWindow: Number(fields.recvWindow),
      timestamp: 1_645_423_376_532,
      apiKey,
      signature,
    });
  });

  it.each(['rsa', 'ed25519'] as const)('with a key of the kind %s is that of the library', async (kind) => {
    const pem = (
      kind === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 2_048 }) : generateKeyPairSync('ed25519')
    ).privateKey
      .export({ format: 'pem', type: 'pkcs8' })
      .toString();
    const binance = await library('binance', { apiKey: 'key', secret: pem });
    binance.options['recvWindow'] = undefined;
    const own: BinanceKey = { kind: kind === 'rsa' ? 'RSA' : 'ED25519', apiKey: 'key', secret: createPrivateKey(pem) };
    expect(signedText({}, own, TIME_MS)).toBe(queryOf(binance.sign('account', 'private', 'GET', {}).url));
  });
});

describe('a signature for Bybit', () => {
  const key = { apiKey: 'XXXXXXXXXX', secret: secretKey('the secret') };
  const windowMs = 2_000;

  it.each([
    ['category=option&symbol=BTC-29JUL22-25000-C', 1_658_384_314_791],
    ['{"category": "option"}', 1_658_385_579_423],
  ])('is over the text that the document makes of %s', (payload, timestampMs) => {
    const text = `${timestampMs}XXXXXXXXXX5000${payload}`;
    expect(bybitHeaders(key, payload, { timestampMs, windowMs: 5_000 })).toEqual({
      'X-BAPI-API-KEY': 'XXXXXXXXXX',
      'X-BAPI-TIMESTAMP': String(timestampMs),
      'X-BAPI-RECV-WINDOW': '5000',
      'X-BAPI-SIGN': createHmac('sha256', 'the secret').update(text).digest('hex'),
    });
  });

  it('is that of the library for a list and for an order', async () => {
    const bybit = await library('bybit', { apiKey: key.apiKey, secret: 'the secret' });
    bybit.options['recvWindow'] = windowMs;
    const fields = { category: 'linear', symbol: 'BTCUSDT', qty: '0.1' };
    const list = bybit.sign('v5/order/realtime', 'private', 'GET', fields);
    const order = bybit.sign('v5/order/create', 'private', 'POST', fields);
    const at = { timestampMs: TIME_MS, windowMs };
    expect(list.headers).toMatchObject(bybitHeaders(key, queryOf(list.url), at));
    expect(order.headers).toMatchObject(bybitHeaders(key, JSON.stringify(fields), at));
  });
});

describe('a signature for OKX', () => {
  const key: OkxKey = { apiKey: 'key', secret: secretKey('the secret'), passphrase: secretKey('the passphrase') };

  it('is that of the library for a list and for an order', async () => {
    const okx = await library('okx', { apiKey: 'key', secret: 'the secret', password: 'the passphrase' });
    const fields = { instId: 'BTC-USDT', clOrdId: '1x1' };
    const list = okx.sign('trade/order', 'private', 'GET', fields);
    const order = okx.sign('trade/order', 'private', 'POST', fields);
    const path = '/api/v5/trade/order';
    const listed = { method: 'GET', path: `${path}?${queryOf(list.url)}`, body: null };
    expect(list.headers).toEqual(okxHeaders(key, listed, TIME_MS));
    expect(order.headers).toMatchObject(
      okxHeaders(key, { method: 'POST', path, body: JSON.stringify(fields) }, TIME_MS),
    );
  });
});

it('is made without a text of the secret', () => {
  const secret = secretKey('the secret');
  const exported = vi.spyOn(secret, 'export');
  const passphrase = secretKey('the passphrase');
  signedText({}, { kind: 'HMAC', apiKey: 'key', secret }, TIME_MS);
  bybitHeaders({ apiKey: 'key', secret }, '', { timestampMs: TIME_MS, windowMs: 1 });
  bybitLogin({ apiKey: 'key', secret }, TIME_MS);
  okxHeaders({ apiKey: 'key', secret, passphrase }, { method: 'GET', path: '/', body: null }, TIME_MS);
  loginMessage({ apiKey: 'key', secret, passphrase }, TIME_MS);
  expect(exported).not.toHaveBeenCalled();
});
