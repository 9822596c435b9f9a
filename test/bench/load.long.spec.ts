import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import { runScript } from './quick-run.js';

const KEY = { SLUICE_API_KEY: 'key', SLUICE_API_SECRET: 'c2VjcmV0' };
let server: Server | null = null;

afterEach(() => server?.close());

/** Starts a server that answers 201, and 429 after `budget` requests. */
async function serve(budget: number): Promise<string> {
  let served = 0;
  server = createServer((request, response) => {
    const isSigned = request.headers['x-sign'] !== undefined && request.url === '/api/v2/trading/order/create';
    served += 1;
    request.resume();
    request.on('end', () =>
      response.writeHead(isSigned && served <= budget ? 201 : 429, { 'Content-Length': 2 }).end('{}'),
    );
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('load places orders at the given rate', async () => {
  const args = ['--url', await serve(1000), '--rate', '100', '--seconds', '0.2', '--json'];
  expect(JSON.parse(await runScript('load.js', args, KEY))).toMatchObject({ errors: 0, statuses: { 201: 20 } });
});

it('load counts answers by status and exits with 1 after errors', async () => {
  const args = ['--url', await serve(5), '--rate', '100', '--seconds', '0.2', '--connections', '2'];
  await expect(runScript('load.js', args, KEY)).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/errors +15\nHTTP 201 +5\nHTTP 429 +15/) as string,
  });
});

/** Starts a server that accepts sessions and answers each create with 201, but the first one as rejected. */
async function serveSessions(): Promise<string> {
  const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1', path: '/api/v2/ws/trade' });
  let createCount = 0;
  sockets.on('connection', (socket) => {
    socket.send('{"topic":"ping"}');
    socket.on('message', (data) => {
      const { id, op } = JSON.parse((data as Buffer).toString()) as { id: string; op: string };
      if (op === 'auth') return socket.send(`{"id":"${id}","op":"auth","status":200,"data":{}}`);
      createCount += 1;
      const status = createCount === 1 ? 'REJECTED' : 'PENDING_NEW';
      socket.send(`{"id":"${id}","op":"${op}","status":201,"data":{"status":"${status}"}}`);
    });
  });
  onTestFinished(() => sockets.close());
  await once(sockets, 'listening');
  return `http://127.0.0.1:${(sockets.address() as AddressInfo).port}`;
}

it('load places orders over sessions, and counts a rejected one as an error', async () => {
  const args = ['--url', await serveSessions(), '--sessions', '2', '--depth', '4', '--seconds', '0.2', '--json'];
  await expect(runScript('load.js', args, KEY)).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(
      /^\{"sessions":2,"depth":4,.*"errors":1,"statuses":\{"0":1,"201":\d+\}\}\n$/,
    ) as string,
  });
});

it('load names a wrong argument', async () => {
  await expect(runScript('load.js', ['--rate', 'fast'], KEY)).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--rate fast must be a number above 0') as string,
  });
});
