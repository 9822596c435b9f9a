import { beforeEach, describe, expect, it } from 'vitest';
import { REFUSED_TIME_AGAIN_MS } from '../../../../src/domain/limits/live.js';
import type { ChildSubmission } from '../../../../src/domain/venue-message.js';
import { BybitClient } from '../../../../src/venue/live/bybit/bybit-client.js';
import { BybitAddressLimit, BybitBudget } from '../../../../src/venue/live/bybit/bybit-requests.js';
import { BybitSocketRequests } from '../../../../src/venue/live/bybit/bybit-socket-requests.js';
import { cancelFields, placeFields } from '../../../../src/venue/live/dialect/bybit-orders.js';
import type { BybitOperation } from '../../../../src/venue/live/dialect/bybit-socket.js';
import type { CancelAnswer, PlaceAnswer } from '../../../../src/venue/live/exchange-client.js';
import type { TradedInstrument } from '../../../../src/venue/live/wire-guard.js';
import { now } from '../binance/loopback-exchange.js';
import { FakeApiSocket } from '../fake-api-socket.js';
import { submissionOf } from '../lossy-exchange.js';

/* What leaves on the socket for orders, byte for byte, and what an answer means. */

const TO: TradedInstrument = {
  exchangeSymbol: 'BTCUSDT',
  isFuture: true,
  quantityPrecision: 3,
  pricePrecision: 1,
  quantityStep: 1,
  priceStep: 1,
};
const CHILD: ChildSubmission = { ...submissionOf(1, 1), venue: 'BYBIT' };
const TIME_MS = 1_700_000_000_000;
const PLACED = {
  retCode: 0,
  retMsg: 'OK',
  op: 'order.create',
  data: { orderId: 'o-1', orderLinkId: '1-1' },
  header: { Timenow: String(TIME_MS + 5) },
};

let socket: FakeApiSocket;
let byRest: string[];
let refusals: string[];
let requests: BybitSocketRequests;
let client: BybitClient;

beforeEach(async () => {
  socket = new FakeApiSocket();
  byRest = [];
  refusals = [];
  requests = new BybitSocketRequests({
    socket: () => socket,
    requests: {
      send: ({ rest }) => {
        byRest.push(rest);
        return Promise.resolve({ kind: 'lost' });
      },
    },
    budget: new BybitBudget(new BybitAddressLimit(() => TIME_MS)),
    login: () => ['key', TIME_MS + 10_000, 'signature'],
    timestampMs: () => TIME_MS,
    onRefused: (message) => refusals.push(message),
  });
  client = new BybitClient({
    requests,
    instruments: { at: () => TO, of: () => null },
    nowMs: now,
    onFinding: () => undefined,
  });
  socket.answer = { retCode: 0, retMsg: 'OK', op: 'auth' };
  await requests.opened();
  socket.answer = PLACED;
});

const place = (): Promise<PlaceAnswer> => new Promise((resolve) => client.place(CHILD, now(), resolve));
const cancel = (): Promise<CancelAnswer> =>
  new Promise((resolve) => client.cancel({ ...CHILD, submittedAtMs: now(), venueOrderId: null }, resolve));

function bytes(id: number, op: BybitOperation, fields: object): string {
  const header = { 'X-BAPI-TIMESTAMP': String(TIME_MS), 'X-BAPI-RECV-WINDOW': '2000' };
  return JSON.stringify({ reqId: String(id), header, op, args: [fields] });
}

describe('an order for Bybit on the socket', () => {
  it('leaves once after the login, with the bytes of the dialect', async () => {
    expect(await place()).toEqual({ kind: 'placed', venueOrderId: 'o-1', atMs: TIME_MS + 5 });
    expect(await cancel()).toEqual({ kind: 'cancelled', order: null });
    expect(socket.sent).toEqual([
      `{"reqId":"1","op":"auth","args":["key",${TIME_MS + 10_000},"signature"]}`,
      bytes(2, 'order.create', placeFields(CHILD, '1-1', TO)),
      bytes(3, 'order.cancel', cancelFields('1-1', TO)),
    ]);
    expect(byRest).toEqual([]);
  });

  it('goes by REST before the login, after a cut, and while the socket is not open', async () => {
    requests.closed();
    await place();
    const login = requests.opened();
    await place();
    await login;
    socket.isOpen = false;
    await place();
    expect(byRest).toEqual(Array.from({ length: 3 }, () => 'POST /v5/order/create'));
    expect(socket.sent.filter((text) => text.includes('order.create'))).toEqual([]);
  });

  it('goes by REST after a refused login, which is reported without its texts', async () => {
    socket.answer = { retCode: 10_004, retMsg: 'error sign! origin_string[secret]', op: 'auth' };
    await requests.opened();
    expect(refusals).toEqual(['the login was refused with 10004']);
    expect(socket.reopened).toBe(1);
    await place();
    expect(byRest).toEqual(['POST /v5/order/create']);
  });

  it('is never sent again, by no way, when no answer comes', async () => {
    socket.answer = null;
    expect(await place()).toEqual({ kind: 'unknown' });
    expect(await cancel()).toEqual({ kind: 'unknown' });
    expect([socket.sent.length, byRest.length]).toEqual([3, 0]);
  });

  it.each([
    ['an answer about another order', { ...PLACED, data: { orderId: 'o', orderLinkId: '2-1' } }],
    ['an answer without an order', { ...PLACED, data: {} }],
    ['an answer without a time', { ...PLACED, header: {} }],
    ['an answer without a code', { retMsg: 'OK', data: PLACED.data }],
    ['an internal error', { retCode: 10_016, retMsg: 'Server error.', data: {} }],
    ['a timeout', { retCode: 10_000, retMsg: 'Server Timeout', data: {} }],
    ['a high load', { retCode: 10_429, retMsg: 'System level frequency protection', data: {} }],
    ['a duplicate request', { retCode: 20_006, retMsg: 'reqId is duplicated', data: {} }],
    ['a duplicate client id', { retCode: 110_072, retMsg: 'OrderLinkedID is duplicate', data: {} }],
  ])('has an unknown outcome after %s', async (_name, answer) => {
    socket.answer = answer;
    expect(await place()).toEqual({ kind: 'unknown' });
    expect([socket.sent.length, byRest.length]).toEqual([2, 0]);
  });

  it.each([
    [110_007, 'INSUFFICIENT_FUNDS'],
    [10_404, 'INVALID_REQUEST'],
    [20_003, 'RATE_LIMIT_EXCEEDED'],
    [10_019, 'EXCHANGE_NOT_AVAILABLE'],
  ])('is refused by the code %i as %s, and not sent again', async (retCode, code) => {
    socket.answer = { retCode, retMsg: 'text', data: {}, header: {} };
    const message = `Bybit ${retCode}: text`;
    expect(await place()).toEqual({ kind: 'refused', rejection: { code, message } });
    expect([socket.sent.length, byRest.length]).toEqual([2, 0]);
  });

  it('is refused by the code 10002 for the clock, so another one may be placed, and not sent again', async () => {
    socket.answer = { retCode: 10_002, retMsg: 'text', data: {}, header: {} };
    expect(await place()).toEqual({
      kind: 'refused',
      rejection: { code: 'INVALID_TIMESTAMP', message: 'Bybit 10002: text', retryAfterMs: REFUSED_TIME_AGAIN_MS },
    });
    expect([socket.sent.length, byRest.length]).toEqual([2, 0]);
  });

  it('goes by REST after the server of the socket has refused it for its restart', async () => {
    socket.answer = { retCode: 10_019, retMsg: 'ws trade service is restarting', data: {} };
    await place();
    expect(socket.reopened).toBe(1);
    await place();
    expect([socket.sent.length, byRest.length]).toEqual([2, 1]);
  });

  it('waits for the time that a refusal for the rate names, and shares its limits with REST', async () => {
    const header = { 'X-Bapi-Limit-Reset-Timestamp': String(TIME_MS + 700), Timenow: String(TIME_MS) };
    socket.answer = { retCode: 10_006, retMsg: 'Too many visits.', data: {}, header };
    expect(await place()).toMatchObject({ kind: 'refused', rejection: { retryAfterMs: 700 } });
    expect(await place()).toMatchObject({ kind: 'refused', rejection: { code: 'RATE_LIMIT_EXCEEDED' } });
    expect(socket.sent).toHaveLength(2);
  });

  it('takes the limit and the count that an answer states', async () => {
    const header = { 'X-Bapi-Limit': '40', 'X-Bapi-Limit-Status': '9', Timenow: String(TIME_MS) };
    socket.answer = { ...(socket.answer as object), header };
    expect(await place()).toMatchObject({ kind: 'placed' });
    // 31 of 40 are used; a fifth is left for what is more urgent.
    expect(await place()).toMatchObject({ kind: 'placed' });
    expect(await place()).toMatchObject({ kind: 'refused', rejection: { code: 'RATE_LIMIT_EXCEEDED' } });
  });

  it('does not leave beyond the limit of the account', async () => {
    const answers: PlaceAnswer[] = [];
    for (let count = 0; count < 12; count += 1) answers.push(await place());
    // A fifth of the limit is left for what is more urgent.
    expect(answers.filter(({ kind }) => kind === 'refused')).toHaveLength(4);
    expect([socket.sent.length, byRest.length]).toEqual([9, 0]);
  });

  it('does not leave without the check of its bytes, or with other bytes than its child has', async () => {
    const call = { rest: 'POST /v5/order/create', socket: 'order.create', group: 'create' } as const;
    const fields = placeFields(CHILD, '1-1', TO);
    expect(await requests.send(call, fields, { requestClass: 'RESTING' })).toMatchObject({ kind: 'unsent' });
    const wrong = new BybitClient({
      requests: { send: (one, sent, how) => requests.send(one, { ...sent, qty: '9' }, how) },
      instruments: { at: () => TO, of: () => null },
      nowMs: now,
      onFinding: () => undefined,
    });
    const refused = await new Promise((resolve) => wrong.place(CHILD, now(), resolve));
    expect(refused).toMatchObject({ kind: 'refused', rejection: { code: 'INVALID_ORDER' } });
    expect([socket.sent.length, byRest.length]).toEqual([1, 0]);
  });
});
