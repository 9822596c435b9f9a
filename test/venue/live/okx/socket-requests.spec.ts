import { beforeEach, describe, expect, it } from 'vitest';
import type { EpochMs } from '../../../../src/domain/time.js';
import type { CancelAnswer, PlaceAnswer } from '../../../../src/venue/live/exchange-client.js';
import type { Outcome } from '../../../../src/venue/live/exchange-requests.js';
import { OkxClient } from '../../../../src/venue/live/okx/okx-client.js';
import { OkxBudget } from '../../../../src/venue/live/okx/okx-requests.js';
import { OkxInstrumentCodes, OkxSocketRequests } from '../../../../src/venue/live/okx/okx-socket-requests.js';
import { now } from '../binance/loopback-exchange.js';
import { FakeApiSocket } from '../fake-api-socket.js';
import { child, INSTRUMENTS } from './account-rig.js';

/* What leaves on the private socket for orders, byte for byte, and what an answer means. */

const TIME_MS = 1_700_000_000_000;
const EXPIRES_MS = (TIME_MS + 2_000) as EpochMs;
const ACCEPTED = { clOrdId: '1x1', ordId: '77', ts: String(TIME_MS), sCode: '0', sMsg: '' };
const PLACED = { op: 'order', code: '0', msg: '', data: [ACCEPTED] };
const ARGS = '"tdMode":"cash","side":"buy","ordType":"limit","sz":"0.01","px":"49000","clOrdId":"1x1"';
const ORDER = `{"id":"1","op":"order","args":[{"instIdCode":10459,${ARGS},"stpMode":"cancel_taker"}],"expTime":"${EXPIRES_MS}"}`;

let socket: FakeApiSocket | null;
let fake: FakeApiSocket;
let byRest: string[];
let restOutcome: Outcome;
let codes: OkxInstrumentCodes;
let requests: OkxSocketRequests;

beforeEach(() => {
  socket = fake = new FakeApiSocket();
  fake.answer = PLACED;
  byRest = [];
  restOutcome = { kind: 'answer', body: PLACED };
  codes = new OkxInstrumentCodes();
  codes.replace('SPOT', { data: [{ instId: 'BTC-USDT', instIdCode: 10_459 }] });
  requests = new OkxSocketRequests({
    socket: () => socket,
    requests: {
      send: ({ rest }, _fields, { order }) => {
        byRest.push(`${rest} ${order?.expiresAtMs ?? 'always'}`);
        return Promise.resolve(restOutcome);
      },
    },
    budget: new OkxBudget(() => TIME_MS),
    codes,
  });
});

function clientOver(send: OkxSocketRequests['send']): OkxClient {
  return new OkxClient({
    requests: { send },
    instruments: { at: () => INSTRUMENTS.spot },
    instrumentOf: () => null,
    nowMs: now,
    clockOffsetMs: () => 0,
    onFinding: () => undefined,
  });
}

function place(client = clientOver((...request) => requests.send(...request))): Promise<PlaceAnswer> {
  return new Promise((resolve) => client.place(child('spot', 1), EXPIRES_MS, resolve));
}

function cancel(): Promise<CancelAnswer> {
  const client = clientOver((...request) => requests.send(...request));
  return new Promise((resolve) =>
    client.cancel({ ...child('spot', 1), submittedAtMs: now(), venueOrderId: null }, resolve),
  );
}

const refusal = (sCode: string) => ({ op: 'order', code: '1', msg: '', data: [{ ...ACCEPTED, sCode, sMsg: 'text' }] });

describe('an order for OKX on the socket', () => {
  it('leaves once with the bytes of the dialect, the number of its instrument and its expiry', async () => {
    expect(await place()).toEqual({ kind: 'placed', venueOrderId: '77', atMs: TIME_MS });
    expect(await cancel()).toEqual({ kind: 'cancelled', order: null });
    const cancelled = '{"id":"2","op":"cancel-order","args":[{"instIdCode":10459,"clOrdId":"1x1"}]}';
    expect(fake.sent).toEqual([ORDER, cancelled]);
    expect(byRest).toEqual([]);
  });

  it('goes by REST while the socket is not logged on or not open, and without a number of its instrument', async () => {
    socket = null;
    await place();
    socket = fake;
    fake.isOpen = false;
    await place();
    fake.isOpen = true;
    codes.replace('SPOT', { data: [] });
    await place();
    await cancel();
    const order = `POST /api/v5/trade/order ${EXPIRES_MS}`;
    expect(byRest).toEqual([order, order, order, 'POST /api/v5/trade/cancel-order always']);
    expect(fake.sent).toEqual([]);
  });

  it('is never sent again, by no way, when no answer comes', async () => {
    fake.answer = null;
    expect(await place()).toEqual({ kind: 'unknown' });
    expect(await cancel()).toEqual({ kind: 'unknown' });
    expect([fake.sent.length, byRest.length]).toEqual([2, 0]);
  });

  it.each([
    ['an answer without an order', { op: 'order', code: '0', msg: '', data: [] }],
    ['an answer without a code', { op: 'order', data: [] }],
    ['a system error', { op: 'order', code: '50026', msg: 'System error', data: [] }],
    ['a timeout', { op: 'order', code: '50004', msg: 'timeout', data: [] }],
    ['a client id that exists', refusal('51016')],
    ['an unknown code', refusal('59999')],
  ])('has an unknown outcome after %s', async (_name, answer) => {
    fake.answer = answer;
    expect(await place()).toEqual({ kind: 'unknown' });
    expect([fake.sent.length, byRest.length]).toEqual([1, 0]);
  });

  it('is refused by a listed code, and not sent again', async () => {
    fake.answer = refusal('51008');
    const rejection = { code: 'INSUFFICIENT_FUNDS', message: 'OKX 51008: text' };
    expect(await place()).toEqual({ kind: 'refused', rejection });
    expect([fake.sent.length, byRest.length]).toEqual([1, 0]);
  });

  it('goes by REST with the same expiry when the socket refuses the number of its instrument', async () => {
    fake.answer = refusal('51001');
    expect(await place()).toMatchObject({ kind: 'placed' });
    expect(byRest).toEqual([`POST /api/v5/trade/order ${EXPIRES_MS}`]);
    // The number is not tried again, until the market list has another one.
    codes.replace('SPOT', { data: [{ instId: 'BTC-USDT', instIdCode: 10_459 }] });
    await place();
    expect(fake.sent).toHaveLength(1);
    codes.replace('SPOT', { data: [{ instId: 'BTC-USDT', instIdCode: 10_999 }] });
    fake.answer = PLACED;
    await place();
    expect([fake.sent.length, byRest.length]).toEqual([2, 2]);
  });

  it('keeps the number of an instrument that REST refuses too', async () => {
    fake.answer = refusal('51001');
    restOutcome = { kind: 'error', error: { status: 200, code: 51_001, message: 'text', retryAfterMs: null } };
    expect(await place()).toMatchObject({ kind: 'refused', rejection: { code: 'INVALID_SYMBOL' } });
    await place();
    expect([fake.sent.length, byRest.length]).toEqual([2, 2]);
  });

  it('goes by REST, and opens the socket again, when the socket is not logged on at the exchange', async () => {
    fake.answer = { event: 'error', code: '60011', msg: 'Please log in' };
    expect(await place()).toMatchObject({ kind: 'placed' });
    expect([fake.sent.length, byRest.length, fake.reopened]).toEqual([1, 1, 1]);
  });

  it('stops for a time after a refusal for the rate', async () => {
    fake.answer = { op: 'order', code: '50011', msg: 'Too Many Requests', data: [] };
    expect(await place()).toMatchObject({ kind: 'refused', rejection: { code: 'RATE_LIMIT_EXCEEDED' } });
    expect(await place()).toMatchObject({ kind: 'refused', rejection: { retryAfterMs: 2_000 } });
    expect([fake.sent.length, byRest.length]).toEqual([1, 0]);
  });

  it('does not leave with other bytes than its child has', async () => {
    const wrong = clientOver((call, fields, sending) => requests.send(call, { ...fields, sz: '0.1' }, sending));
    expect(await place(wrong)).toMatchObject({ kind: 'refused', rejection: { code: 'INVALID_ORDER' } });
    const unchecked = await requests.send(
      { rest: 'POST /api/v5/trade/order', socket: 'order', max: 60 },
      { instId: 'BTC-USDT', clOrdId: '1x1' },
      { requestClass: 'RESTING' },
    );
    expect(unchecked).toMatchObject({ kind: 'unsent' });
    expect([fake.sent.length, byRest.length]).toEqual([0, 0]);
  });
});

const swap = (instIdCode: number) => ({ data: [{ instId: 'BTC-USDT-SWAP', instIdCode }] });

describe('the numbers of instruments', () => {
  it('name one instrument each: a number of two instruments is not used', () => {
    codes.replace('SWAP', swap(10_459));
    expect([codes.of('BTC-USDT'), codes.of('BTC-USDT-SWAP')]).toEqual([null, null]);
    codes.replace('SWAP', swap(10_461));
    expect([codes.of('BTC-USDT'), codes.of('BTC-USDT-SWAP')]).toEqual([10_459, 10_461]);
  });
});
