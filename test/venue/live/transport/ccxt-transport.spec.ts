import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { EXCHANGE_ANSWER_MS_MAX, EXCHANGE_BODY_MS_MAX } from '../../../../src/domain/limits/live.js';
import { CcxtTransport } from '../../../../src/venue/live/transport/ccxt-transport.js';

afterEach(() => {
  vi.useRealTimers();
});

it('gives up an answer that begins and does not end', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"serverTime":');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const transport = await CcxtTransport.open({
    exchange: 'binance',
    apiKey: '',
    secret: '',
    timeoutMs: EXCHANGE_ANSWER_MS_MAX,
    hosts: new Map([['api.binance.com', `http://127.0.0.1:${(server.address() as AddressInfo).port}`]]),
  });
  const begun = new Promise((resolve) => {
    subscribe('undici:request:headers', resolve);
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const failed = transport.call('publicGetTime', {}).then(
    () => 'an answer',
    (error: Error) => error.message,
  );
  await begun;
  await setImmediate();
  vi.advanceTimersByTime(EXCHANGE_ANSWER_MS_MAX + EXCHANGE_BODY_MS_MAX);
  expect(await failed).toBe('the answer has not ended within 13000 ms');
  await transport.close();
  server.closeAllConnections();
  server.close();
});

it('names the time when a request was sent with the headers of its answer', async () => {
  const waiting: ServerResponse[] = [];
  const server = createServer((_request, response) => void waiting.push(response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const clock = { nowMs: 1_000 };
  const times: string[] = [];
  const transport = await CcxtTransport.open({
    exchange: 'binance',
    apiKey: '',
    secret: '',
    timeoutMs: EXCHANGE_ANSWER_MS_MAX,
    timestampMs: () => clock.nowMs,
    onHeaders: (_headers, { pathname, sentAtMs }) => times.push(`${pathname} ${sentAtMs}`),
    hosts: new Map([['api.binance.com', `http://127.0.0.1:${(server.address() as AddressInfo).port}`]]),
  });
  const calls: Promise<unknown>[] = [];
  for (const [method, atMs] of [
    ['publicGetTime', 1_000],
    ['publicGetPing', 2_000],
    ['publicGetTime', 3_000],
  ] as const) {
    clock.nowMs = atMs;
    calls.push(transport.call(method, {}));
    // Each request leaves before the next one.
    // oxlint-disable-next-line no-await-in-loop
    await vi.waitFor(() => expect(waiting).toHaveLength(calls.length));
  }
  clock.nowMs = 9_000;
  for (const [place, response] of waiting.toReversed().entries()) {
    response.end('{}');
    // oxlint-disable-next-line no-await-in-loop
    await calls.at(-1 - place);
  }
  // Two requests with the same text have one sending time: the earlier one.
  expect(times).toEqual(['/api/v3/time 1000', '/api/v3/ping 2000', '/api/v3/time 1000']);
  clock.nowMs = 10_000;
  const last = transport.call('publicGetTime', {});
  await vi.waitFor(() => expect(waiting).toHaveLength(4));
  clock.nowMs = 11_000;
  waiting[3]!.end('{}');
  await last;
  expect(times.at(-1)).toBe('/api/v3/time 10000');
  await transport.close();
  server.close();
});
