import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BesiegedService } from './besieged-service.js';
import { openSocket } from './raw-socket.js';
import { ROOT } from './service-run.js';

const SOCKETS_COUNT = 1_000;
const AT_ONCE = 50;
const MIB = 1024 * 1024;
const RESIDENT_BYTES_MAX = 700 * MIB;
const GIVEN_BACK_MS_MAX = 15_000;
const KEPT_BYTES_MAX = 64 * MIB;
/** A text frame that announces 2 MiB or 1 MiB, and all of it but the last byte. The mask is zero. */
const LARGEST = [2 * MIB, MIB].map((bytes) => {
  const header = Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32BE(bytes, 6);
  return Buffer.concat([header, Buffer.alloc(bytes - 1, ' ')]);
});
/** Pings with the longest ids, whose answers the client never reads. */
const PINGS = Buffer.concat(
  Array.from({ length: 4_000 }, () => {
    const text = Buffer.from(JSON.stringify({ id: 'x'.repeat(64), op: 'ping' }));
    return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text]);
  }),
);

/** As the systemd unit sets it: free memory goes back to the system. */
const ALLOCATOR = /^Environment=(MALLOC_\w+)=(\d+)$/m.exec(
  readFileSync(join(ROOT, 'src/operate/sluice.service'), 'utf8'),
);

let service: BesiegedService;
beforeAll(async () => {
  service = await BesiegedService.start({ [String(ALLOCATOR?.[1])]: String(ALLOCATOR?.[2]) });
});
afterAll(() => service.end());

it(`${SOCKETS_COUNT} sockets that do not authenticate hold a bounded memory, and give it back at their end`, async () => {
  const before = residentBytes();
  let largest = before;
  const watch = setInterval(() => (largest = Math.max(largest, residentBytes())), 20);
  const sockets: Socket[] = [];
  for (let opened = 0; opened < SOCKETS_COUNT; opened += AT_ONCE) {
    sockets.push(...(await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => attack(opened + index)))));
  }
  await service.expectUnharmed();
  clearInterval(watch);
  expect(largest).toBeLessThan(RESIDENT_BYTES_MAX);
  for (const socket of sockets) socket.destroy();
  await expect.poll(residentBytes, { timeout: GIVEN_BACK_MS_MAX, interval: 200 }).toBeLessThan(before + KEPT_BYTES_MAX);
  await service.expectUnharmed();
});

/** Opens an order-entry socket, reads nothing after the handshake, and leaves pings and a frame without its end. */
async function attack(number: number): Promise<Socket> {
  const socket = await openSocket(service.port);
  const key = randomBytes(16).toString('base64');
  const head = `Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}`;
  socket.write(`GET /api/v2/ws/trade HTTP/1.1\r\nHost: localhost\r\n${head}\r\n\r\n`);
  await once(socket, 'readable');
  const frame = LARGEST[number % LARGEST.length] as Buffer;
  const bytes = number % 3 === 0 ? Buffer.concat([PINGS, frame]) : frame;
  await new Promise((resolve) => {
    socket.once('close', resolve);
    socket.write(bytes, resolve);
  });
  return socket;
}

function residentBytes(): number {
  const status = readFileSync(`/proc/${service.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}
