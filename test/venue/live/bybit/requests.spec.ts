import { createSecretKey } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChildSubmission } from '../../../../src/domain/venue-message.js';
import { BybitAddressLimit, BybitBudget, BybitRequests } from '../../../../src/venue/live/bybit/bybit-requests.js';
import { BybitClient } from '../../../../src/venue/live/bybit/bybit-client.js';
import { BybitRest, type BybitCall } from '../../../../src/venue/live/bybit/bybit-rest.js';
import { type BybitFields, placeFields } from '../../../../src/venue/live/dialect/bybit-orders.js';
import type { PlaceAnswer } from '../../../../src/venue/live/exchange-client.js';
import { HttpsClient } from '../../../../src/venue/live/transport/https-client.js';
import type { TradedInstrument } from '../../../../src/venue/live/wire-guard.js';
import { now } from '../binance/loopback-exchange.js';
import { submissionOf } from '../lossy-exchange.js';

/* What leaves the process, byte for byte, and what does not. */

const TO: TradedInstrument = {
  exchangeSymbol: 'BTCUSDT',
  isFuture: true,
  quantityPrecision: 3,
  pricePrecision: 1,
  quantityStep: 1,
  priceStep: 1,
};
const CHILD: ChildSubmission = { ...submissionOf(1, 1), venue: 'BYBIT', reduceOnly: true };
const READ: BybitCall = { rest: 'GET /v5/order/realtime', group: 'read' };

interface Sent {
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let sent: Sent[];
let server: Server;
let http: HttpsClient;
let rest: Pick<BybitRest, 'send'>;
let answer: { status: number; headers: Record<string, string>; body: string };
/** A change of the fields by faulty code. */
let change: (body: string) => string;

beforeEach(async () => {
  sent = [];
  change = (body) => body;
  answer = {
    status: 200,
    headers: {},
    body: '{"retCode":0,"retMsg":"OK","result":{"orderId":"o-1","orderLinkId":"1-1"},"retExtInfo":{},"time":1700000000000}',
  };
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      sent.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
      response.writeHead(answer.status, answer.headers).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  http = new HttpsClient(null);
  const own = new BybitRest({
    http,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key: { apiKey: 'key', secret: createSecretKey(Buffer.from('secret')) },
    timestampMs: now,
  });
  // The fault is between the dialect and the last look.
  rest = {
    send: (call, fields, sending) => {
      return own.send(call, JSON.parse(change(JSON.stringify(fields))) as BybitFields, sending);
    },
  };
});
afterEach(async () => {
  await http.close();
  server.close();
});

function line(exchangeMs: () => number = now): BybitClient {
  const limit = new BybitAddressLimit(exchangeMs);
  return new BybitClient({
    requests: new BybitRequests(rest, new BybitBudget(limit)),
    instruments: { at: () => TO, of: () => null },
    nowMs: now,
    onFinding: () => undefined,
  });
}

function place(child: ChildSubmission): Promise<PlaceAnswer> {
  return new Promise((resolve) => line().place(child, now(), resolve));
}

const unsent = (message: string) => ({ kind: 'unsent', rejection: { code: 'INVALID_ORDER', message } });
const agrees = (): void => undefined;

describe('an order for Bybit', () => {
  it('leaves once with the bytes of the dialect, a short window and no tag of a broker', async () => {
    expect(await place(CHILD)).toEqual({ kind: 'placed', venueOrderId: 'o-1', atMs: 1_700_000_000_000 });
    expect(sent).toHaveLength(1);
    const [{ line: requestLine, headers, body }] = sent as [Sent];
    expect(requestLine).toBe('POST /v5/order/create');
    expect(body).toBe(JSON.stringify(placeFields(CHILD, '1-1', TO)));
    expect(headers['x-bapi-recv-window']).toBe('2000');
    expect(headers['referer']).toBeUndefined();
  });

  it.each([
    ['another price', '"price":"10"', '"price":"11"'],
    ['another quantity', '"qty":"0.1"', '"qty":"1"'],
    ['a lost flag', '"reduceOnly":true', '"reduceOnly":false'],
    ['another client id', '"orderLinkId":"1-1"', '"orderLinkId":"CCXT1"'],
    ['an added trigger', '"category"', '"triggerPrice":"1","category"'],
    ['a lost client id', '"orderLinkId":"1-1",', ''],
  ])('does not leave with %s', async (_name, right, wrong) => {
    change = (body) => {
      expect(body).toContain(right);
      return body.replace(right, wrong);
    };
    expect(await place(CHILD)).toMatchObject({ kind: 'refused', rejection: { code: 'INVALID_ORDER' } });
    expect(sent).toEqual([]);
  });

  it('does not leave without its check, or by a request that places or changes orders in another way', async () => {
    const fields = placeFields(CHILD, '1-1', TO);
    const requests = new BybitRequests(rest, new BybitBudget(new BybitAddressLimit(now)));
    const refusal = async (
      path: '/v5/order/create' | '/v5/order/amend' | '/v5/order/create-batch',
      check?: () => void,
    ) =>
      requests.send({ rest: `POST ${path}`, group: 'create' }, fields, {
        requestClass: 'RESTING',
        ...(check && { check }),
      });
    expect(await refusal('/v5/order/create')).toEqual(unsent('an order leaves without its check'));
    expect(await refusal('/v5/order/amend', agrees)).toEqual(unsent('no order is placed by /v5/order/amend'));
    expect(await refusal('/v5/order/create-batch', agrees)).toEqual(
      unsent('no order is placed by /v5/order/create-batch'),
    );
    expect(sent).toEqual([]);
  });

  it.each([
    ['an answer about another order', '{"retCode":0,"result":{"orderId":"o","orderLinkId":"2-1"},"time":1}'],
    ['an answer without an order', '{"retCode":0,"retMsg":"OK","result":{},"time":1}'],
    ['an internal error', '{"retCode":10016,"retMsg":"Server error.","result":{},"time":1}'],
    ['a duplicate client id', '{"retCode":110072,"retMsg":"OrderLinkedID is duplicate","result":{},"time":1}'],
    ['no JSON', '<html></html>'],
    ['nothing', ''],
  ])('has an unknown outcome after %s', async (_name, body) => {
    answer = { ...answer, body };
    expect(await place(CHILD)).toEqual({ kind: 'unknown' });
    expect(sent).toHaveLength(1);
  });

  it('is refused by a listed code', async () => {
    answer = { ...answer, body: '{"retCode":110007,"retMsg":"ab not enough for new order","result":{},"time":1}' };
    expect(await place(CHILD)).toEqual({
      kind: 'refused',
      rejection: { code: 'INSUFFICIENT_FUNDS', message: 'Bybit 110007: ab not enough for new order' },
    });
  });

  it('beyond the limit of the account is refused and does not leave', async () => {
    // All within one second.
    const own = line(() => 1_700_000_000_000);
    const answers: PlaceAnswer[] = [];
    for (let child = 1; child <= 12; child += 1) {
      answers.push(
        await new Promise((resolve) => own.place({ ...CHILD, child: child as typeof CHILD.child }, now(), resolve)),
      );
    }
    const refused = answers.filter(({ kind }) => kind === 'refused');
    // A fifth of the limit is left for what is more urgent.
    expect([sent.length, refused.length]).toEqual([8, 4]);
    expect(refused[0]).toMatchObject({ rejection: { code: 'RATE_LIMIT_EXCEEDED' } });
  });
});

describe('the limit that an answer states', () => {
  it('replaces the usual one of its kind of change, with the count of the exchange', async () => {
    const limit = new BybitAddressLimit(() => 1_700_000_000_000);
    const budget = new BybitBudget(limit);
    const requests = new BybitRequests(rest, budget);
    answer = { ...answer, headers: { 'X-Bapi-Limit': '30', 'X-Bapi-Limit-Status': '24' } };
    const create: BybitCall = { rest: 'POST /v5/order/create', group: 'create' };
    const fields = placeFields(CHILD, '1-1', TO);
    await requests.send(create, fields, { requestClass: 'RESTING', check: () => undefined });
    expect(budget.usedLimits().slice(0, 1)).toEqual([{ name: 'create linear 1s', used: 6, max: 30 }]);
    // Another program uses the same key: its requests count.
    answer = { ...answer, headers: { ...answer.headers, 'X-Bapi-Limit-Status': '2' } };
    await requests.send(create, fields, { requestClass: 'RESTING', check: () => undefined });
    const refused = await requests.send(create, fields, { requestClass: 'RESTING', check: () => undefined });
    expect(refused).toMatchObject({ kind: 'unsent', rejection: { code: 'RATE_LIMIT_EXCEEDED' } });
    expect(budget.turnMs({ rest: 'POST /v5/order/cancel', group: 'cancel' }, 'linear', 'CANCEL')).toBe(0);
    expect(sent).toHaveLength(2);
  });

  it('is the published one again when an answer states that', () => {
    const budget = new BybitBudget(new BybitAddressLimit(() => 1_700_000_000_000));
    const maxOf = (max: number): number => {
      budget.stated({ group: 'create', category: 'linear' }, { max, used: 1 });
      return budget.usedLimits().find(({ name }) => name === 'create linear 1s')!.max!;
    };
    expect([10, 30, 30, 10, 30].map(maxOf)).toEqual([10, 30, 30, 10, 30]);
  });

  it('of a read leaves the window of all reads as long as it is, and takes the count', () => {
    const budget = new BybitBudget(new BybitAddressLimit(() => 1_700_000_000_000));
    budget.stated({ group: 'read', category: 'spot' }, { max: 10, used: 4 });
    expect(budget.usedLimits()[0]).toEqual({ name: 'read 1s', used: 4, max: 50 });
  });
});

describe('a list of Bybit', () => {
  it('is asked for with the cursor as the exchange wrote it', async () => {
    const requests = new BybitRequests(rest, new BybitBudget(new BybitAddressLimit(now)));
    await requests.read(READ, { category: 'spot', cursor: 'page_token%3D39380%26' });
    expect(sent[0]!.line).toBe('GET /v5/order/realtime?category=spot&cursor=page_token%3D39380%26');
  });

  it('beyond the rate of the account waits for the time that the exchange names', async () => {
    const limit = new BybitAddressLimit(() => now());
    const requests = new BybitRequests(rest, new BybitBudget(limit));
    const timeMs = Date.now();
    answer = {
      status: 200,
      headers: { 'X-Bapi-Limit-Reset-Timestamp': String(timeMs + 700) },
      body: JSON.stringify({ retCode: 10006, retMsg: 'Too many visits.', result: {}, time: timeMs }),
    };
    const rate = { code: 'RATE_LIMIT_EXCEEDED' };
    expect(await requests.read(READ, { category: 'spot' })).toMatchObject({
      rejection: { ...rate, retryAfterMs: 700 },
    });
    expect(await requests.read(READ, { category: 'spot' })).toMatchObject({ rejection: rate });
    expect(sent).toHaveLength(1);
  });
});
