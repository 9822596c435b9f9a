import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import WebSocket from 'ws';
import { BesiegedService } from './besieged-service.js';
import { restingOrder } from './sample-orders.js';

const ORDERS_COUNT = 500;
/** The system's own buffers take megabytes before the service notices. */
const ROUNDS_COUNT = 8;

interface Frame {
  readonly code?: number;
  readonly seq?: number;
}

let service: BesiegedService;
beforeAll(async () => {
  service = await BesiegedService.start();
});
afterAll(() => service.end());

it('closes a stream whose client does not read with 1013, and resumes it without a gap', async () => {
  const { client } = service;
  const seen: number[] = [];
  const slow = await follow(await client.listenKey(), 0, seen);
  slow.pause();
  const closed = once(slow, 'close');
  for (let round = 0; round < ROUNDS_COUNT; round += 1) {
    await client.createMany(Array.from({ length: ORDERS_COUNT }, () => restingOrder()));
    await client.cancelAll();
  }
  await service.expectUnharmed();
  slow.resume();
  expect((await closed)[0]).toBe(1013);
  const first = seen.length;
  const again = await follow(await client.listenKey(), first, seen);
  await expect.poll(() => seen.length).toBeGreaterThan(first);
  await client.createMany([restingOrder()]);
  await expect.poll(async () => (await client.open()).length).toBe(1);
  again.terminate();
  expect(seen).toEqual(seen.map((_, index) => index + 1));
});

/** Subscribes to the account's orders after a frame. Resolves when it is acknowledged. */
async function follow(listenKey: string, resumeFrom: number, seen: number[]): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${service.port}/api/v2/ws?listenKey=${listenKey}`);
  await once(socket, 'open');
  const subscribed = new Promise<void>((resolve) => {
    socket.on('message', (data: Buffer) => {
      const { code, seq } = JSON.parse(data.toString()) as Frame;
      if (code === 0) resolve();
      if (seq !== undefined) seen.push(seq);
    });
  });
  socket.send(JSON.stringify({ method: 'subscribe', topic: 'order', exchange: 'BINANCE', resume_from: resumeFrom }));
  await subscribed;
  return socket;
}
