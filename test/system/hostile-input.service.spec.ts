import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { Random } from '../torture/random.js';
import { BesiegedService } from './besieged-service.js';
import { openSocket, sendRaw, signedHeaders } from './raw-socket.js';
import { restingOrder } from './sample-orders.js';

const CREATE = '/api/v2/trading/order/create';
const CREATE_MANY = '/api/v2/trading/order/createMany';
const MIB = 1024 * 1024;
const GARBAGE_COUNT = 100;

let service: BesiegedService;
beforeAll(async () => {
  service = await BesiegedService.start();
});
afterEach(() => service.expectUnharmed());
afterAll(() => service.end());

describe('bodies', () => {
  it.each<[string, string, string | Buffer, number]>([
    ['no JSON', CREATE, 'exchange=BINANCE', 400],
    ['nothing', CREATE, '', 400],
    ['an array for an order', CREATE, '[]', 400],
    ['orders that are no array', CREATE_MANY, '{"orders":{"length":500}}', 400],
    ['orders that are numbers', CREATE_MANY, '{"orders":[1,null,"x"]}', 201],
    ['fields of wrong types', CREATE, '{"exchange":{},"symbol":[],"quantity":true,"params":7,"side":1e400}', 201],
    ['half a million elements', CREATE_MANY, `{"orders":[${'0,'.repeat(500_000)}0]}`, 400],
    ['a million elements', CREATE_MANY, `{"orders":[${'0,'.repeat(1_000_000)}0]}`, 413],
    ['two MiB', CREATE, 'x'.repeat(2 * MIB), 413],
    ['what is no UTF-8', CREATE, Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), 400],
    ['a deep nest', CREATE, '['.repeat(500_000), 400],
  ])('are answered when they contain %s', async (_name, path, content, status) => {
    const body = Buffer.from(content);
    const headers = signedHeaders(service.key, body);
    const answer = await fetch(`http://127.0.0.1:${service.port}${path}`, { method: 'POST', headers, body });
    const text = await answer.text();
    expect([answer.status, JSON.parse(text)]).toEqual([status, expect.anything()]);
    if (status === 201) expect(text).toMatch(/^((?!order_id).)*"REJECTED"((?!order_id).)*$/);
    else expect(JSON.parse(text)).toMatchObject({ error_code: expect.any(String) as string });
  });
});

describe('requests', () => {
  it.each([
    ['a length twice', `POST ${CREATE} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
    [
      '256 KiB of headers',
      `GET /status/ping HTTP/1.1\r\nHost: a\r\n${`X-Pad: ${'x'.repeat(1000)}\r\n`.repeat(256)}\r\n`,
    ],
    ['256 KiB of address', `GET /${'x'.repeat(256 * 1024)} HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['a length that is no number', `POST ${CREATE} HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n`],
    ['another protocol', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001'],
  ])('are refused, if they are answered at all: %s', async (_name, text) => {
    expect(await sendRaw(service.port, Buffer.from(text, 'latin1'))).toMatch(/^($|HTTP\/1\.1 [45]\d\d)/);
  });

  it('place no order when their bytes are random', async () => {
    const random = new Random(7);
    const attacks = Array.from({ length: GARBAGE_COUNT }, (_, index) => {
      const garbage = Buffer.from(Array.from({ length: 1 + random.below(2000) }, () => random.below(256)));
      const beginning = index % 2 === 0 ? '' : `POST ${CREATE} HTTP/1.1\r\nHost: a\r\n`;
      return sendRaw(service.port, Buffer.concat([Buffer.from(beginning), garbage]));
    });
    for (const received of await Promise.all(attacks)) expect(received).not.toMatch(/^HTTP\/1\.1 2/);
    expect(await service.client.find()).toEqual([]);
  });

  it('delay no other client when they never end: half a body, and headers byte by byte', async () => {
    const body = Buffer.from(JSON.stringify(restingOrder('half')));
    const headers = Object.entries(signedHeaders(service.key, body)).map(([name, value]) => `${name}: ${value}`);
    const head = [`POST ${CREATE} HTTP/1.1`, 'Host: a', ...headers, `Content-Length: ${body.length}`, '', ''].join(
      '\r\n',
    );
    const sockets = await Promise.all(Array.from({ length: 50 }, () => openSocket(service.port)));
    for (const [index, socket] of sockets.entries()) {
      if (index % 2 === 0) socket.write(head + body.toString().slice(0, -1));
    }
    for (const character of head.slice(0, 40)) {
      for (const [index, socket] of sockets.entries()) if (index % 2 === 1) socket.write(character);
      await new Promise(setImmediate);
    }
    await service.expectUnharmed();
    for (const socket of sockets) socket.destroy();
    expect(await service.client.byId({ clientOrderIds: ['half'] })).toEqual([]);
  });
});

describe('a stream', () => {
  let socket: WebSocket;
  let wire: Socket;
  beforeEach(async () => {
    const listenKey = await service.client.listenKey();
    socket = new WebSocket(`ws://127.0.0.1:${service.port}/api/v2/ws?listenKey=${listenKey}`);
    socket.on('error', () => undefined);
    socket.once('upgrade', (response) => (wire = response.socket));
    await once(socket, 'open');
  });
  afterEach(() => socket.terminate());

  it('ends with a frame of 10 MiB', async () => {
    const closed = once(socket, 'close');
    socket.send('x'.repeat(10 * MIB));
    expect([1006, 1009]).toContain((await closed)[0]);
  });

  it.each<[string, string | Buffer]>([
    ['a binary frame', Buffer.from([0, 1, 2, 255])],
    ['a binary frame of a right request', Buffer.from('{"method":"subscribe","topic":"order","exchange":"BINANCE"}')],
    ['a text that is no JSON', 'subscribe to everything'],
    ['an array', '[[[[]]]]'],
    ['wrong types', '{"method":["subscribe"],"topic":{},"exchange":7}'],
    ['a prototype', '{"__proto__":{"method":"subscribe"}}'],
  ])('answers %s with 7002 and goes on', async (_name, message) => {
    socket.send(message);
    const [refused] = (await once(socket, 'message')) as [Buffer];
    expect(JSON.parse(refused.toString())).toMatchObject({ code: 7002 });
    socket.send('{"topic":"ping"}');
    const [pong] = (await once(socket, 'message')) as [Buffer];
    expect(pong.toString()).toBe('{"topic":"pong"}');
  });

  it('ends with bytes that are no frame', async () => {
    const closed = once(socket, 'close');
    wire.write(Buffer.alloc(64, 0xff));
    await closed;
  });
});
