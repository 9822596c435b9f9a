import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import WebSocket from 'ws';
import { BesiegedService } from './besieged-service.js';
import { openSocket } from './raw-socket.js';
import { statusOf } from './service-run.js';

/** The larger number needs `ulimit -n` of 12,000. */
const CONNECTIONS_COUNT = process.env['SLUICE_TEST_HEAVY'] === '1' ? 10_000 : 2_000;
const STREAMS_SHARE = 0.25;
const AT_ONCE = 100;

let service: BesiegedService;
beforeAll(async () => {
  service = await BesiegedService.start({ SLUICE_WS_ACCOUNT_CONNECTIONS: String(CONNECTIONS_COUNT) });
});
afterAll(() => service.end());

it(`${CONNECTIONS_COUNT} idle connections do not delay another client and leave no memory or descriptors in use`, async () => {
  const listenKey = await service.client.listenKey();
  const sockets: Socket[] = [];
  const streams: WebSocket[] = [];
  while (sockets.length + streams.length < CONNECTIONS_COUNT) {
    const opening = Array.from({ length: AT_ONCE }, async (_, index) => {
      if (index < STREAMS_SHARE * AT_ONCE) streams.push(await openStream(service.port, listenKey));
      else sockets.push(await openSocket(service.port));
    });
    await Promise.all(opening);
  }
  await service.expectUnharmed();
  expect(streams.every(({ readyState }) => readyState === WebSocket.OPEN)).toBe(true);
  for (const socket of sockets) socket.destroy();
  for (const stream of streams) stream.terminate();
  await service.expectUnharmed();
  expect(await statusOf(service.port, '/status/ready')).toBe(200);
});

async function openStream(port: number, listenKey: string): Promise<WebSocket> {
  const stream = new WebSocket(`ws://127.0.0.1:${port}/api/v2/ws?listenKey=${listenKey}`, { perMessageDeflate: false });
  await once(stream, 'open');
  return stream;
}
