import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  BODY_BYTES_MAX,
  BODY_WAIT_MS_MAX,
  CONNECTION_COUNT_MS,
  HELD_BODY_BYTES_MAX,
} from '../../src/domain/limits/clients.js';
import { eventually } from '../system/eventually.js';
import { createBody } from './orders.js';
import { RunningServer } from './running-server.js';

const CREATE = '/api/v2/trading/order/create';

const running = new RunningServer();
const sockets: Socket[] = [];
/** Number of 503 answers on all connections. */
let busyCount = 0;
afterEach(async () => {
  busyCount = 0;
  for (const socket of sockets.splice(0)) socket.destroy();
  await running.server.close();
});

/** A request without a key whose body lacks its last bytes. */
async function hold(bytes: number, missing = 1): Promise<Socket> {
  const socket = connect(running.server.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.on('data', (answer: Buffer) => (busyCount += statusIn(answer) === '503' ? 1 : 0));
  sockets.push(socket);
  await once(socket, 'connect');
  socket.write(`POST ${CREATE} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${bytes + missing}\r\n\r\n`);
  await new Promise((resolve) => socket.write(Buffer.alloc(bytes, 'x'), resolve));
  return socket;
}

/** A connection from an address of this machine. */
async function connected(localAddress: string): Promise<Socket> {
  const socket = connect({ port: running.server.port, host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

/** True when the server answers on the connection; false when it closes it. */
function isKept(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    socket.once('data', () => resolve(true));
    socket.once('close', () => resolve(false));
    socket.write('GET /status/ping HTTP/1.1\r\nHost: localhost\r\n\r\n');
  });
}

/** The last number of an address; null: 127.0.0.1. */
function numberedHost(raw: ArrayBuffer): number | null {
  const host = new Uint8Array(raw).at(-1) ?? 0;
  return host === 1 ? null : host;
}

const four = (address: string): Promise<Socket[]> => Promise.all([1, 2, 3, 4].map(() => connected(address)));

const holdNearlyAll = (): Promise<Socket> => hold(BODY_BYTES_MAX - 1);

const statusIn = (answer: Buffer): string => answer.toString('latin1', 9, 12);

/** The status of the answer to a body of two parts. */
async function ask(): Promise<string> {
  const socket = await hold(BODY_BYTES_MAX - 1);
  const answered = once(socket, 'data');
  socket.write('x');
  const [answer] = (await answered) as [Buffer];
  return statusIn(answer);
}

describe('bodies of senders before authentication', () => {
  it('are answered 503 when all connections hold too much, while a complete request is served', async () => {
    await running.start();
    const count = HELD_BODY_BYTES_MAX / 2 / BODY_BYTES_MAX;
    // One after another: the kernel lets a connection wait for seconds when many fill its buffers at once.
    const held: Socket[] = [];
    while (held.length < count) held.push(await holdNearlyAll());
    // The request has no key, so the answer is 401 until the held bodies use all the memory.
    const statuses: string[] = [];
    await eventually(
      async () => {
        // The server closes an idle connection after some seconds; a loaded machine may need longer to hold all bodies.
        for (const [index, socket] of held.entries()) if (socket.destroyed) held[index] = await holdNearlyAll();
        return statuses[statuses.push(await ask()) - 1];
      },
      (status) => status === '503',
    );
    expect(new Set(statuses.slice(0, -1))).toEqual(new Set(statuses.length === 1 ? [] : ['401']));
    expect(running.refusals.body_room).toBe(busyCount);
    expect((await running.post(CREATE, createBody())).status).toBe(201);
    for (const socket of held) socket.destroy();
    await eventually(ask, (status) => status === '401');
  });

  it('lose their connection when they take longer than the bound', async () => {
    await running.start();
    const slow = await hold(10);
    const closed = once(slow, 'close');
    // The server does not show that it has the first part, so the clock advances until the cut.
    await eventually(
      () => {
        running.monotonicMs += BODY_WAIT_MS_MAX;
        return Promise.resolve(running.refusals.body_time);
      },
      (cutCount) => cutCount === 1,
    );
    await closed;
    expect((await running.post(CREATE, createBody())).status).toBe(201);
  });
});

describe('the bound of open connections', () => {
  it('closes further connections unread, and accepts new ones when others end', async () => {
    await running.start({ connectionsMax: 2 });
    await hold(10);
    const second = await hold(10);
    const third = await hold(10);
    await new Promise<void>((resolve) => (third.destroyed ? resolve() : third.once('close', () => resolve())));
    expect(running.refusals.connections).toBe(1);
    second.destroy();
    await eventually(
      () =>
        running.post(CREATE, createBody()).then(
          ({ status }) => status,
          () => 0,
        ),
      (status) => status === 201,
    );
  });

  it('gives one address a quarter of them, and this machine all', async () => {
    await running.start({ connectionsMax: 16, subscriberOf: numberedHost });
    const refusedBefore = running.refusals.connections;
    const greedy = await four('127.0.0.9');
    for (const socket of greedy) expect(await isKept(socket)).toBe(true);
    expect(await isKept(await connected('127.0.0.9'))).toBe(false);
    expect(running.refusals.connections).toBe(refusedBefore + 1);
    for (const address of ['127.0.0.8', '127.0.0.1']) {
      for (const socket of await four(address)) expect(await isKept(socket)).toBe(true);
    }
    for (const socket of greedy.slice(0, 2)) socket.destroy();
    await eventually(
      async () => {
        running.monotonicMs += CONNECTION_COUNT_MS;
        return isKept(await connected('127.0.0.9'));
      },
      (kept) => kept,
    );
  });
});
