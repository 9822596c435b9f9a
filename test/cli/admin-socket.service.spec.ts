import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminSocketPath } from '../../src/admin/admin-address.js';
import { restingOrder } from '../system/sample-orders.js';
import type { ServiceRun } from '../system/service-run.js';
import { newSite, Site } from '../system/site.js';
import type { Outcome } from './command-line.js';

const PROGRAM = join(import.meta.dirname, '../../dist/service/src/cli/main.js');
const OTHER_USER = join(import.meta.dirname, '../../dist/test/cli/other-user-peer.js');
const CREATE = ['keys', 'create', '--account', 'trader', '--permissions', 'trade', '--json'];
const CLAIM_TAKEN = /is in use by process \d+ on \S+, which takes no commands now/;
const STOPPED_MS_MAX = 60_000;

interface Command {
  readonly child: ChildProcess;
  readonly ended: Promise<Outcome>;
}

/** Starts the program of the operator in a process of its own. */
function command(dataDir: string, args: readonly string[]): Command {
  const env = { ...process.env, SLUICE_DATA_DIR: dataDir };
  const child = spawn(process.execPath, [PROGRAM, ...args], { env });
  const written = { out: '', error: '' };
  child.stdout.on('data', (chunk: Buffer) => (written.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (written.error += chunk.toString()));
  const ended = new Promise<Outcome>((resolve) => {
    child.once('close', (status) => resolve({ status: status ?? 1, ...written }));
  });
  return { child, ended };
}

function run(dataDir: string, ...args: readonly string[]): Promise<Outcome> {
  return command(dataDir, args).ended;
}

/** Paths of the files that a process has open or mapped; sockets as `socket:[…]`. None after its end. */
function openFilesOf(pid: number): string[] {
  try {
    const descriptors = readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${name}`);
      } catch {
        return [];
      }
    });
    const mapped = readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n');
    return [...descriptors, ...mapped.map((line) => line.slice(line.indexOf('/')))];
  } catch {
    return [];
  }
}

/** The databases of the service that a process has open. Copies that the service has made for it do not count. */
function openDatabasesOf(pid: number, dataDir: string): string[] {
  const folders = ['identity', 'state', 'venue'].map((name) => join(dataDir, name));
  return openFilesOf(pid).filter((path) => folders.some((folder) => path.startsWith(`${folder}/`)));
}

/**
 * Runs a command while the service is stopped in the middle, and returns the databases that the command has open then.
 */
async function databasesWhileItWaits(service: ServiceRun, dataDir: string, args: readonly string[]): Promise<string[]> {
  service.signal('SIGSTOP');
  try {
    const { child, ended } = command(dataDir, args);
    // The socket of the service accepts: the command waits for the answer.
    await expect
      .poll(() => openFilesOf(child.pid ?? 0).filter((path) => path.startsWith('socket:')).length, {
        timeout: STOPPED_MS_MAX,
      })
      .toBeGreaterThan(0);
    const found = openDatabasesOf(child.pid ?? 0, dataDir);
    service.signal('SIGCONT');
    expect((await ended).status, args.join(' ')).toBe(0);
    return found;
  } finally {
    service.signal('SIGCONT');
  }
}

describe('commands while the service runs', () => {
  const site = new Site();
  let service: ServiceRun;
  let port = 0;
  beforeAll(async () => {
    await site.issueKey();
    service = site.start({ env: { SLUICE_SHARDS: '2' } });
    port = await service.ready();
  });
  afterAll(() => site.close());

  it('open none of its databases', async () => {
    const commands = [
      ['keys', 'list'],
      ['kill-switch', 'engage', '--account', 'trader'],
      ['kill-switch', 'release', '--account', 'trader'],
      ['risk-limits', 'show'],
      ['trading', 'status'],
      ['quarantine', 'list'],
    ];
    for (const args of commands) {
      expect(await databasesWhileItWaits(service, site.dataDir, args), args.join(' ')).toEqual([]);
    }
  });

  it('open none of its databases for a backup or a verification either', async () => {
    const client = site.client(port, await site.issueKey());
    await Promise.all(Array.from({ length: 20 }, () => client.create(restingOrder())));
    for (const args of [
      ['backup', join(site.folder, 'backup')],
      ['journal', 'verify'],
    ]) {
      const found = new Set<string>();
      const { child, ended } = command(site.dataDir, args);
      const timer = setInterval(() => {
        for (const path of openDatabasesOf(child.pid ?? 0, site.dataDir)) found.add(path);
      }, 1);
      const outcome = await ended;
      clearInterval(timer);
      expect([outcome.status, outcome.error], args.join(' ')).toEqual([0, expect.not.stringContaining('sluice:')]);
      expect([...found], args.join(' ')).toEqual([]);
    }
    // What the service has copied is gone.
    expect(readdirSync(join(site.dataDir, 'admin'))).toEqual(['socket']);
    await client.cancelAll();
  });

  it('take effect before they end, and the audit log names them', async () => {
    const created = await run(site.dataDir, ...CREATE, '--reason', 'ticket 11');
    const { api_key: apiKey, api_secret: apiSecret } = JSON.parse(created.out) as Record<
      'api_key' | 'api_secret',
      string
    >;
    const client = site.client(port, { apiKey, apiSecret });
    expect(await client.open()).toEqual([]);
    expect(await run(site.dataDir, 'kill-switch', 'engage', '--account', 'trader')).toMatchObject({ status: 0 });
    expect(await client.create(restingOrder())).toMatchObject({ status: 'REJECTED', reason: 'KILL_SWITCH' });
    expect(await run(site.dataDir, 'kill-switch', 'release', '--account', 'trader')).toMatchObject({ status: 0 });
    expect(await client.create(restingOrder())).not.toHaveProperty('reason');
    expect(await run(site.dataDir, 'keys', 'revoke', apiKey)).toMatchObject({ status: 0 });
    await expect(client.open()).rejects.toMatchObject({ status: 401 });
    const audited = readFileSync(join(site.dataDir, 'audit.log'), 'utf8');
    expect(audited).toContain('"reason":"ticket 11"');
    const by = audited
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { by: { pid: number } }).by.pid);
    expect(by).not.toContain(service.pid);
    for (const text of [audited, service.output]) expect(text).not.toContain(apiSecret);
  });

  it('may run two at once', async () => {
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => run(site.dataDir, ...CREATE)));
    expect(outcomes.map(({ status, error }) => [status, error])).toEqual(outcomes.map(() => [0, '']));
    expect(new Set(outcomes.map(({ out }) => out)).size).toBe(4);
  });

  it.runIf(process.getuid?.() === 0)('are refused for another user, in one line', () => {
    for (const folder of [site.folder, site.dataDir]) chmodSync(folder, 0o755);
    const asOther = (name: string, params: object): string => {
      const args = [OTHER_USER, site.dataDir, name, JSON.stringify(params)];
      return execFileSync(process.execPath, args, { encoding: 'utf8' });
    };
    expect(asOther('keys.list', {})).toMatch(/^.*run the command as root\n$/);
    chmodSync(site.dataDir, 0o700);
    expect(asOther('kill-switch.engage', {})).toMatch(/^.*run the command as root\n$/);
    expect(statSync(adminSocketPath(site.dataDir)).mode & 0o777).toBe(0o600);
  });
});

describe('commands around the end of a service', () => {
  it('work after SIGKILL, and after the next start', async (test) => {
    const site = newSite(test);
    await site.issueKey();
    const killed = site.start({ env: { SLUICE_SHARDS: '1' } });
    await killed.ready();
    await killed.kill();
    expect(existsSync(adminSocketPath(site.dataDir))).toBe(true);
    const created = await run(site.dataDir, ...CREATE);
    expect(created.status, created.error).toBe(0);
    const { child, ended } = command(site.dataDir, ['backup', join(site.folder, 'backup')]);
    expect((await ended).status).toBe(0);
    expect(child.exitCode).toBe(0);
    const again = site.start({ env: { SLUICE_SHARDS: '1' } });
    const { api_key: apiKey, api_secret: apiSecret } = JSON.parse(created.out) as Record<
      'api_key' | 'api_secret',
      string
    >;
    expect(await site.client(await again.ready(), { apiKey, apiSecret }).open()).toEqual([]);
    expect(JSON.parse((await run(site.dataDir, 'keys', 'list', '--json')).out)).toHaveLength(2);
  });

  it('take effect or say that they may have, while the service is killed or stopped', async (test) => {
    const site = newSite(test);
    await site.issueKey();
    const known = new Set<string>();
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const service = site.start({ env: { SLUICE_SHARDS: '1' } });
      await service.ready();
      const commands = Array.from({ length: 6 }, () => command(site.dataDir, CREATE));
      await Promise.race(commands.map(({ ended }) => ended));
      service.signal(signal);
      for (const { ended } of commands) {
        const { status, out, error } = await ended;
        if (status === 0) known.add((JSON.parse(out) as { api_key: string }).api_key);
        else expect(error).toMatch(new RegExp(`may have taken effect\\n$|${CLAIM_TAKEN.source}|does not answer`));
      }
      expect(await service.ended).toMatchObject(signal === 'SIGTERM' ? { status: 0 } : { signal });
    }
    expect(existsSync(adminSocketPath(site.dataDir))).toBe(false);
    const listed = JSON.parse((await run(site.dataDir, 'keys', 'list', '--json')).out) as { api_key: string }[];
    const stored = new Set(listed.map(({ api_key: apiKey }) => apiKey));
    expect([...known].filter((apiKey) => !stored.has(apiKey))).toEqual([]);
    expect(known.size).toBeGreaterThan(0);
  });

  it('work in a directory whose path is longer than an address', async (test) => {
    const site = newSite(test);
    const dataDir = join(site.dataDir, 'd'.repeat(100), 'e'.repeat(100));
    const service = site.start({ env: { SLUICE_SHARDS: '1' } }, dataDir);
    await service.ready();
    expect(await run(dataDir, ...CREATE)).toMatchObject({ status: 0, error: '' });
    expect(readFileSync(join(dataDir, 'claim', 'lock'), 'utf8')).toContain(`process ${service.pid} on`);
    expect(await service.stop()).toMatchObject({ status: 0 });
    expect(existsSync(adminSocketPath(dataDir))).toBe(false);
  });
});
