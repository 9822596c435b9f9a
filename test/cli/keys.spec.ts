import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openIdentity } from '../../src/runtime/identity.js';
import { storeUnchecked } from '../keys/unchecked-key.js';
import { sluice } from './command-line.js';
import type { Outcome } from './command-line.js';

const CREATE = ['create', '--account', 'a', '--expires'];
const BAD_EXPIRIES = ['soon', '0d', '5y', '2099-01-01T12:00', '2099-13-01'].map((expiry) => [...CREATE, expiry]);

let parent: string;
let dataDir: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'sluice-cli-'));
  dataDir = join(parent, 'data');
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const run = (...args: string[]): Promise<Outcome> => sluice(args, { SLUICE_DATA_DIR: dataDir });

function rsaPem(bits: number): string {
  return generateKeyPairSync('rsa', { modulusLength: bits })
    .publicKey.export({ format: 'pem', type: 'spki' })
    .toString();
}

describe('sluice keys', () => {
  it('creates a key and prints exactly the documented JSON', async () => {
    const { status, out, error } = await run('keys', 'create', '--account', 'demo', '--permissions', 'trade', '--json');
    expect({ status, error }).toEqual({ status: 0, error: '' });
    expect(out).toMatch(
      /^\{"api_key":"[0-9a-f]{32}","api_secret":"[A-Za-z0-9+/]{43}=","account":"demo","permissions":\["read","trade"\]\}\n$/,
    );
    const identity = openIdentity(dataDir);
    expect(identity.directory.find((JSON.parse(out) as { api_key: string }).api_key)?.account).toBe('demo');
    await identity.close();
  });

  it('creates an RSA key without printing a secret', async () => {
    const pem = join(parent, 'key.pem');
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    writeFileSync(pem, publicKey.export({ format: 'pem', type: 'spki' }));
    const { out } = await run('keys', 'create', '--account', 'demo', '--rsa-public-key', pem, '--json');
    expect(Object.keys(JSON.parse(out) as object)).toEqual(['api_key', 'account', 'permissions']);
    expect((JSON.parse(out) as { permissions: string[] }).permissions).toEqual(['read']);
  });

  it('warns of a stored RSA key that is too weak, and names it', async () => {
    const pem = join(parent, 'key.pem');
    writeFileSync(pem, rsaPem(2048));
    const { out } = await run('keys', 'create', '--account', 'demo', '--rsa-public-key', pem, '--json');
    const { api_key: apiKey } = JSON.parse(out) as { api_key: string };
    await storeUnchecked(dataDir, apiKey, rsaPem(1024));
    const listed = await run('keys', 'list', '--json');
    expect(JSON.parse(listed.out)).toMatchObject([{ api_key: apiKey, weakness: expect.stringContaining('1024 bits') }]);
    expect(listed.error).toContain(`the service refuses ${apiKey}: its RSA public key has 1024 bits`);
    await run('keys', 'revoke', apiKey);
    expect((await run('keys', 'list')).error).not.toContain('refuses');
  });

  it('shows which keys accept signature version 2 only', async () => {
    await run('keys', 'create', '--account', 'desk', '--require-sign-v2');
    expect((await run('keys', 'list')).out).toMatch(/ v2 /);
    expect(JSON.parse((await run('keys', 'list', '--json')).out)).toMatchObject([{ require_sign_v2: true }]);
  });

  it('creates keys with networks and an expiry, and lists these restrictions', async () => {
    const bounds = ['--allow-ip', '10.1.0.0/16', '2001:db8::/48', '--expires', '2099-01-01T12:00:00+02:00'];
    const created = await run('keys', 'create', '--account', 'desk', ...bounds, '--json');
    const expected = { allowed_ips: ['10.1.0.0/16', '2001:db8::/48'], expires_at: '2099-01-01T10:00:00.000Z' };
    expect(JSON.parse(created.out)).toMatchObject(expected);
    expect(JSON.parse((await run('keys', 'list', '--json')).out)).toMatchObject([expected]);
    const table = (await run('keys', 'list')).out;
    expect(table).toContain('10.1.0.0/16,2001:db8::/48');
    expect(table).toContain('2099-01-01T10:00:00.000Z');
  });

  it('reads an expiry as a duration from now', async () => {
    const beforeMs = Date.now();
    const { out } = await run('keys', 'create', '--account', 'desk', '--expires', '30d', '--json');
    const { expires_at: expiresAt } = JSON.parse(out) as { expires_at: string };
    const lifeMs = Date.parse(expiresAt) - beforeMs;
    expect(lifeMs).toBeGreaterThanOrEqual(30 * 86_400_000);
    expect(lifeMs).toBeLessThan(31 * 86_400_000);
  });

  it.each([
    ['--allow-ip', '10.0.0.0/33'],
    ['--allow-ip', '10.0.0.0/8/8'],
    ['--allow-ip', '2001:db8::/129'],
    ['--allow-ip', 'fe80::1%eth0'],
    ['--allow-ip', 'example.org'],
    ['--expires', '2001-01-01'],
  ])('refuses %s %s and makes no key', async (...bound) => {
    const { status, error } = await run('keys', 'create', '--account', 'desk', ...bound);
    expect(status).toBe(2);
    expect(error).toMatch(/allow_ip|expires/);
    expect((await run('keys', 'list')).out).toContain('No keys yet.');
  });

  it('lists and revokes', async () => {
    const created = await run('keys', 'create', '--account', 'demo', '--json');
    const { api_key: apiKey } = JSON.parse(created.out) as { api_key: string };
    expect(JSON.parse((await run('keys', 'list', '--json')).out)).toMatchObject([{ api_key: apiKey, kind: 'HMAC' }]);
    expect(await run('keys', 'revoke', apiKey)).toMatchObject({
      status: 0,
      out: `revoked ${apiKey} of account demo\n`,
    });
    const [row] = JSON.parse((await run('keys', 'list', '--json')).out) as { revoked_at?: string }[];
    expect(row?.revoked_at).toMatch(/^\d{4}-/);
    expect((await run('keys', 'list')).out).toContain('API KEY');
  });

  it('exits with status 2 on a wrong directory or name, with status 1 on an unknown key, and creates no store', async () => {
    expect(await run('keys', 'list')).toMatchObject({
      status: 2,
      error: expect.stringContaining('SLUICE_DATA_DIR') as string,
    });
    expect(existsSync(dataDir)).toBe(false);
    expect(await run('keys', 'create', '--account', 'a b')).toMatchObject({ status: 2 });
    expect(await run('keys', 'revoke', 'nobody')).toMatchObject({
      status: 1,
      error: 'sluice: there is no API key "nobody"\n',
    });
  });

  it('exits with status 2 for wrong arguments', async () => {
    for (const args of [
      ['create'],
      ['create', '--account', 'a', '--permissions', 'all'],
      ...BAD_EXPIRIES,
      ['revoke'],
      ['frobnicate'],
    ]) {
      expect((await run('keys', ...args)).status, args.join(' ')).toBe(2);
    }
    expect((await run('keys', 'create', '--account', 'a', '--rsa-public-key', '/nowhere.pem')).status).toBe(2);
  });
});
