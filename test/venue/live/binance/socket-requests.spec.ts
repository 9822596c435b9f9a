import { createSecretKey } from 'node:crypto';
import { expect, it } from 'vitest';
import { BinanceLimits } from '../../../../src/venue/live/binance/binance-requests.js';
import { BinanceSocketRequests } from '../../../../src/venue/live/binance/binance-socket-requests.js';
import { BINANCE_USDM } from '../../../../src/venue/live/binance/binance-wallet.js';
import { FakeApiSocket } from '../fake-api-socket.js';

const { place } = BINANCE_USDM.orders;
const TEN_SECONDS_MS = 10_000;
const START_MS = 1_700_000_000_000 - (1_700_000_000_000 % TEN_SECONDS_MS);
const COUNT = { rateLimitType: 'ORDERS', interval: 'SECOND', intervalNum: 10, limit: 300, count: 250 };

/** Orders of the present ten seconds after one request, sent and answered at these times after the start. */
async function usedAfter(sentMs: number, answeredMs: number): Promise<number> {
  const clock = { nowMs: START_MS + sentMs };
  const limits = new BinanceLimits(BINANCE_USDM.limits, () => clock.nowMs);
  const budget = limits.openBudget();
  const socket = new FakeApiSocket();
  socket.answer = { id: '1', status: 200, result: {}, rateLimits: [COUNT] };
  const request = socket.request.bind(socket);
  socket.request = (write) => {
    const answer = request(write);
    clock.nowMs = START_MS + answeredMs;
    return answer;
  };
  const requests = new BinanceSocketRequests({
    socket: () => socket,
    requests: { send: () => Promise.resolve({ kind: 'lost' }) },
    budget,
    key: { kind: 'HMAC', apiKey: 'key', secret: createSecretKey(Buffer.from('secret')) },
    timestampMs: () => clock.nowMs,
  });
  await requests.send(place, {}, { requestClass: 'RESTING' });
  return budget.orders.usedLimits(clock.nowMs).find(({ name }) => name === 'ORDERS 10s')!.used;
}

it('takes the count of an answer for the interval in which its request was sent', async () => {
  expect(await usedAfter(0, 50)).toBe(250);
  expect(await usedAfter(TEN_SECONDS_MS - 20, TEN_SECONDS_MS + 30)).toBe(0);
});
