import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBody } from './orders.js';
import { RunningServer } from './running-server.js';

const CREATE = '/api/v2/trading/order/create';

const isAnswered = (received: string): boolean => received.includes('request_id');

describe('hostile input', () => {
  let running: RunningServer;
  beforeAll(async () => {
    running = new RunningServer();
    await running.start();
  });
  afterAll(() => running.server.close());

  /** The server still works: only the probe has placed an order, and nothing is logged. */
  async function expectUnharmed(): Promise<void> {
    const placedBefore = running.book.placedCount;
    expect((await running.post(CREATE, createBody())).status).toBe(201);
    expect(running.book.placedCount).toBe(placedBefore + 1);
    expect(running.errors).toEqual([]);
  }

  /** A signed create as bytes, with these header lines and those of the signature. */
  function createBytes(body: string, lines: readonly string[]): string {
    const signed = Object.entries(running.signed(body, 'TRADER')).map(([name, value]) => `${name}: ${value}`);
    return [`POST ${CREATE} HTTP/1.1`, ...signed, ...lines, '', body].join('\r\n');
  }

  const body = JSON.stringify(createBody());

  it.each([
    ['two lengths that differ', ['Host: a', `Content-Length: ${body.length}`, `Content-Length: ${body.length + 1}`]],
    ['the same length twice', ['Host: a', `Content-Length: ${body.length}`, `Content-Length: ${body.length}`]],
    ['an empty length', ['Host: a', 'Content-Length: ']],
    ['a chunked body', ['Host: a', 'Transfer-Encoding: chunked']],
    ['an encoding that only looks chunked', ['Host: a', 'Transfer-Encoding: xchunked']],
    ['length and encoding', ['Host: a', `Content-Length: ${body.length}`, 'Transfer-Encoding: identity']],
    ['two hosts', ['Host: a', 'Host: b', `Content-Length: ${body.length}`]],
    ['no host', [`Content-Length: ${body.length}`]],
    ['a length with leading zeros', ['Host: a', `Content-Length: 0${body.length}`]],
  ])('refuses a request with %s and closes the connection', async (_name, lines) => {
    const placedBefore = running.book.placedCount;
    const { received, isClosed } = await running.raw(createBytes(body, lines), () => false);
    // After an empty length, uWebSockets reads the body as the next request and may answer that one first.
    expect(received).toMatch(/^HTTP\/1\.1 (400 Bad Request|505)/);
    expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(isClosed).toBe(true);
    expect(running.book.placedCount).toBe(placedBefore);
    await expectUnharmed();
  });

  it('refuses Transfer-Encoding on a GET too', async () => {
    const bytes = 'GET /status/ping HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
    expect((await running.raw(bytes, isAnswered)).received).toContain('400 Bad Request');
  });

  it('waits for the second half of a request, and drops it when the client disconnects', async () => {
    const whole = createBytes(body, ['Host: a', `Content-Length: ${body.length}`]);
    await new Promise<void>((resolve) => {
      const socket = connect(running.server.port, '127.0.0.1', () => {
        socket.write(whole.slice(0, -10), () => socket.destroy());
      });
      socket.on('close', () => resolve());
    });
    await expectUnharmed();
  });

  it('joins a body that arrives in pieces', async () => {
    const whole = createBytes(body, ['Host: a', `Content-Length: ${body.length}`]);
    const socket = connect(running.server.port, '127.0.0.1');
    socket.setNoDelay(true);
    const answer = new Promise<Buffer>((resolve) => socket.once('data', resolve));
    for (let index = 0; index < whole.length; index += 100) {
      socket.write(whole.slice(index, index + 100));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const received = (await answer).toString();
    socket.destroy();
    expect(received).toContain('201 Created');
  });

  it('answers 413 to a body of 2 MiB after it was sent', async () => {
    const answer = await running.post(CREATE, 'x'.repeat(2 * 1024 * 1024));
    expect(answer.status).toBe(413);
    await expectUnharmed();
  });

  it('answers 413 at once to a declared length of 1 GiB', async () => {
    const { received } = await running.raw(createBytes('', ['Host: a', 'Content-Length: 1073741824']), isAnswered);
    expect(received).toContain('413 Payload Too Large');
  });

  it('accepts a body of exactly 1 MiB', async () => {
    const padded = body.padEnd(1024 * 1024, ' ');
    expect((await running.post(CREATE, padded)).status).toBe(201);
    expect((await running.post(CREATE, `${padded} `)).status).toBe(413);
  });

  it.each([
    ['half a million elements', `{"orders":[${'0,'.repeat(500_000)}0]}`, 400],
    ['half a million brackets', '['.repeat(500_000), 400],
    ['a deep nest', `${'['.repeat(400_000)}${']'.repeat(400_000)}`, 400],
    ['a deep nest as a field', `{"orders":[{"exchange":${'['.repeat(300_000)}${']'.repeat(300_000)}}]}`, 400],
    ['a nest of 64 levels', `{"orders":[{"exchange":${'['.repeat(61)}${']'.repeat(61)}}]}`, 201],
    ['a prototype', '{"__proto__":{"orders":[]},"constructor":{}}', 400],
    ['an object like an internal refusal', '{"rejection":{"code":"OTHER"}}', 400],
  ])('answers a body with %s and keeps running', async (_name, text, status) => {
    expect((await running.post('/api/v2/trading/order/createMany', text)).status).toBe(status);
    await expectUnharmed();
  });

  it('refuses signed bytes that are not UTF-8, and accepts the replacement character', async () => {
    const bytes = Buffer.from(JSON.stringify(createBody({ source: '?' })));
    bytes[bytes.indexOf('?')] = 0xff;
    const answer = await running.send('POST', CREATE, bytes, running.signed(bytes, 'TRADER'));
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('not UTF-8')]);
    expect((await running.post(CREATE, createBody({ source: '�' }))).status).toBe(201);
  });

  it('answers 405 to HEAD without a body, and answers the next request of the connection correctly', async () => {
    const head = `HEAD ${CREATE} HTTP/1.1\r\nHost: a\r\n\r\n`;
    const get = 'GET /status/ping HTTP/1.1\r\nHost: a\r\n\r\n';
    const { received } = await running.raw(head + get, (text) => text.includes('service_time'));
    expect(received.split('\r\n\r\n')[1]).toMatch(/^HTTP\/1\.1 200 OK/);
  });

  it('answers HEAD of a page with its length, and answers the next request of the connection correctly', async () => {
    const head = 'HEAD /asyncapi.json HTTP/1.1\r\nHost: a\r\n\r\n';
    const get = 'GET /status/ping HTTP/1.1\r\nHost: a\r\n\r\n';
    const { received } = await running.raw(head + head + get, (text) => text.includes('service_time'));
    const [first, second, last] = received.split('\r\n\r\n');
    expect(first).toMatch(/^HTTP\/1\.1 200 OK[^]*\r\nContent-Length: [1-9]\d+\r\n/);
    expect(second).toContain('Content-Length: ');
    expect(last).toMatch(/^HTTP\/1\.1 200 OK/);
  });

  it('keeps idle connections open', async () => {
    const sockets = Array.from({ length: 200 }, () => connect(running.server.port, '127.0.0.1'));
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.on('connect', resolve))));
    await expectUnharmed();
    for (const socket of sockets) socket.destroy();
  });
});

describe('start and shutdown', () => {
  it('answers creates 503 after stopAccepting while cancels work, and close waits for open calls', async () => {
    const running = new RunningServer();
    await running.start();
    running.book.isInstant = false;
    const open = running.post(CREATE, createBody());
    while (running.book.waitingCount === 0) await new Promise((resolve) => setImmediate(resolve));
    running.server.stopAccepting();
    const refused = await running.post(CREATE, createBody());
    const ready = await running.send('GET', '/status/ready', '', {});
    const cancel = await running.post('/api/v2/trading/order/cancel', { order_id: 12 });
    const closing = running.server.close();
    running.book.settle();
    await closing;

    expect([refused.status, refused.headers['retry-after'], ready.status]).toEqual([503, '1', 503]);
    expect(refused.text).toContain('shutting down');
    expect(cancel.status).toBe(200);
    expect((await open).status).toBe(201);
  });

  it('refuses to start on a port that another server uses', async () => {
    const first = new RunningServer();
    await first.start();
    await expect(new RunningServer().start({ port: first.server.port })).rejects.toThrow(/cannot listen/);
    await first.server.close();
  });
});
