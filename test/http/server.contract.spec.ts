import { Rejected } from '../../src/domain/rejection.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OrderId, ClientOrderId } from '../../src/domain/ids.js';
import { amountOf, type Lots } from '../../src/domain/quantity.js';
import { DEMO, NOW_MS, OTHER, createBody, parentState } from './orders.js';
import { positionsAt } from './positions.js';
import { RunningServer, type Answer } from './running-server.js';

const ORDER = '/api/v2/trading/order';

function json(answer: Answer): Record<string, unknown> {
  return JSON.parse(answer.text) as Record<string, unknown>;
}

describe('REST', () => {
  let running: RunningServer;
  beforeAll(async () => {
    running = new RunningServer();
    await running.start({
      accounts: {
        balances: (_account, venue, answer) =>
          venue === 'OKX'
            ? answer(new Rejected({ code: 'EXCHANGE_NOT_AVAILABLE', message: 'OKX did not answer' }))
            : answer([
                { asset: 'USDT', total: amountOf(1_000_000, 0), free: amountOf(9_999_995, 1) },
                { asset: 'XRP', total: amountOf(0, 0), free: amountOf(0, 0) },
              ]),
        positions: (_account, venue, answer) =>
          venue === 'OKX'
            ? answer(new Rejected({ code: 'EXCHANGE_NOT_AVAILABLE', message: 'OKX did not answer' }))
            : answer(positionsAt(venue)),
      },
    });
  });
  beforeEach(() => {
    running.book.refusal = null;
    running.halt = null;
  });
  afterAll(() => running.server.close());

  describe('status', () => {
    it('answers ping with service time and real time, without a key', async () => {
      const answer = await running.send('GET', '/status/ping', '', {});
      expect(answer.status).toBe(200);
      expect(json(answer)).toEqual({ status: 'ok', timestamp: running.realMs, service_time: NOW_MS });
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f]{10}-[0-9a-z]+$/);
      expect(answer.headers['content-type']).toBe('application/json');
    });

    it('answers HEAD without a body', async () => {
      const answer = await running.send('HEAD', '/status/ping', '', {});
      expect(answer.status).toBe(200);
      expect(answer.text).toBe('');
    });

    it('answers 200 to /status/ready only when the service is ready', async () => {
      expect((await running.send('GET', '/status/ready', '', {})).status).toBe(200);
      running.isReady = false;
      const answer = await running.send('GET', '/status/ready', '', {});
      running.isReady = true;
      expect(answer.status).toBe(503);
      expect(json(answer)).toEqual({
        status: 'not ready',
        detail: 'fakes; kill switches of single accounts are engaged: 2',
        trading_state: 'PARTLY_HALTED',
      });
    });
  });

  describe('methods', () => {
    it.each([
      ['GET', `${ORDER}/create`, 'POST'],
      ['POST', `${ORDER}/open`, 'GET'],
      ['HEAD', `${ORDER}/cancelAll`, 'GET, POST'],
      ['DELETE', '/status/ping', 'GET, HEAD'],
    ])('answers %s %s with 405 and Allow %s', async (method, path, allow) => {
      const answer = await running.send(method, path, '', {});
      expect(answer.status).toBe(405);
      expect(answer.headers['allow']).toBe(allow);
    });
  });

  describe('create', () => {
    it('answers 201 with PENDING_NEW', async () => {
      const answer = await running.post(`${ORDER}/create`, createBody({ client_order_id: 'first' }));
      expect(answer.status).toBe(201);
      expect(json(answer)).toEqual({
        order_id: running.book.placedCount,
        client_order_id: 'first',
        status: 'PENDING_NEW',
        created_at: '2026-11-21T12:00:00.000Z',
      });
    });

    it('answers 201 REJECTED with code and message when a field is wrong', async () => {
      const placedBefore = running.book.placedCount;
      const answer = await running.post(`${ORDER}/create`, createBody({ quantity: '0.000001', client_order_id: 'x' }));
      expect(answer.status).toBe(201);
      expect(json(answer)).toMatchObject({ client_order_id: 'x', status: 'REJECTED', error_code: 'INVALID_QUANTITY' });
      expect(json(answer)).not.toHaveProperty('order_id');
      expect(running.book.placedCount).toBe(placedBefore);
    });

    it.each([
      ['not JSON', '{"exchange":'],
      ['an array', '[]'],
      ['a text', '"order"'],
      ['nothing', ''],
    ])('answers 400 INVALID_REQUEST when the body is %s', async (_name, body) => {
      const answer = await running.post(`${ORDER}/create`, body);
      expect([answer.status, json(answer)['error_code']]).toEqual([400, 'INVALID_REQUEST']);
    });

    it.each(['SYSTEM_BUSY', 'EMS_INSTANCES_DOWN'] as const)(
      'answers 503 when the gateway refuses with %s',
      async (code) => {
        running.book.refusal = { code, message: 'not now' };
        const answer = await running.post(`${ORDER}/create`, createBody());
        expect([answer.status, json(answer)['error_code']]).toEqual([503, code]);
        expect(answer.headers['retry-after']).toBe('1');
      },
    );

    it('answers the members of a batch in order, each with its own result', async () => {
      const orders = [createBody(), createBody({ side: 'UP' }), createBody(), 17];
      const answer = await running.post(`${ORDER}/createMany`, { orders });
      const summaries = json(answer)['orders'] as { status: string; error_code?: string }[];
      expect(answer.status).toBe(201);
      expect(summaries.map((summary) => summary.error_code ?? summary.status)).toEqual([
        'PENDING_NEW',
        'INVALID_PARAM',
        'PENDING_NEW',
        'INVALID_REQUEST',
      ]);
    });

    it('rejects the members of a batch that the gateway refuses as busy', async () => {
      running.book.refusal = { code: 'SYSTEM_BUSY', message: 'not now' };
      const answer = await running.post(`${ORDER}/createMany`, { orders: [createBody()] });
      expect(answer.status).toBe(201);
      expect(json(answer)['orders']).toMatchObject([{ status: 'REJECTED', error_code: 'SYSTEM_BUSY' }]);
    });

    it('answers a batch with 503 as a whole while trading is halted', async () => {
      running.halt = { code: 'SYSTEM_BUSY', message: 'trading is halted: restored' };
      const placedBefore = running.book.placedCount;
      const answer = await running.post(`${ORDER}/createMany`, { orders: [createBody(), createBody()] });
      expect([answer.status, json(answer)]).toMatchObject([503, { error_code: 'SYSTEM_BUSY' }]);
      expect(answer.headers['retry-after']).toBe('1');
      expect(running.book.placedCount).toBe(placedBefore);
    });

    it.each([
      ['no orders', {}, 'INVALID_REQUEST'],
      ['an empty batch', { orders: [] }, 'INVALID_REQUEST'],
      ['orders that are no array', { orders: {} }, 'INVALID_REQUEST'],
      ['over 500 orders', { orders: Array.from({ length: 501 }, () => createBody()) }, 'BATCH_OVERSIZE'],
    ])('answers %s with 400', async (_name, body, code) => {
      const placedBefore = running.book.placedCount;
      const answer = await running.post(`${ORDER}/createMany`, body);
      expect([answer.status, json(answer)['error_code']]).toEqual([400, code]);
      expect(running.book.placedCount).toBe(placedBefore);
    });
  });

  describe('cancel', () => {
    it('answers PENDING_CANCEL by either id, also to a repetition', async () => {
      running.book.put(parentState({ orderId: 900 as OrderId, clientOrderId: 'nine' as ClientOrderId }));
      for (const body of [
        { order_id: 900 },
        { client_order_id: 'nine' },
        { order_id: '900', client_order_id: 'nine' },
      ]) {
        const answer = await running.post(`${ORDER}/cancel`, body);
        expect([answer.status, json(answer)]).toMatchObject([200, { order_id: 900, status: 'PENDING_CANCEL' }]);
      }
    });

    it.each([
      ['neither id', {}, 'INVALID_REQUEST'],
      ['ids of two orders', { order_id: 901, client_order_id: 'other one' }, 'INVALID_REQUEST'],
      ['an unreadable id', { order_id: -1 }, 'INVALID_PARAM'],
    ])('answers 400 to %s', async (_name, body, code) => {
      running.book.put(parentState({ orderId: 901 as OrderId }));
      running.book.put(parentState({ orderId: 902 as OrderId, clientOrderId: 'other one' as ClientOrderId }));
      const answer = await running.post(`${ORDER}/cancel`, body);
      expect([answer.status, json(answer)['error_code']]).toEqual([400, code]);
    });

    it.each([
      ['unknown', 4242],
      ['ended', 903],
      ["another account's", 904],
    ])('answers CANCEL_REJECTED when the order is %s', async (_name, orderId) => {
      running.book.put(parentState({ orderId: 903 as OrderId }, { status: 'FILLED' }));
      running.book.put(parentState({ orderId: 904 as OrderId, account: OTHER }));
      const answer = await running.post(`${ORDER}/cancel`, { order_id: orderId });
      expect(answer.status).toBe(200);
      expect(json(answer)).toMatchObject({ status: 'CANCEL_REJECTED', error_code: 'INVALID_ORDER' });
    });

    it('answers cancelMany with an array in request order', async () => {
      running.book.put(parentState({ orderId: 905 as OrderId }));
      const answer = await running.post(`${ORDER}/cancelMany`, { orders: [{ order_id: 4242 }, {}, { order_id: 905 }] });
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.text)).toMatchObject([
        { status: 'CANCEL_REJECTED', error_code: 'INVALID_ORDER' },
        { status: 'CANCEL_REJECTED', error_code: 'INVALID_REQUEST' },
        { order_id: 905, status: 'PENDING_CANCEL' },
      ]);
    });

    it('answers cancelAll with the orders of this account that are being cancelled', async () => {
      running.book.put(parentState({ orderId: 1001 as OrderId, account: OTHER }));
      running.book.put(parentState({ orderId: 1002 as OrderId, account: OTHER }, { status: 'CANCELLED' }));
      const answer = await running.get(`${ORDER}/cancelAll`, '', { key: 'STRANGER' });
      const orders = json(answer)['orders'] as { order_id: number; status: string }[];
      expect(answer.status).toBe(200);
      expect(orders.every(({ status }) => status === 'PENDING_CANCEL')).toBe(true);
      expect(orders.map((order) => order.order_id)).toEqual([904, 1001]);
    });

    it('answers cancelAll with 503 when no shard accepted a cancel', async () => {
      running.book.put(parentState({ orderId: 1003 as OrderId, account: OTHER }));
      running.book.refusal = { code: 'EMS_INSTANCES_DOWN', message: 'shard 0 is down' };
      const answer = await running.get(`${ORDER}/cancelAll`, '', { key: 'STRANGER' });
      expect([answer.status, json(answer)['error_code']]).toEqual([503, 'EMS_INSTANCES_DOWN']);
    });
  });

  describe('queries', () => {
    it('never show an order of another account', async () => {
      running.book.put(
        parentState({ orderId: 2001 as OrderId, account: OTHER, clientOrderId: 'hidden' as ClientOrderId }),
      );
      const byId = await running.get(`${ORDER}/byId`, 'orderIds=2001&clientOrderIds=hidden');
      const open = await running.get(`${ORDER}/open`);
      const trades = await running.get('/api/v2/trading/userTrades', 'exchange=binance&orderIds=2001');
      expect(json(byId)).toEqual({ orders: [] });
      expect(open.text).not.toContain('2001');
      expect(json(trades)).toEqual({ trades: [] });
    });

    it('list the orders of both kinds of ids, each once', async () => {
      running.book.put(parentState({ orderId: 2101 as OrderId, clientOrderId: 'a' as ClientOrderId }));
      running.book.put(parentState({ orderId: 2102 as OrderId, clientOrderId: 'b c' as ClientOrderId }));
      const answer = await running.get(`${ORDER}/byId`, 'clientOrderIds=b+c&clientOrderIds=a&orderIds=2102,77777');
      expect((json(answer)['orders'] as { order_id: number }[]).map((order) => order.order_id)).toEqual([2102, 2101]);
    });

    it.each([
      ['byId', ''],
      ['byId', 'orderIds=x'],
      ['byId', `orderIds=${Array.from({ length: 501 }, (_, index) => index + 1).join(',')}`],
      ['find', 'limit=0'],
      ['find', 'limit=1001'],
      ['find', 'startMs=2&endMs=1'],
      ['find', 'startMs=yesterday'],
      ['find', 'include_fees=perhaps'],
      ['open', 'a=%zz'],
    ])('answer 400 INVALID_PARAM to %s?%s', async (name, query) => {
      const answer = await running.get(`${ORDER}/${name}`, query);
      expect([answer.status, json(answer)['error_code']]).toEqual([400, 'INVALID_PARAM']);
    });

    it('answer large lists completely', async () => {
      for (let orderId = 3000; orderId < 4000; orderId++)
        running.book.put(parentState({ orderId: orderId as OrderId }));
      const answer = await running.get(`${ORDER}/find`, 'limit=1000');
      expect(answer.text.length).toBeGreaterThan(200_000);
      expect(json(answer)['orders']).toHaveLength(1000);
    });

    it('require an exchange for trades, positions and balances', async () => {
      for (const query of ['', 'exchange=NOWHERE']) {
        const trades = await running.get('/api/v2/trading/userTrades', query);
        const position = await running.get('/api/v2/trading/position', query);
        const balance = await running.get('/api/v2/trading/balance', query);
        expect([trades.status, json(trades)['error_code']]).toEqual([400, 'INVALID_EXCHANGE']);
        expect([position.status, json(position)['error_code']]).toEqual([400, 'INVALID_EXCHANGE']);
        expect([balance.status, json(balance)['error_code']]).toEqual([400, 'INVALID_EXCHANGE']);
      }
    });

    it('list the balances above 0', async () => {
      const answer = await running.get('/api/v2/trading/balance', 'exchange=Binance');
      expect(answer.text).toBe('[{"balance":1000000,"free":999999.5,"symbol":"USDT"}]');
    });

    it('list the positions that are not 0', async () => {
      const answer = await running.get('/api/v2/trading/position', 'exchange=Binance&subaccount=x');
      expect(answer.text).toBe(
        '[{"collateral":2100,"contracts":0.003,"entryPrice":6000.0033333333,"leverage":10,"liquidationPrice":5400.01,' +
          '"markPrice":6100.05,"notional":18.30015,"unrealizedPnl":300,"marginMode":"CROSS","side":"LONG",' +
          `"symbol":"BTC/USDT:USDT","timestamp":${NOW_MS}}]`,
      );
    });

    it('answer 503 when an exchange does not answer', async () => {
      for (const asked of ['balance', 'position']) {
        const answer = await running.get(`/api/v2/trading/${asked}`, 'exchange=OKX');
        expect([answer.status, json(answer)['error_code']]).toEqual([503, 'EXCHANGE_NOT_AVAILABLE']);
      }
    });
  });

  describe('reference data', () => {
    it('lists the 15 trading exchanges, and all 18 on request', async () => {
      const trading = JSON.parse((await running.get('/api/v2/data/exchanges')).text) as object[];
      const all = JSON.parse((await running.get('/api/v2/data/exchanges', 'all=true')).text) as object[];
      expect([trading.length, all.length]).toEqual([15, 18]);
      expect(trading[0]).toEqual({
        id: 1,
        exchange: 'BINANCE',
        name: 'Binance',
        asset_classes: ['SPOT', 'FUTURE'],
        tradable: true,
        mode: 'SIMULATED',
        status: 'UP',
      });
    });

    it('filters instruments', async () => {
      const answer = await running.get('/api/v2/data/instruments', 'exchange=okx&symbol=btc/usdt');
      expect(JSON.parse(answer.text)).toMatchObject([{ exchange: 'OKX', symbol: 'BTC/USDT', minCostLimit: 5 }]);
      expect((await running.get('/api/v2/data/instruments', 'exchange=KRAKEN')).text).toBe('[]');
    });

    it('lists instruments of exchanges that take no orders', async () => {
      const answer = await running.get('/api/v2/data/instruments', 'exchange=LIGHTER');
      expect(JSON.parse(answer.text)).toMatchObject([{ exchange: 'LIGHTER', symbol: 'BTC/USDC:USDC' }]);
      const all = JSON.parse((await running.get('/api/v2/data/exchanges', 'all=true')).text) as object[];
      expect(all.at(-1)).toMatchObject({ exchange: 'LIGHTER', asset_classes: ['FUTURE'], tradable: false });
    });

    it.each([
      ['exchange=NOWHERE', 'INVALID_EXCHANGE'],
      ['symbol=NO/THING', 'INVALID_SYMBOL'],
    ])('answers 400 to %s', async (query, code) => {
      const answer = await running.get('/api/v2/data/instruments', query);
      expect([answer.status, json(answer)['error_code']]).toEqual([400, code]);
    });
  });

  it('answers 500 with the request id when a handler fails, logs the failure, and keeps running', async () => {
    const broken = new RunningServer();
    await broken.start({
      commands: {
        create: () => {
          throw new Error('a bug');
        },
        change: () => undefined,
      },
    });
    const body = createBody({ client_order_id: 'poison' });
    const answers = [await broken.post(`${ORDER}/create`, body), await broken.post(`${ORDER}/create`, body)];
    await broken.server.close();
    expect(answers.map(({ status }) => status)).toEqual([500, 500]);
    expect(broken.errors).toMatchObject([{ requestId: answers[0]?.headers['x-request-id'] }, {}]);
  });

  it('shows exact decimals', async () => {
    running.book.put(parentState({ orderId: 5001 as OrderId, quantity: 9_007_199_254_740_991 as Lots, account: DEMO }));
    const answer = await running.get(`${ORDER}/byId`, 'orderIds=5001');
    expect(answer.text).toContain('"leaves_quantity":90071992547.40991,');
  });
});
