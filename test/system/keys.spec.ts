import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { openIdentity } from '../../src/journal/identity/index.js';
import { isRejected } from '../../src/model/rejection.js';
import { restingOrder } from './sample-orders.js';
import { ROOT } from './service-run.js';
import { newSite, type Key, type Site } from './site.js';

describe('keys made and revoked by another process while the service runs', () => {
  it('are accepted at once and refused at once', async () => {
    const site = newSite();
    const port = await site.start().ready();
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
    const site = newSite();
    const port = await site.start().ready();
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

describe('what binds a key', () => {
  it('is where it is used from, and holds for its listen keys too', async () => {
    const site = newSite();
    const port = await site.start().ready();
    const elsewhere = site.client(port, await createKey(site, '--allow-ip', '10.0.0.0/8', '2001:db8::/32'));
    await expect(elsewhere.open()).rejects.toMatchObject({ status: 403, code: 'AUTHENTICATION_ERROR' });
    const key = await createKey(site, '--allow-ip', '10.0.0.0/8', '127.0.0.0/8');
    const listenKey = await site.client(port, key).listenKey();
    expect(await handshakeStatus(port, listenKey)).toBe(101);
  });

  it('is that it is not revoked: its listen keys end with it', async () => {
    const site = newSite();
    const port = await site.start().ready();
    const key = await createKey(site);
    const listenKey = await site.client(port, key).listenKey();
    expect(await handshakeStatus(port, listenKey)).toBe(101);
    await sluice(site, 'keys', 'revoke', key.apiKey);
    expect(await handshakeStatus(port, listenKey)).toBe(401);
  });

  it('is its term', async () => {
    const site = newSite();
    const port = await site.start().ready();
    expect(await site.client(port, await createKey(site, '--expires', '1h')).open()).toEqual([]);
    // Made in January 1970, for a millisecond.
    const identity = openIdentity(site.dataDir);
    const made = identity.keys.createKey({ account: 'trader', permissions: [], kind: 'HMAC', expiresAtMs: 2 }, 1);
    await identity.close();
    if (isRejected(made)) throw new Error(made.rejection.message);
    const expired = site.client(port, { apiKey: made.apiKey, apiSecret: made.apiSecret ?? '' });
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

/** Runs the command line; resolves with what it printed, once its process is gone. */
async function sluice(site: Site, ...args: string[]): Promise<string> {
  const env = { ...process.env, SLUICE_DATA_DIR: site.dataDir };
  const { stdout } = await promisify(execFile)(process.execPath, [join(ROOT, 'dist/src/cli.js'), ...args], { env });
  return stdout;
}
