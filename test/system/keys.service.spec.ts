import { execFile } from 'node:child_process';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { operate } from '../../src/admin/admin-client.js';
import { restingOrder } from './sample-orders.js';
import { ROOT } from './service-run.js';
import { Site, type Key } from './site.js';

const site = new Site();
let port = 0;
beforeAll(async () => {
  port = await site.start().ready();
});
afterAll(() => site.close());

describe('keys made and revoked by commands while the service runs', () => {
  it('are accepted at once and refused at once', async () => {
    const stranger = { apiKey: '0'.repeat(32), apiSecret: 'c2VjcmV0' };
    await expect(site.client(port, stranger).open()).rejects.toMatchObject({ status: 401, code: 'INVALID_API_KEY' });

    const trader = await createKey(site, '--permissions', 'trade');
    const client = site.client(port, trader);
    expect(await client.create(restingOrder())).toMatchObject({ status: 'PENDING_NEW' });

    const reader = site.client(port, await createKey(site, '--permissions', 'read'));
    expect(await reader.open()).toHaveLength(1);
    await expect(reader.create(restingOrder())).rejects.toMatchObject({ status: 403, code: 'AUTHENTICATION_ERROR' });

    await sluice(site, 'keys', 'revoke', trader.apiKey);
    await expect(client.open()).rejects.toMatchObject({ status: 401, code: 'INVALID_API_KEY' });
    expect(await reader.open()).toHaveLength(1);
  });

  it('may be RSA keys of the client', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const pem = join(site.folder, 'key.pem');
    writeFileSync(pem, publicKey);
    const { apiKey } = await createKey(site, '--permissions', 'trade', '--rsa-public-key', pem);
    const client = site.client(port, { apiKey, apiSecret: privateKey });
    expect(await client.create(restingOrder())).toMatchObject({ status: 'PENDING_NEW' });
  });
});

describe('a stream or a request of a key', () => {
  const REVOKED = { code: 1008, reason: 'the API key was revoked' };
  const CLOSING_MS_MAX = 1_000;

  it('is closed within a second after its key is revoked, and takes no subscription meanwhile', async () => {
    const [key, other] = [await createKey(site), await createKey(site)];
    const [stream, otherStream] = [await openStream(site, port, key), await openStream(site, port, other)];
    const closing = closingOf(stream);
    // Revoked here, so that the time of the command does not count.
    const data = { path: site.dataDir, masterKey: undefined };
    const revokedAtMs = Date.now();
    await operate(data, 'keys.revoke', { apiKey: key.apiKey });
    stream.send('{"topic":"order","exchange":"BINANCE","method":"subscribe"}');
    const answers: string[] = [];
    stream.on('message', (data) => answers.push((data as Buffer).toString()));
    expect(await closing).toEqual(REVOKED);
    expect(Date.now() - revokedAtMs).toBeLessThan(CLOSING_MS_MAX);
    expect(answers).toEqual([]);
    // Without a message of the client it is closed as well.
    const idle = closingOf(otherStream);
    await operate(data, 'keys.revoke', { apiKey: other.apiKey });
    expect(await idle).toEqual(REVOKED);
  });

  it('is closed when its key expires', async () => {
    const expiresAtMs = Date.now() + 4_000;
    const stream = await openStream(site, port, await site.issueKey('a', 'read', { expiresAtMs }));
    expect(await closingOf(stream)).toEqual({ code: 1008, reason: 'the API key has expired' });
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAtMs);
  });

  it('is refused when its body ends after its key is revoked', async () => {
    const key = await createKey(site, '--permissions', 'trade');
    const body = JSON.stringify(restingOrder());
    const timestamp = Date.now();
    const sign = createHmac('sha256', Buffer.from(key.apiSecret, 'base64'))
      .update(`${timestamp}${key.apiKey}60000${body}`)
      .digest('base64');
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    socket.write(
      `POST /api/v2/trading/order/create HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n` +
        `X-API-KEY: ${key.apiKey}\r\nX-TIMESTAMP: ${timestamp}\r\nX-RECV-WINDOW: 60000\r\nX-SIGN: ${sign}\r\n\r\n` +
        body.slice(0, 20),
    );
    await sluice(site, 'keys', 'revoke', key.apiKey);
    socket.write(body.slice(20));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    expect(answer.toString()).toMatch(/^HTTP\/1.1 401 /);
  });
});

async function openStream(site: Site, port: number, key: Key): Promise<WebSocket> {
  const listenKey = await site.client(port, key).listenKey();
  const stream = new WebSocket(`ws://127.0.0.1:${port}/api/v2/ws?listenKey=${listenKey}`);
  await once(stream, 'open');
  return stream;
}

async function closingOf(stream: WebSocket): Promise<{ readonly code: number; readonly reason: string }> {
  const [code, reason] = (await once(stream, 'close')) as [number, Buffer];
  return { code, reason: reason.toString() };
}

describe('a restriction of a key', () => {
  it('applies to its listen keys: addresses', async () => {
    const elsewhere = site.client(port, await createKey(site, '--allow-ip', '10.0.0.0/8', '2001:db8::/32'));
    await expect(elsewhere.open()).rejects.toMatchObject({ status: 403, code: 'AUTHENTICATION_ERROR' });
    const key = await createKey(site, '--allow-ip', '10.0.0.0/8', '127.0.0.0/8');
    const listenKey = await site.client(port, key).listenKey();
    expect(await handshakeStatus(port, listenKey)).toBe(101);
  });

  it('ends its listen keys when the key is revoked', async () => {
    const key = await createKey(site);
    const listenKey = await site.client(port, key).listenKey();
    expect(await handshakeStatus(port, listenKey)).toBe(101);
    await sluice(site, 'keys', 'revoke', key.apiKey);
    expect(await handshakeStatus(port, listenKey)).toBe(401);
  });

  it('refuses requests after the expiry of the key', async () => {
    expect(await site.client(port, await createKey(site, '--account', 'idle', '--expires', '1h')).open()).toEqual([]);
    const expiresAtMs = Date.now() + 500;
    const expired = site.client(port, await site.issueKey('trader', 'read', { expiresAtMs }));
    await sleep(expiresAtMs - Date.now() + 1);
    await expect(expired.open()).rejects.toMatchObject({ status: 401, code: 'INVALID_API_KEY' });
  });
});

/** 101 when the socket opens (it is closed again), else the status of the refusal. */
function handshakeStatus(port: number, listenKey: string): Promise<number> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/api/v2/ws?listenKey=${listenKey}`);
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('open', () => {
      socket.terminate();
      resolve(101);
    });
    socket.once('unexpected-response', (_request, { statusCode = 0 }) => {
      socket.terminate();
      resolve(statusCode);
    });
  });
}

async function createKey(site: Site, ...options: string[]): Promise<Key> {
  const text = await sluice(site, 'keys', 'create', '--account', 'trader', '--json', ...options);
  const key = JSON.parse(text) as { api_key: string; api_secret?: string };
  return { apiKey: key.api_key, apiSecret: key.api_secret ?? '' };
}

/** Runs the command line. Resolves with its output when its process has ended. */
async function sluice(site: Site, ...args: string[]): Promise<string> {
  const env = { ...process.env, SLUICE_DATA_DIR: site.dataDir };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(ROOT, 'dist/service/src/cli/main.js'), ...args],
    {
      env,
    },
  );
  return stdout;
}
