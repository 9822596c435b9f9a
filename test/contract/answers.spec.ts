import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BATCH_ORDERS_MAX } from '../../src/domain/limits/clients.js';
import { amountOf, type Lots, type Notional, type Ticks } from '../../src/domain/quantity.js';
import type { ClientOrderId, OrderId } from '../../src/domain/ids.js';
import type { EpochMs } from '../../src/domain/time.js';
import { type OpenOperation, type SignedOperation, isSigned } from '../../src/api/document/operation.js';
import { OPERATIONS } from '../../src/api/document/operations.js';
import { ErrorAnswer } from '../../src/api/document/service.js';

import { ACCOUNTS, RunningServer, type Answer } from '../http/running-server.js';
import { NOW_MS, createBody, parentOrder, parentState } from '../http/orders.js';
import { pairBody } from '../api/pairs.js';
import { pairOf } from '../domain/sample-pair.js';
import { FILLED } from '../stream/sample-events.js';
import { closed, complaintsOf } from './compiled.js';

const server = new RunningServer();

const BALANCES = [{ asset: 'USDT', total: amountOf(1_000_000_000_001n, 6), free: amountOf(0, 0) }];

/** A working order with a trade, a fee and every optional member, and an order without optional members. */
function fillBook(): void {
  const { book } = server;
  book.put(
    parentState(
      {
        orderId: 7 as OrderId,
        clientOrderId: 'mine' as ClientOrderId,
        endAtMs: (NOW_MS + 60_000) as EpochMs,
        limitPrice: 6_700_000 as Ticks,
        requestEcho: '{"clip_size_type":"ORDER_COUNT","clip_size_val":4,"params":{"duration_seconds":60}}',
      },
      {
        status: 'PARTIALLY_FILLED',
        outcome: { code: 'EXCHANGE_ERROR', message: 'the exchange said no' },
      },
      {
        progress: { filled: 3 as Lots, notional: 20_000_001n as Notional },
        lastQuantity: 3 as Lots,
        lastPrice: 6_666_667 as Ticks,
        fees: [{ currency: 'USDT', amount: amountOf(-12n, 9) }],
      },
    ),
  );
  book.put(parentState({ orderId: 8 as OrderId }));
  book.put(parentState(pairOf(parentOrder({ orderId: 9 as OrderId }), 'OKX')));
  book.trading.set(7 as OrderId, [FILLED]);
}

/** Successful requests of each operation, one for every kind of its answers. */
const REQUESTS: { readonly [id: string]: readonly (string | object)[] } = {
  createOrder: [createBody(), createBody({ client_order_id: 'new' }), createBody({ side: 'UP' })],
  createOrders: [{ orders: [createBody(), { client_order_id: 'bad' }, createBody({ symbol: 'ETH/BTC' })] }],
  createMultiLegsOrder: [
    pairBody(),
    pairBody({ client_order_id: 'both' }, {}, { ccy: 'USD', target_value: '30000' }),
    pairBody({ legs: [] }),
  ],
  createMultiLegsOrders: [{ orders: [pairBody(), { client_order_id: 'bad' }, pairBody({ algo: 'X' })] }],
  cancelOrder: [{ order_id: 7 }, { client_order_id: 'mine' }, { order_id: 999 }],
  cancelOrders: [{ orders: [{ order_id: 7 }, { order_id: 999 }, {}, 5] }],
  cancelAllOrders: [''],
  cancelAllOrdersByPost: [{}],
  pauseOrder: [{ order_id: 7 }, { client_order_id: 'mine' }],
  resumeOrder: [{ order_id: 7 }],
  amendOrder: [
    { order_id: 7, quantity: '0.01' },
    { order_id: 7, limit_price: 'no' },
    { order_id: 9, quantity: '1' },
  ],
  cancelAllAfter: [{ timeout_ms: 0 }, { timeout_ms: 60_000 }],
  engageKillSwitch: [{ engaged: true }],
  getGuardrails: [''],
  previewOrder: [createBody(), createBody({ quantity: '0', side: 'up' }), createBody({ client_order_id: 'mine' })],
  listOpenOrders: ['', 'include_fees=true&include_params=true&include_trades=true'],
  findOrders: ['', `endMs=${NOW_MS}&include_fees=true&include_params=true&include_trades=true&limit=1&startMs=0`],
  getOrderTimeline: ['orderId=7', 'clientOrderId=mine&after=2&limit=1'],
  getOrderCost: ['orderId=7', 'clientOrderId=mine'],
  getWindowCost: ['', 'by=side,exchange&exchange=binance&from=0&strategy=twap&symbol=BTC%2FUSDT'],
  getOrders: [
    'orderIds=7,8,9',
    'clientOrderIds=mine&include_fees=true&include_params=true&include_trades=true',
    'orderIds=999',
  ],
  listUserTrades: ['exchange=BINANCE&orderIds=7', 'clientOrderIds=mine&exchange=binance&subaccount=x'],
  listBalances: ['exchange=BINANCE'],
  listPositions: ['exchange=BINANCE', 'exchange=binance&subaccount=x'],
  getListenKey: [''],
  listExchanges: ['', 'all=true'],
  listFundingRateHistory: ['exchange=BINANCE&symbol=BTC%2FUSDT'],
  listLastFundingRates: ['', 'exchange=OKX', 'exchange=BINANCE&symbol=BTC%2FUSDT%3AUSDT'],
  listInstruments: ['', 'exchange=LIGHTER', 'symbol=ETH%2FBTC'],
  ping: [''],
  health: [''],
  ready: [''],
  metrics: [''],
  openapi: [''],
  asyncapi: [''],
  docs: [''],
  console: [''],
};

function send(operation: SignedOperation | OpenOperation, request: string | object): Promise<Answer> {
  if (isSigned(operation) && operation.method === 'POST') return server.post(operation.path, request);
  return server.get(operation.path, typeof request === 'string' ? request : '');
}

/** The errors of an answer by its schema. */
function complaint(operation: SignedOperation | OpenOperation, { text, headers }: Answer): string {
  const isJson = headers['content-type'] === 'application/json';
  return complaintsOf(closed(operation.success.schema), isJson ? JSON.parse(text) : text);
}

const complaintOfError = ({ text }: Answer): string => complaintsOf(closed(ErrorAnswer), JSON.parse(text));

beforeEach(async () => {
  await server.start({
    orderRate: 10,
    readRate: 10,
    accounts: { ...ACCOUNTS, balances: (_account, _venue, answer) => answer(BALANCES) },
  });
  fillBook();
});
afterEach(() => server.server.close());

describe.each(OPERATIONS.map((operation) => [operation.id, operation] as const))('%s', (id, operation) => {
  it('answers by its documented schema', async () => {
    expect(REQUESTS[id], 'every documented operation has a request here').toBeDefined();
    for (const request of REQUESTS[id] ?? []) {
      const answer = await send(operation, request);
      expect(answer.status, answer.text).toBe(operation.success.status);
      expect(complaint(operation, answer), JSON.stringify(request)).toBe('');
      expect(answer.headers['x-request-id']).toMatch(/\S/);
      if (isSigned(operation)) expect(answer.headers).toHaveProperty('ratelimit-remaining');
    }
  });

  if (!isSigned(operation)) return;

  it('refuses with the documented error body', async () => {
    const request = REQUESTS[id]?.[0] ?? '';
    const unsigned = await server.send(operation.method, operation.path, '', {});
    expect([unsigned.status, complaintOfError(unsigned)]).toEqual([401, '']);
    if (operation.needs === 'trade') {
      const reader = { key: 'READER' };
      const forbidden =
        operation.method === 'POST'
          ? await server.post(operation.path, request, reader)
          : await server.get(operation.path, '', reader);
      expect([forbidden.status, complaintOfError(forbidden)]).toEqual([403, '']);
    }
    const wrong =
      operation.method === 'POST' ? await server.post(operation.path, '{') : await server.get(operation.path, '%zz');
    // Some operations take no parameters and ignore the body.
    if (wrong.status !== 200) expect([wrong.status, complaintOfError(wrong)]).toEqual([400, '']);
    const statuses = new Set<number>();
    for (let count = 0; count < 25; count += 1) {
      const answer = await send(operation, request);
      statuses.add(answer.status);
      if (answer.status === 429) expect(complaintOfError(answer)).toBe('');
    }
    expect(statuses).toContain(429);
  });
});

describe('documented answers in special cases', () => {
  it('cover a batch that is too large', async () => {
    const create = OPERATIONS.find(({ id }) => id === 'createOrders') as SignedOperation;
    const orders = Array.from({ length: BATCH_ORDERS_MAX + 1 }, () => createBody());
    const answer = await server.post(create.path, { orders });
    expect([answer.status, complaintOfError(answer)]).toEqual([400, '']);
    expect(JSON.parse(answer.text)).toMatchObject({ error_code: 'BATCH_OVERSIZE' });
  });

  it('cover orders and readiness while the service shuts down', async () => {
    server.server.stopAccepting();
    const answer = await server.post('/api/v2/trading/order/create', createBody());
    expect([answer.status, complaintOfError(answer)]).toEqual([503, '']);
    const ready = OPERATIONS.find(({ id }) => id === 'ready') as OpenOperation;
    const probe = await server.send('GET', ready.path, '', {});
    expect([probe.status, complaint(ready, probe)]).toEqual([503, '']);
  });
});
