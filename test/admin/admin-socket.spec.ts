import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { copyStoreOf, operate } from '../../src/admin/admin-client.js';
import { AdminSocket } from '../../src/admin/admin-socket.js';
import {
  ADMIN_CONNECTIONS_MAX,
  ADMIN_IDLE_MS_MAX,
  ADMIN_REQUEST_BYTES_MAX,
  ADMIN_REQUEST_MS_MAX,
} from '../../src/domain/limits/process.js';
import type { AccountId } from '../../src/domain/ids.js';
import { isRejected } from '../../src/domain/rejection.js';
import { openIdentity } from '../../src/runtime/identity.js';
import { sluice } from '../cli/command-line.js';
import { AdminWorld, answerOn, requestOf } from './admin-world.js';

const KEY = { account: 'desk', permissions: ['trade'], kind: 'HMAC' } as const;

afterEach(() => vi.useRealTimers());

async function keyOf(world: AdminWorld) {
  const key = await operate({ ...world.data, reason: 'ticket 7' }, 'keys.create', KEY);
  if (isRejected(key)) throw new Error(key.rejection.message);
  return key;
}

describe('the admin socket', () => {
  it('performs a command in the service, which applies it before the answer', async () => {
    const world = new AdminWorld();
    await world.serve();
    const key = await keyOf(world);
    expect(world.identity.directory.find(key.apiKey)?.account).toBe('desk');
    expect(world.performedCount).toBe(1);
    expect(await operate(world.data, 'keys.list', {})).toMatchObject([{ apiKey: key.apiKey }]);
    expect(await operate(world.data, 'keys.revoke', { apiKey: key.apiKey })).toMatchObject({ apiKey: key.apiKey });
    expect(world.identity.directory.find(key.apiKey)).toBeNull();
    const lines = readFileSync(join(world.dataDir, 'audit.log'), 'utf8').trimEnd().split('\n');
    expect(JSON.parse(lines[0] as string)).toMatchObject({
      action: 'keys.create',
      by: { kind: 'OPERATOR', uid: process.getuid?.(), pid: process.pid },
      reason: 'ticket 7',
    });
    expect(lines.join('') + JSON.stringify(world.logged)).not.toContain(key.apiSecret);
  });

  it('returns refusals with their code, and failures as one line', async () => {
    const world = new AdminWorld();
    await world.serve();
    const refused = await operate(world.data, 'kill-switch.release', { all: true });
    expect(isRejected(refused) && refused.rejection).toEqual({
      code: 'INVALID_REQUEST',
      message: 'the kill switch of the whole service is not engaged',
    });
    mkdirSync(join(world.dataDir, 'audit.log'));
    await expect(keyOf(world)).rejects.toThrow(`the audit log ${world.dataDir}/audit.log cannot be written`);
    expect(world.identity.keys.list()).toEqual([]);
    const engaged = await operate(world.data, 'kill-switch.engage', { all: true });
    expect(engaged).toMatchObject({ switches: [{ account: null }], warning: expect.stringContaining('the audit log') });
  });

  it('shows halts of the running service as the state of trading', async () => {
    const world = new AdminWorld();
    await world.serve();
    const status = (...args: string[]) => sluice(['trading', 'status', ...args], { SLUICE_DATA_DIR: world.dataDir });
    const full = {
      reason: 'DISK_FULL',
      sinceMs: Date.UTC(2026, 0, 1),
      message: 'the disk is full',
      exempt: [],
    } as const;
    const shown = { reason: 'DISK_FULL', since: '2026-01-01T00:00:00.000Z', message: 'the disk is full' };

    world.halts = [{ ...full, only: 'desk' as AccountId }];
    expect((await status()).out).toBe(
      'Trading of account desk is halted since 2026-01-01T00:00:00.000Z: the disk is full.\n' +
        'Trading is open for all other accounts.\nThe directory was never restored.\n',
    );
    const ofOne: unknown = JSON.parse((await status('--json')).out);
    expect(ofOne).toMatchObject({ state: 'PARTLY_HALTED', halts: [{ ...shown, account: 'desk' }] });

    world.halts = [full];
    expect((await status()).out).toMatch(/^Trading is halted since 2026-01-01T00:00:00\.000Z: the disk is full\.\n/);
    const ofAll: unknown = JSON.parse((await status('--json')).out);
    expect(ofAll).toMatchObject({ state: 'HALTED', halts: [{ ...shown, account: null }] });
  });

  it('is open to its owner only', async () => {
    const world = new AdminWorld();
    mkdirSync(dirname(world.socketPath), { mode: 0o777 });
    await world.serve();
    expect(statSync(world.socketPath).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(world.socketPath)).mode & 0o777).toBe(0o700);
  });

  it.runIf(process.getuid?.() === 0)('is not opened in a folder of another user', () => {
    const world = new AdminWorld();
    mkdirSync(dirname(world.socketPath));
    chownSync(dirname(world.socketPath), 12_345, 12_345);
    const { dataDir, identity } = world;
    const log = { warn: () => undefined };
    const parts = { dataDir, identity, halts: () => [], freeBytesMin: 0, onPerformed: () => undefined, log };
    expect(() => new AdminSocket(parts)).toThrow('belongs to user 12345');
  });

  it.runIf(process.getuid?.() === 0)('is not used when it belongs to a stranger', async () => {
    const world = new AdminWorld();
    await world.serve();
    chownSync(world.socketPath, 12_345, 12_345);
    await expect(operate(world.data, 'keys.list', {})).rejects.toThrow('belongs to user 12345, not to the service');
  });

  it('replaces what a killed service has left, and is gone after its end', async () => {
    const world = new AdminWorld();
    mkdirSync(join(dirname(world.socketPath), 'copy-1'), { recursive: true });
    writeFileSync(world.socketPath, '');
    const socket = await world.serve();
    await keyOf(world);
    expect(readdirSync(dirname(world.socketPath))).toEqual(['socket']);
    await socket.close();
    expect(readdirSync(dirname(world.socketPath))).toEqual([]);
  });

  it('works in a directory whose path is longer than an address', async () => {
    const world = new AdminWorld('a'.repeat(120), 'b'.repeat(120));
    const socket = await world.serve();
    await keyOf(world);
    expect(await operate(world.data, 'keys.list', {})).toHaveLength(1);
    await socket.close();
    expect(existsSync(world.socketPath)).toBe(false);
  });

  it('says why it cannot be opened', async () => {
    const world = new AdminWorld();
    mkdirSync(world.socketPath, { recursive: true });
    await expect(world.serve()).rejects.toThrow(`the socket ${world.socketPath} for commands`);
  });
});

describe('a request', () => {
  it('of another release is refused with both releases', async () => {
    const world = new AdminWorld();
    await world.serve();
    expect(await world.answer(requestOf('keys.list', {}, { release: '9.9.9' }))).toMatch(
      /"the running service has release \d+\.\d+\.\d+ with data format \d+, the command release 9\.9\.9 with/,
    );
    expect(await world.answer(requestOf('keys.list', {}, { format: 99 }))).toMatch(/restart the service/);
  });

  it.each([
    ['no JSON', 'hello\n', 'is not JSON'],
    ['another value', '7\n', 'is not an object'],
    ['no operator', requestOf('keys.list', {}, { by: { kind: 'SERVICE' } }), 'is incomplete'],
    ['an endless name', requestOf('keys.list', {}, { reason: 'x'.repeat(5_000) }), 'is incomplete'],
    ['no parameters', requestOf('keys.list', {}, { params: null }), 'is incomplete'],
    ['an unknown operation', requestOf('keys.steal'), 'there is no operation \\"keys.steal\\"'],
    ['a name of every object', requestOf('toString'), 'there is no operation'],
  ])('with %s gets a failure and changes nothing', async (_what, text, failure) => {
    const world = new AdminWorld();
    await world.serve();
    expect(await world.answer(text)).toContain(failure);
    expect(world.identity.keys.list()).toEqual([]);
  });

  it('may have ADMIN_REQUEST_BYTES_MAX bytes', async () => {
    const world = new AdminWorld();
    await world.serve();
    expect(await world.answer('x'.repeat(ADMIN_REQUEST_BYTES_MAX + 1))).toContain(`${ADMIN_REQUEST_BYTES_MAX} bytes`);
  });

  it('is complete within ADMIN_REQUEST_MS_MAX, and its connection ends ADMIN_IDLE_MS_MAX after the reply', async () => {
    const world = new AdminWorld();
    await world.serve();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const slow = await world.connected();
    const idle = await world.connected();
    idle.write(requestOf('keys.list'));
    expect(await answerOn(idle)).toBe('{"result":[]}\n');
    const ended = [slow, idle].map((socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())));
    vi.advanceTimersByTime(ADMIN_REQUEST_MS_MAX);
    await ended[0];
    expect(idle.destroyed).toBe(false);
    vi.advanceTimersByTime(ADMIN_IDLE_MS_MAX);
    await ended[1];
  });

  it('waits for the reply to the one before', async () => {
    const world = new AdminWorld();
    await world.serve();
    expect(await world.answer(requestOf('keys.list') + requestOf('keys.list'))).toContain('is not JSON');
    const socket = await world.connected();
    socket.write(requestOf('keys.list'));
    expect(await answerOn(socket)).toBe('{"result":[]}\n');
    socket.write(requestOf('kill-switch.status'));
    expect(await answerOn(socket)).toBe('{"result":[]}\n');
  });

  it('is refused while ADMIN_CONNECTIONS_MAX others are connected', async () => {
    const world = new AdminWorld();
    await world.serve();
    const others = await Promise.all(Array.from({ length: ADMIN_CONNECTIONS_MAX }, () => world.connected()));
    await expect(operate(world.data, 'keys.list', {})).rejects.toThrow('commands are at work; try again');
    const closed = new Promise((resolve) => others[0]?.once('close', resolve));
    others[0]?.destroy();
    await closed;
    await expect.poll(() => operate(world.data, 'keys.list', {}).catch(() => null)).toEqual([]);
  });
});

describe('a command', () => {
  it('says that it may have taken effect when the service ends before its answer', async () => {
    const world = new AdminWorld();
    mkdirSync(dirname(world.socketPath));
    const server = createServer((socket) => socket.once('data', () => socket.destroy()));
    await new Promise<void>((resolve) => {
      server.listen(world.socketPath, resolve);
    });
    await expect(operate(world.data, 'keys.list', {})).rejects.toThrow('the command may have taken effect');
    await new Promise((resolve) => server.close(resolve));
  });

  it('opens the databases itself when no service runs, one command after another', async () => {
    const world = new AdminWorld();
    const made = await Promise.all([keyOf(world), keyOf(world), keyOf(world)]);
    expect(new Set(made.map(({ apiKey }) => apiKey)).size).toBe(3);
    expect(existsSync(world.socketPath)).toBe(false);
    expect(await operate(world.data, 'keys.list', {})).toHaveLength(3);
  });

  it('creates no directory, except for a first key', async () => {
    const world = new AdminWorld();
    const data = { path: join(world.parent, 'mistyped'), masterKey: undefined };
    const refused = await operate(data, 'keys.list', {});
    expect(isRejected(refused) && refused.rejection.code).toBe('INVALID_PARAM');
    expect(existsSync(data.path)).toBe(false);
    expect(await operate(data, 'keys.create', KEY)).toMatchObject({ account: 'desk' });
    const identity = openIdentity(data.path);
    expect(identity.keys.list()).toHaveLength(1);
    await identity.close();
  });
});

describe('the copy of a store', () => {
  it('is made by the service, and removed with the connection of its command', async () => {
    const world = new AdminWorld();
    await world.serve();
    const key = await keyOf(world);
    const target = join(world.parent, 'copy', 'identity');
    await copyStoreOf(world.dataDir, 'identity', target);
    await expect.poll(() => readdirSync(dirname(world.socketPath))).toEqual(['socket']);
    const copied = join(world.parent, 'copy');
    writeFileSync(join(copied, 'format.json'), readFileSync(join(world.dataDir, 'format.json')));
    writeFileSync(join(copied, 'master.key'), readFileSync(join(world.dataDir, 'master.key')));
    const identity = openIdentity(copied);
    expect(identity.keys.list()).toMatchObject([{ apiKey: key.apiKey }]);
    await identity.close();
    // The directory has no exchanges.
    await copyStoreOf(world.dataDir, 'venue', join(world.parent, 'none'));
    expect(existsSync(join(world.parent, 'none'))).toBe(false);
  });

  it('is refused when it would fill the disk', async () => {
    const world = new AdminWorld();
    world.freeBytesMin = Number.MAX_SAFE_INTEGER;
    await world.serve();
    const copying = copyStoreOf(world.dataDir, 'identity', join(world.parent, 'copy'));
    await expect(copying).rejects.toThrow('has too little room for a copy of the store identity');
    expect(existsSync(join(world.parent, 'copy'))).toBe(false);
  });

  it('is made for one command at a time', async () => {
    const world = new AdminWorld();
    await world.serve();
    const targets = ['one', 'two', 'three'].map((name) => join(world.parent, name));
    const copies = await Promise.allSettled(targets.map((target) => copyStoreOf(world.dataDir, 'identity', target)));
    const failures = copies.flatMap((copy) => (copy.status === 'rejected' ? [String(copy.reason)] : []));
    expect(failures.length).toBeLessThan(targets.length);
    for (const failure of failures) expect(failure).toContain('another command copies a store; try again later');
  });
});
