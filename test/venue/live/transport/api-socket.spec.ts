import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { ApiSocket } from '../../../../src/venue/live/transport/api-socket.js';
import { now, passed, until } from '../binance/loopback-exchange.js';

/* Requests and answers on one connection: which answer belongs to which request, and when there is none. */

let server: WebSocketServer;
let peer: WebSocket;
let socket: ApiSocket;
let received: Record<string, unknown>[];
let frames: unknown[];
let events: string[];

async function open(): Promise<ApiSocket> {
  const opened = new ApiSocket({
    idMember: 'id',
    url: () => `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    nowMs: now,
    random: () => 0,
    ping: { text: 'ping', pong: 'pong', everyMs: 20 },
    onOpen: () => events.push('open'),
    onFrame: (frame) => frames.push(frame),
    onUnreadable: () => events.push('unreadable'),
    onCut: () => events.push('cut'),
  });
  await until(() => opened.isOpen, 'the connection');
  return opened;
}

beforeEach(async () => {
  [received, frames, events] = [[], [], []];
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (connection) => {
    peer = connection;
    connection.on('message', (data) => {
      const text = (data as Buffer).toString();
      if (text === 'ping') connection.send('pong');
      else received.push(JSON.parse(text) as Record<string, unknown>);
    });
  });
  await once(server, 'listening');
  socket = await open();
});
afterEach(() => {
  socket.close();
  server.close();
});

const ask = (name: string) => socket.request((id) => JSON.stringify({ id, name }));
const arrived = (count: number) => until(() => received.length === count, 'the requests');
const reply = (frame: object): void => peer.send(JSON.stringify(frame));

it('gives each request the first answer with its id, in any sequence', async () => {
  const [one, two] = [ask('one'), ask('two')];
  await arrived(2);
  const [{ id: first }, { id: second }] = received as [Record<string, unknown>, Record<string, unknown>];
  reply({ id: second, answer: 2 });
  reply({ id: second, answer: 'again' });
  reply({ id: first, answer: 1 });
  expect([await one, await two]).toMatchObject([{ answer: 1 }, { answer: 2 }]);
  expect(frames).toEqual([]);
});

it('passes on frames without an id, and opens another connection after an unreadable one', async () => {
  reply({ topic: 'order' });
  peer.send('no JSON');
  await until(() => events.length === 4, 'the next connection');
  // Answers to pings are no frames.
  await passed(50);
  expect([frames, events]).toEqual([[{ topic: 'order' }], ['open', 'unreadable', 'cut', 'open']]);
});

it('has no answer for a request after 3 s, and ignores a later one', async () => {
  const asked = ask('slow');
  await arrived(1);
  expect(await asked).toBeNull();
  reply({ id: received[0]!['id'], answer: 'late' });
  await passed(50);
  expect(frames).toEqual([]);
});

it('has no answer for the requests of a connection that ends, and takes new ones on the next', async () => {
  const asked = ask('lost');
  await arrived(1);
  peer.terminate();
  expect(await asked).toBeNull();
  expect(await ask('between')).toBeNull();
  await until(() => socket.isOpen, 'the next connection');
  const next = ask('next');
  await arrived(2);
  reply({ id: received[0]!['id'], answer: 'of the earlier connection' });
  reply({ id: received[1]!['id'], answer: 'ok' });
  expect(await next).toMatchObject({ answer: 'ok' });
});

function refuse(): string {
  throw new Error('wrong');
}

it('sends nothing when the text cannot be written', async () => {
  expect(() => socket.request(refuse)).toThrow('wrong');
  void ask('right');
  await arrived(1);
  expect(received).toMatchObject([{ name: 'right' }]);
});

it('uses no id again after a new start', async () => {
  void ask('first');
  await arrived(1);
  socket.close();
  await passed(2);
  socket = await open();
  void ask('second');
  await arrived(2);
  expect(Number(received[1]!['id'])).toBeGreaterThan(Number(received[0]!['id']));
  expect(received[0]!['id']).toMatch(/^\d{16}$/);
});
