import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXCHANGE_BY_ID } from '../../src/client/wire.js';
import { SluiceClient, TERMINAL_STATUSES } from '../../src/client/index.js';
import type { MultiLegOrderRequest } from '../../src/client/index.js';
import { isSigned } from '../../src/api/document/operation.js';
import { OPERATIONS } from '../../src/api/document/operations.js';
import { EXCHANGE_CODES, EXCHANGE_IDS } from '../../src/domain/exchange.js';
import { isTerminal, ORDER_STATUSES } from '../../src/domain/order.js';
import { complaintsOf, open } from '../contract/compiled.js';
import { API_KEY, API_SECRET, FakeService } from './fake-service.js';
import { PLAIN_REQUEST } from './plain-request.js';

const LEG = { exchange: 'OKX', symbol: 'BTC/USDT', asset_category: 'SPOT', target_value: '0.5', ccy: 'BTC' } as const;
const PAIR: MultiLegOrderRequest = {
  algo: 'PAIR',
  legs: [
    { ...LEG, side: 'BUY', strategy: 'TWAP', params: { duration_seconds: '60', is_leading: true } },
    { ...LEG, side: 'SELL', strategy: 'MARKET' },
  ],
};
const MARKET = { exchange: 'OKX', symbol: 'BTC/USDT:USDT' } as const;

/** A call of the client for every operation of the API. */
const CALLS: Readonly<Record<string, (client: SluiceClient) => Promise<unknown>>> = {
  'POST /api/v2/trading/order/create': (client) => client.create(PLAIN_REQUEST),
  'POST /api/v2/trading/order/createMany': (client) => client.createMany([PLAIN_REQUEST, PLAIN_REQUEST]),
  'POST /api/v2/trading/order/create_multiLegs': (client) => client.createMultiLegs(PAIR),
  'POST /api/v2/trading/order/createMany/multilegs': (client) => client.createManyMultiLegs([PAIR]),
  'POST /api/v2/trading/order/cancel': (client) => client.cancel({ order_id: 7 }),
  'POST /api/v2/trading/order/cancelMany': (client) => client.cancelMany([{ client_order_id: 'mine' }]),
  'POST /api/v2/trading/order/pause': (client) => client.pause({ order_id: 7 }),
  'POST /api/v2/trading/order/resume': (client) => client.resume({ client_order_id: 'mine' }),
  'POST /api/v2/trading/order/amend': (client) => client.amend({ order_id: 7, quantity: '0.75' }),
  'POST /api/v2/trading/order/cancelAllAfter': (client) => client.cancelAllAfter(60_000),
  'POST /api/v2/trading/killSwitch': (client) => client.engageKillSwitch(),
  'GET /api/v2/account/guardrails': (client) => client.riskLimits(),
  'POST /api/v2/trading/order/preview': (client) => client.preview(PLAIN_REQUEST),
  'GET /api/v2/trading/order/timeline': (client) => client.timeline({ orderId: 7, after: 3, limit: 10 }),
  'GET /api/v2/trading/order/tca': (client) => client.orderCost({ orderId: 7 }),
  'GET /api/v2/trading/tca': (client) => client.windowCost({ from: 1, to: 2, by: ['strategy', 'side'] }),
  'GET /api/v2/trading/order/cancelAll': (client) => client.cancelAll(),
  'GET /api/v2/trading/order/open': (client) => client.open({ includeFees: true }),
  'GET /api/v2/trading/order/find': (client) => client.find({ startMs: 1, endMs: 2, limit: 3, includeTrades: true }),
  'GET /api/v2/trading/order/byId': (client) => client.byId({ orderIds: [7], clientOrderIds: ['mine'] }),
  'GET /api/v2/trading/userTrades': (client) => client.userTrades({ exchange: 'OKX', subaccount: 's', orderIds: [7] }),
  'GET /api/v2/trading/position': (client) => client.positions('OKX', 's'),
  'GET /api/v2/trading/balance': (client) => client.balances('OKX', 's'),
  'GET /api/v2/trading/listenKey': (client) => client.listenKey(),
  'GET /api/v2/data/exchanges': (client) => client.exchanges({ all: true }),
  'GET /api/v2/data/instruments': (client) => client.instruments(MARKET),
  'GET /api/v2/data/fundingRateHistory': (client) => client.fundingRateHistory(MARKET.exchange, MARKET.symbol),
  'GET /api/v2/data/lastFundingRates': (client) => client.lastFundingRates(MARKET),
  'GET /status/ping': (client) => client.ping(),
  'GET /status/health': (client) => client.health(),
  'GET /status/ready': (client) => client.isReady(),
};

/** Operations that the client must have: all except documents, metrics, and the second method of cancelAll. */
const WANTED = OPERATIONS.filter(
  (operation) =>
    (isSigned(operation) && operation.id !== 'cancelAllOrdersByPost') ||
    (!isSigned(operation) && operation.group !== 'Documents' && operation.contentType === 'application/json'),
).map((operation) => [`${isSigned(operation) ? operation.method : 'GET'} ${operation.path}`, operation] as const);

describe('the client', () => {
  let service: FakeService;
  let client: SluiceClient;

  beforeAll(async () => {
    service = await FakeService.start();
    client = new SluiceClient({ url: service.url, apiKey: API_KEY, apiSecret: API_SECRET });
  });
  afterAll(async () => {
    client.close();
    await service.stop();
  });

  it.each(WANTED)('has a method for %s whose request follows the schema', async (route, operation) => {
    const call = CALLS[route];
    if (call === undefined) throw new Error(`the client has no method for ${route}`);
    service.on(route, () => ({ status: operation.success.status, content: { orders: [], trades: [] } }));
    await call(client);
    const asked = service.asked.at(-1);
    expect(`${asked?.method} ${asked?.path}`).toBe(route);
    if (!isSigned(operation)) return;
    if (operation.body !== null) expect(complaintsOf(open(operation.body), asked?.body)).toBe('');
    const known = Object.keys(operation.query?.properties ?? {});
    expect(known).toEqual(expect.arrayContaining([...(asked?.query.keys() ?? [])]));
  });

  it('lists the exchanges and terminal states of the service', () => {
    for (const code of EXCHANGE_CODES) expect(EXCHANGE_BY_ID[EXCHANGE_IDS[code]]).toBe(code);
    expect(EXCHANGE_BY_ID.length).toBe(EXCHANGE_CODES.length + 1);
    expect(TERMINAL_STATUSES).toEqual(ORDER_STATUSES.filter(isTerminal));
  });
});
