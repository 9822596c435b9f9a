import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { BinanceLimits, BinanceRequests } from '../../../../src/venue/live/binance/binance-requests.js';
import { BinanceRest } from '../../../../src/venue/live/binance/binance-rest.js';
import { BINANCE_SPOT } from '../../../../src/venue/live/binance/binance-wallet.js';
import { nameFields, placeFields, readPlacement } from '../../../../src/venue/live/dialect/binance-orders.js';
import type { HttpAnswer, HttpRequest, NoAnswer } from '../../../../src/venue/live/transport/https-client.js';
import { assertWrittenAs, type TradedInstrument } from '../../../../src/venue/live/wire-guard.js';
import { submissionOf } from '../lossy-exchange.js';

/* What leaves by REST, byte for byte, and what an answer means. */

const MINUTE_MS = 60_000;
const START_MS = 1_700_000_040_000;
const TO: TradedInstrument = {
  exchangeSymbol: 'BTCUSDT',
  isFuture: false,
  quantityPrecision: 5,
  pricePrecision: 2,
  quantityStep: 1,
  priceStep: 1,
};
const CHILD = submissionOf(1, 1);
const PLACED = placeFields(CHILD, '1-1', TO);
const { orders, time } = BINANCE_SPOT;

interface Sent {
  readonly request: HttpRequest;
  readonly answer: (answer: HttpAnswer | NoAnswer) => void;
}

/** Requests of one account. Each one waits for the answer that the test gives. */
function rig(hasKey = true) {
  const clock = { nowMs: START_MS };
  const limits = new BinanceLimits(BINANCE_SPOT.limits, () => clock.nowMs);
  const budget = limits.openBudget();
  const sent: Sent[] = [];
  const rest = new BinanceRest({
    http: { send: (request) => new Promise((resolve) => sent.push({ request, answer: resolve })) },
    addresses: { rest: 'https://api.test', walletApi: null },
    key: hasKey ? { kind: 'HMAC', apiKey: 'key', secret: createSecretKey(Buffer.from('secret')) } : null,
    timestampMs: () => clock.nowMs,
  });
  const used = () => limits.weights.usedLimits(clock.nowMs)[0]!.used;
  return { clock, limits, budget, sent, used, requests: new BinanceRequests(rest, budget) };
}

function answered(text: string, status = 200, headers: Record<string, string> = {}): HttpAnswer {
  return { status, headers, text };
}

const check = (written: Readonly<Record<string, string>>): void =>
  assertWrittenAs(CHILD, '1-1', TO, readPlacement(written, TO));

describe('a request to Binance', () => {
  it('leaves once with the fields of the dialect, time, signature and key', async () => {
    const { sent, requests } = rig();
    const outcome = requests.send(orders.place, PLACED, { requestClass: 'RESTING', check });
    sent[0]!.answer(answered('{"orderId":12345678901234567890}'));
    // Integers beyond 2^53 stay exact.
    expect(await outcome).toEqual({ kind: 'answer', body: { orderId: '12345678901234567890' } });
    const fields = Object.entries(PLACED).map(([name, value]) => `${name}=${value}`);
    const text = [...fields, `timestamp=${START_MS}`].join('&');
    expect(sent.map(({ request }) => request)).toEqual([
      {
        method: 'POST',
        origin: 'https://api.test',
        path: '/api/v3/order',
        headers: { 'X-MBX-APIKEY': 'key', 'content-type': 'application/x-www-form-urlencoded' },
        body: expect.stringMatching(new RegExp(`^${text.replaceAll('.', '\\.')}&signature=[0-9a-f]{64}$`)) as string,
      },
    ]);
  });

  it('has its fields in the address when it reads or cancels, and nothing of the key when it is public', async () => {
    const { sent, requests } = rig();
    void requests.send(orders.cancel, nameFields('1-1', TO), { requestClass: 'CANCEL' });
    void requests.send(time, {}, { requestClass: 'CANCEL' });
    const [cancel, public_] = sent.map(({ request }) => request);
    expect(cancel).toMatchObject({ method: 'DELETE', headers: { 'X-MBX-APIKEY': 'key' }, body: null });
    expect(cancel!.path).toMatch(/^\/api\/v3\/order\?symbol=BTCUSDT&origClientOrderId=1-1&recvWindow=2000&timestamp=/);
    expect(public_).toMatchObject({ method: 'GET', path: '/api/v3/time', headers: {}, body: null });
    await Promise.resolve();
  });

  it.each([
    ['another price', { price: '2' }],
    ['another quantity', { quantity: '1' }],
    ['another client id', { newClientOrderId: 'x-TKT5PX2F' }],
    ['a trigger', { stopPrice: '1' }],
  ])('does not leave as an order with %s', async (_name, change) => {
    const { sent, requests } = rig();
    const outcome = await requests.send(orders.place, { ...PLACED, ...change }, { requestClass: 'RESTING', check });
    expect(outcome).toMatchObject({ kind: 'unsent', rejection: { code: 'INVALID_ORDER' } });
    expect(sent).toEqual([]);
  });

  it('does not leave as an order without its check, signed without a key, or to an address that is missing', async () => {
    const { sent, requests } = rig();
    const unsent = { kind: 'unsent', rejection: { code: 'INVALID_ORDER' } };
    expect(await requests.send(orders.place, PLACED, { requestClass: 'RESTING' })).toMatchObject(unsent);
    expect(await rig(false).requests.send(orders.order, {}, { requestClass: 'CANCEL' })).toMatchObject(unsent);
    const rights = { ...orders.order, rest: 'GET /sapi/v1/account/apiRestrictions' } as const;
    expect(await requests.send(rights, {}, { requestClass: 'CANCEL' })).toMatchObject(unsent);
    expect(sent).toEqual([]);
  });
});

describe('an answer of Binance', () => {
  it.each([
    ['no JSON', answered('<html></html>'), 'no text'],
    ['nothing', answered(''), 'no text'],
    ['a page of a gateway', answered('<html>\n<h1>502 Bad\n Gateway</h1><p', 502), '502 Bad Gateway'],
    ['half of a JSON', answered('{"orderId":1'), '{"orderId":1'],
    ['an address elsewhere', answered('', 302), 'no text'],
    ['a long page', answered(`<p>${'x'.repeat(300)}`, 502), 'x'.repeat(200)],
  ])('with %s is an error that says nothing about the order', async (_name, answer, message) => {
    const { sent, requests } = rig();
    const outcome = requests.send(orders.place, PLACED, { requestClass: 'RESTING', check });
    sent[0]!.answer(answer);
    expect(await outcome).toEqual({
      kind: 'error',
      error: { status: answer.status, code: null, message, retryAfterMs: null },
    });
  });

  it('that does not come leaves an unknown outcome, and the reason in the refusal of a read', async () => {
    const { sent, requests } = rig();
    const outcome = requests.send(orders.place, PLACED, { requestClass: 'RESTING', check });
    sent[0]!.answer({ reason: 'the answer has not begun within 3000 ms' });
    expect(await outcome).toMatchObject({ kind: 'lost' });
    const read = requests.read(time, {});
    sent[1]!.answer({ reason: 'connect ECONNREFUSED' });
    expect(await read).toMatchObject({
      rejection: {
        code: 'NETWORK_ERROR',
        message: 'BINANCE has not answered GET /api/v3/time: connect ECONNREFUSED',
      },
    });
  });

  it('of a ban in HTML stops the address for its Retry-After', async () => {
    const { sent, requests, clock } = rig();
    const outcome = requests.read(time, {});
    sent[0]!.answer(answered('<html>banned</html>', 418, { 'retry-after': '120' }));
    expect(await outcome).toMatchObject({ rejection: { code: 'RATE_LIMIT_EXCEEDED', retryAfterMs: 120_000 } });
    clock.nowMs += 119_000;
    expect(await requests.read(time, {})).toMatchObject({ rejection: { retryAfterMs: 1_000 } });
    expect(sent).toHaveLength(1);
  });

  it('counts for the interval in which its own request was sent', async () => {
    const { sent, requests, clock, used } = rig();
    const stated = answered('{}', 200, { 'x-mbx-used-weight-1m': '500' });
    const first = requests.read(time, {});
    clock.nowMs += MINUTE_MS;
    const second = requests.read(time, {});
    expect(used()).toBe(1);
    sent[0]!.answer(stated);
    await first;
    expect(used()).toBe(1);
    sent[1]!.answer(stated);
    await second;
    expect(used()).toBe(500);
  });
});
