import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  EXCHANGE_ANSWER_BYTES_MAX,
  EXCHANGE_ANSWER_MS_MAX,
  EXCHANGE_BODY_MS_MAX,
  EXCHANGE_CONNECTIONS_MAX,
} from '../../../../src/domain/limits/live.js';
import { type HttpRequest, HttpsClient } from '../../../../src/venue/live/transport/https-client.js';

/* One request, and every way in which its answer may fail. */

const closings: (() => unknown)[] = [];
let client: HttpsClient;
let arrived: string[];

beforeEach(() => {
  arrived = [];
  client = new HttpsClient(null);
});
afterEach(async () => {
  vi.useRealTimers();
  await client.close();
  for (const close of closings.splice(0)) close();
});

function requestTo({ address }: Pick<Server | TcpServer, 'address'>, change: Partial<HttpRequest> = {}): HttpRequest {
  const origin = `http://127.0.0.1:${(address() as AddressInfo).port}`;
  return { method: 'GET', origin, path: '/api/v3/time', headers: {}, body: null, ...change };
}

async function listening<Listener extends TcpServer>(server: Listener): Promise<Pick<Listener, 'address'>> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closings.push(() => server.close());
  return { address: () => server.address() };
}

/** A server that answers each request in this way. */
async function serve(answer: (response: ServerResponse) => void): Promise<Pick<Server, 'address'>> {
  const listener: RequestListener = (request, response) => {
    arrived.push(`${request.method} ${request.url}`);
    request.resume();
    answer(response);
  };
  const server = createServer(listener);
  closings.push(() => server.closeAllConnections());
  return listening(server);
}

async function answerOf(answer: (response: ServerResponse) => void, change: Partial<HttpRequest> = {}) {
  return client.send(requestTo(await serve(answer), change));
}

/** Sends a request whose answer stops after `isReached`, and lets time pass. */
async function givenUp(server: Pick<TcpServer, 'address'>, isReached: () => boolean, ms: number, by = client) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const answer = by.send(requestTo(server));
  while (!isReached()) await setImmediate();
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  vi.advanceTimersByTime(ms);
  return answer;
}

describe('an answer', () => {
  it('is read whole, with status and headers, and the request is sent as it is', async () => {
    let sent = '';
    const server = createServer((request, response) => {
      request.on('data', (chunk: Buffer) => (sent += chunk.toString()));
      request.on('end', () => {
        const { 'content-type': form, 'user-agent': name } = request.headers;
        sent += ` ${request.method} ${request.url} ${form} ${name}`;
        response.writeHead(200, { 'X-MBX-Used-Weight-1m': '7' }).end('{"a":1}');
      });
    });
    const answer = await client.send(
      requestTo(await listening(server), {
        method: 'POST',
        path: '/api/v3/order',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'symbol=BTCUSDT',
      }),
    );
    expect(answer).toMatchObject({ status: 200, headers: { 'x-mbx-used-weight-1m': '7' }, text: '{"a":1}' });
    expect(sent).toBe('symbol=BTCUSDT POST /api/v3/order application/x-www-form-urlencoded sluice');
    server.closeAllConnections();
  });

  it('keeps status and Retry-After when it is HTML', async () => {
    const answer = await answerOf((response) =>
      response.writeHead(418, { 'content-type': 'text/html', 'Retry-After': '120' }).end('<html>banned</html>'),
    );
    expect(answer).toMatchObject({ status: 418, headers: { 'retry-after': '120' }, text: '<html>banned</html>' });
  });

  it.each([
    ['a length of 0', {}],
    ['no length', { 'transfer-encoding': 'chunked' }],
  ])('is empty when it has %s', async (_name, headers) => {
    expect(await answerOf((response) => response.writeHead(200, headers).end())).toMatchObject({
      status: 200,
      text: '',
    });
  });

  it('is not another one when it names another address', async () => {
    const answer = await answerOf((response) => response.writeHead(302, { location: '/login' }).end());
    expect(answer).toMatchObject({ status: 302 });
    expect(arrived).toEqual(['GET /api/v3/time']);
  });

  it('is unpacked', async () => {
    const text = '{"symbols":[]}'.repeat(100);
    const answer = await answerOf((response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text)),
    );
    expect(answer).toMatchObject({ status: 200, text });
  });

  it('with characters of several bytes is joined before it is read', async () => {
    const answer = await answerOf((response) => {
      const bytes = Buffer.from('{"symbol":"币安USDT"}');
      response.writeHead(200).write(bytes.subarray(0, 12));
      setTimeout(() => response.end(bytes.subarray(12)), 5);
    });
    expect(answer).toMatchObject({ text: '{"symbol":"币安USDT"}' });
  });
});

describe('a request without a whole answer', () => {
  it('is given up when the answer does not begin', async () => {
    const server = await serve(() => undefined);
    expect(await givenUp(server, () => arrived.length === 1, EXCHANGE_ANSWER_MS_MAX)).toEqual({
      reason: 'the answer has not begun within 3000 ms',
    });
  });

  it('is given up when the answer begins and does not end', async () => {
    const server = await serve((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"serverTime":');
    });
    const limit = EXCHANGE_ANSWER_MS_MAX + EXCHANGE_BODY_MS_MAX;
    expect(await givenUp(server, () => arrived.length === 1, limit)).toEqual({
      reason: 'the answer has not ended within 13000 ms',
    });
  });

  it('is never sent when it has waited too long for a connection', async () => {
    const server = await serve(() => undefined);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const answers = Array.from({ length: EXCHANGE_CONNECTIONS_MAX + 1 }, () => client.send(requestTo(server)));
    while (arrived.length < EXCHANGE_CONNECTIONS_MAX) await setImmediate();
    vi.advanceTimersByTime(EXCHANGE_ANSWER_MS_MAX);
    const late = { reason: 'the answer has not begun within 3000 ms' };
    expect(await Promise.all(answers)).toEqual(answers.map(() => late));
    vi.useRealTimers();
    // The connections are free now.
    const next = await serve((response) => void response.end('{}'));
    expect(await client.send(requestTo(next))).toMatchObject({ status: 200 });
    expect(arrived).toHaveLength(EXCHANGE_CONNECTIONS_MAX + 1);
  });

  it.each([
    ['is reset', (response: ServerResponse) => response.destroy()],
    [
      'is cut in half',
      (response: ServerResponse) => {
        response.writeHead(200, { 'content-length': '100' }).write('{"a":');
        setTimeout(() => response.destroy(), 5);
      },
    ],
    [
      'is cut in a part',
      (response: ServerResponse) => {
        response.writeHead(200).write('{"a":');
        setTimeout(() => response.destroy(), 5);
      },
    ],
  ])('is not sent again when the connection %s', async (_name, answer) => {
    expect(await answerOf(answer)).toEqual({
      reason: expect.stringMatching(/closed|terminated|aborted|reset/i) as string,
    });
    expect(arrived).toEqual(['GET /api/v3/time']);
  });

  it.each([
    ['whole', (response: ServerResponse) => void response.end(Buffer.alloc(EXCHANGE_ANSWER_BYTES_MAX + 1))],
    [
      'unpacked',
      (response: ServerResponse) =>
        void response
          .writeHead(200, { 'content-encoding': 'gzip' })
          .end(gzipSync(Buffer.alloc(EXCHANGE_ANSWER_BYTES_MAX + 1), { level: 1 })),
    ],
  ])('is given up when the answer is too large %s', async (_name, answer) => {
    expect(await answerOf(answer)).toEqual({ reason: `the answer has more than ${EXCHANGE_ANSWER_BYTES_MAX} bytes` });
  });

  it('is given up when the answer is packed in another way', async () => {
    const answer = await answerOf((response) => response.writeHead(200, { 'content-encoding': 'br' }).end('x'));
    expect(answer).toEqual({ reason: 'the answer has the encoding br: only gzip is read' });
  });

  it('says why there is no connection', async () => {
    const server = createTcpServer();
    const request = requestTo(await listening(server));
    await new Promise((resolve) => {
      server.close(resolve);
    });
    expect(await client.send(request)).toEqual({ reason: expect.stringContaining('ECONNREFUSED') as string });
  });

  it('has a reason without key, signature and path', async () => {
    const path = '/api/v3/account?timestamp=1&signature=abcdef';
    const answer = await answerOf((response) => response.destroy(), { path, headers: { 'X-MBX-APIKEY': 'thekey' } });
    expect(JSON.stringify(answer)).not.toMatch(/thekey|abcdef|account/);
  });
});

/** A CONNECT proxy that gives its clients to `take`. */
async function proxied(take: (socket: Socket) => void, credentials = ''): Promise<HttpsClient> {
  const sockets: Socket[] = [];
  const proxy = createTcpServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    take(socket);
  });
  const { port } = (await listening(proxy)).address() as AddressInfo;
  const through = new HttpsClient(`http://${credentials}127.0.0.1:${port}`);
  closings.push(() => {
    void through.close();
    for (const socket of sockets) socket.destroy();
  });
  return through;
}

describe('a client with a proxy', () => {
  it('asks it for a connection to the host, and sends the request on that one', async () => {
    const received: string[] = [];
    const through = await proxied((socket) => {
      socket.on('data', (chunk: Buffer) => {
        const [line = ''] = chunk.toString().split('\r\n');
        received.push(line);
        const isConnect = line.startsWith('CONNECT');
        socket.write(isConnect ? 'HTTP/1.1 200 OK\r\n\r\n' : 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
      });
    });
    const answer = await through.send({ ...requestTo(await serve(() => undefined)), origin: 'http://exchange.test' });
    expect(answer).toMatchObject({ status: 200, text: '{}' });
    expect(received).toEqual(['CONNECT exchange.test:80 HTTP/1.1', 'GET /api/v3/time HTTP/1.1']);
  });

  it('has no answer when the proxy refuses', async () => {
    const through = await proxied((socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
    expect(await through.send(requestTo(await serve(() => undefined)))).toEqual({
      reason: expect.stringContaining('403') as string,
    });
  });

  it.each([
    ['me:pa%40ss@', 'Basic bWU6cGFAc3M='],
    ['me@', 'Basic bWU6'],
    ['', null],
  ])('sends the user and password of its URL to it, and says when they are needed: %s', async (credentials, header) => {
    const received: string[] = [];
    const through = await proxied((socket) => {
      socket.on('data', (chunk: Buffer) => {
        received.push(chunk.toString());
        socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      });
    }, credentials);
    const reason = 'the proxy refuses the connection with 407: its URL needs a user and a password that it knows';
    expect(await through.send(requestTo(await serve(() => undefined)))).toEqual({ reason });
    const sent = /^proxy-authorization: (.*)\r$/im.exec(received[0] ?? '');
    expect(sent?.[1] ?? null).toBe(header);
  });

  it('gives a request up when the proxy accepts the connection and does not answer', async () => {
    let dials = 0;
    const through = await proxied(() => (dials += 1));
    const server = await serve(() => undefined);
    expect(await givenUp(server, () => dials > 0, EXCHANGE_ANSWER_MS_MAX, through)).toEqual({
      reason: 'the answer has not begun within 3000 ms',
    });
  });
});
