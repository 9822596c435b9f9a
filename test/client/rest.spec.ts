import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_RETRY, SluiceClient, SluiceError } from '../../src/client/index.js';
import type { OrderRequest } from '../../src/client/index.js';
import { API_KEY, API_SECRET, FakeService } from './fake-service.js';
import { PLAIN_REQUEST } from './plain-request.js';

const ORDER: OrderRequest = { ...PLAIN_REQUEST, strategy: 'TWAP', params: { duration_seconds: '60' } };
const DETAILS = { order_id: 7, status: 'ACCEPTED', exchange: 'BINANCE' };

let service: FakeService;
let client: SluiceClient;

beforeEach(async () => {
  service = await FakeService.start();
  client = new SluiceClient({ url: service.url, apiKey: API_KEY, apiSecret: API_SECRET });
});
afterEach(async () => {
  client.close();
  await service.stop();
});

/** The error of a rejected call. */
async function refusal(call: Promise<unknown>): Promise<SluiceError> {
  const error: unknown = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof SluiceError) return error;
  throw new Error('the call was not refused');
}

describe('the REST client', () => {
  it('signs bodies and returns summaries, also of rejected orders', async () => {
    service.on('POST /api/v2/trading/order/create', ({ body }) => ({
      status: 201,
      content:
        (body as OrderRequest).quantity === '0' ? { status: 'REJECTED' } : { status: 'PENDING_NEW', order_id: 7 },
    }));
    expect(await client.create(ORDER)).toEqual({ status: 'PENDING_NEW', order_id: 7 });
    expect(await client.create({ ...ORDER, quantity: '0' })).toEqual({ status: 'REJECTED' });
    expect(service.asked[0]?.body).toEqual({ ...ORDER, client_order_id: expect.any(String) as string });
  });

  it('returns the lists of the answers', async () => {
    service.on('POST /api/v2/trading/order/createMany', () => ({
      status: 201,
      content: { orders: [{ order_id: 1 }] },
    }));
    service.on('POST /api/v2/trading/order/cancelMany', () => ({ content: [{ order_id: 1 }] }));
    service.on('POST /api/v2/trading/order/cancel', () => ({ content: { status: 'PENDING_CANCEL' } }));
    service.on('GET /api/v2/trading/userTrades', () => ({ content: { trades: [{ price: 1 }] } }));
    for (const name of ['open', 'find', 'byId', 'cancelAll']) {
      service.on(`GET /api/v2/trading/order/${name}`, () => ({ content: { orders: [DETAILS] } }));
    }
    expect(await client.createMany([ORDER])).toEqual([{ order_id: 1 }]);
    expect(await client.cancelMany([{ order_id: 1 }])).toEqual([{ order_id: 1 }]);
    expect(await client.cancel({ client_order_id: 'x' })).toEqual({ status: 'PENDING_CANCEL' });
    expect(await client.userTrades({ exchange: 'BINANCE', orderIds: [1] })).toEqual([{ price: 1 }]);
    for (const list of [client.open(), client.find(), client.byId({ orderIds: [7] }), client.cancelAll()]) {
      expect(await list).toEqual([DETAILS]);
    }
  });

  it('queries funding rates', async () => {
    for (const name of ['fundingRateHistory', 'lastFundingRates']) {
      service.on(`GET /api/v2/data/${name}`, ({ query }) => ({ content: [{ name, ...Object.fromEntries(query) }] }));
    }
    expect(await client.fundingRateHistory('OKX', 'BTC/USDT:USDT')).toEqual([
      { name: 'fundingRateHistory', exchange: 'OKX', symbol: 'BTC/USDT:USDT' },
    ]);
    expect(await client.lastFundingRates()).toEqual([{ name: 'lastFundingRates' }]);
    expect(await client.lastFundingRates({ symbol: 'BTC/USDT' })).toEqual([
      { name: 'lastFundingRates', symbol: 'BTC/USDT' },
    ]);
  });

  it('signs queries in alphabetical order', async () => {
    service.on('GET /api/v2/trading/order/byId', ({ query }) => ({ content: { orders: [Object.fromEntries(query)] } }));
    const query = { orderIds: [1, 2], clientOrderIds: ['a/b', 'c d'], includeTrades: true, includeFees: false };
    expect(await client.byId(query)).toEqual([
      { clientOrderIds: 'a/b,c d', include_fees: 'false', include_trades: 'true', orderIds: '1,2' },
    ]);
  });

  it('reports readiness without a key', async () => {
    const keyless = new SluiceClient({ url: service.url });
    expect(await keyless.isReady()).toBe(true);
    service.on('GET /status/ready', () => ({ status: 503, content: {} }));
    expect(await keyless.isReady()).toBe(false);
    expect((await keyless.ping()).status).toBe('ok');
    keyless.close();
  });

  it('rejects with the code, message and request id of the answer', async () => {
    const stranger = new SluiceClient({ url: service.url, apiKey: API_KEY, apiSecret: 'AAAA' });
    const refused = await refusal(stranger.open());
    expect(refused).toMatchObject({ status: 401, code: 'INVALID_SIGNATURE', message: 'bad', requestId: 'r-1' });
    stranger.close();
  });

  it('rejects an answer that does not come from the service', async () => {
    service.on('GET /api/v2/trading/order/open', () => ({ status: 299, content: '<html>' }));
    expect(await refusal(client.open())).toMatchObject({ status: 299, code: 'OTHER' });
  });

  it('rejects with status 0 without an answer', async () => {
    const impatient = new SluiceClient({ url: service.url, apiKey: API_KEY, apiSecret: API_SECRET, retry: NO_RETRY });
    await service.stop();
    expect(await refusal(impatient.open())).toMatchObject({ status: 0, code: 'NETWORK_ERROR', requestId: null });
    service = await FakeService.start();
  });
});
