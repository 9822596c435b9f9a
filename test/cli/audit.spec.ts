import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { operate } from '../../src/admin/admin-client.js';
import { finishRestore, restoreBackup, SAFE_CHOICES } from '../../src/cli/operator/restored-data.js';
import { restoreRecord } from '../../src/domain/restore.js';
import { backupData } from '../../src/journal/backup.js';
import { openIdentity } from '../../src/runtime/identity.js';
import { Folders, JournalWorld } from '../journal/journal-world.js';
import { ScriptedOrders } from '../journal/scripted-orders.js';
import { FakeMaintenance, sluice, type Outcome } from './command-line.js';
import { ADD, SECRET } from './stored-venue-key.js';

const REASON = ['--reason', 'ticket 4711: leaver'];

interface Line {
  readonly time: string;
  readonly action: string;
  readonly by: { readonly kind: string; readonly uid: number; readonly user: string };
  readonly subject: Readonly<Record<string, unknown>>;
  readonly reason?: string;
}

const folders = new Folders();
afterAll(() => folders.removeAll());

let parent: string;
let dataDir: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'sluice-cli-audit-'));
  dataDir = join(parent, 'data');
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

function run(...args: string[]): Promise<Outcome> {
  return sluice(args, { SLUICE_DATA_DIR: dataDir });
}

async function createKey(): Promise<{ readonly api_key: string; readonly api_secret: string }> {
  const { out } = await run('keys', 'create', '--account', 'desk', '--permissions', 'trade', '--json');
  return JSON.parse(out) as { api_key: string; api_secret: string };
}

function linesIn(folder: string): Line[] {
  const lines = readFileSync(join(folder, 'audit.log'), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Line);
}

const actions = (): unknown[] => linesIn(dataDir).map(({ action, subject, reason }) => [action, subject, reason]);

/** The audit log cannot be written: its place is taken by a folder. */
function breakLog(): void {
  mkdirSync(join(dataDir, 'audit.log'), { recursive: true });
}

describe('the audit log of operator commands', () => {
  it('has the keys of accounts, with their bounds and without their secrets', async () => {
    const bounds = ['--allow-ip', '10.1.0.0/16', '--expires', '2099-01-01', '--require-sign-v2'];
    const created = await run('keys', 'create', '--account', 'desk', ...bounds, ...REASON, '--json');
    const { api_key: key, api_secret: secret } = JSON.parse(created.out) as Awaited<ReturnType<typeof createKey>>;
    expect((await run('keys', 'confirm', key)).status).toBe(0);
    expect((await run('keys', 'revoke', key, ...REASON)).status).toBe(0);
    const limited = {
      expires_at: '2099-01-01T00:00:00.000Z',
      allowed_ips: ['10.1.0.0/16'],
      require_sign_v2: true,
    };
    expect(actions()).toEqual([
      ['keys.create', { account: 'desk', key, permissions: ['read'], ...limited }, REASON[1]],
      ['keys.confirm', { account: 'desk', key }, undefined],
      ['keys.revoke', { account: 'desk', key }, REASON[1]],
    ]);
    expect(readFileSync(join(dataDir, 'audit.log'), 'utf8')).not.toContain(secret);
    expect(statSync(join(dataDir, 'audit.log')).mode & 0o777).toBe(0o600);
    const { uid, username: user } = userInfo();
    for (const { by, time } of linesIn(dataDir)) {
      expect(by).toMatchObject({ kind: 'OPERATOR', uid, user });
      expect(Math.abs(Date.parse(time) - Date.now())).toBeLessThan(60_000);
    }
  });

  it('has risk limits and kill switches', async () => {
    const { api_key: key } = await createKey();
    await run('risk-limits', 'set', '--key', key, '--max-notional', '250000', '--symbols', 'off', ...REASON);
    await run('kill-switch', 'engage', '--account', 'desk', ...REASON);
    await run('kill-switch', 'on', '--all');
    await run('kill-switch', 'release', '--all');
    expect(actions().slice(1)).toEqual([
      [
        'risk-limits.set',
        { account: 'desk', key, limits: { max_order_notional: '250000', allowed_symbols: 'off' } },
        REASON[1],
      ],
      ['kill-switch.engage', { account: 'desk' }, REASON[1]],
      ['kill-switch.engage', { scope: 'SERVICE' }, undefined],
      ['kill-switch.release', { scope: 'SERVICE' }, undefined],
    ]);
  });

  it('has keys of exchanges, masked', async () => {
    await createKey();
    const secretInput = { read: () => Promise.resolve(Buffer.from(`${SECRET}\n`)) };
    const env = { SLUICE_DATA_DIR: dataDir };
    const added = await sluice([...ADD, ...REASON, '--secret-stdin'], env, { secretInput });
    expect(added.status).toBe(0);
    const place = ['--account', 'desk', '--exchange', 'BINANCE', '--environment', 'testnet'];
    expect((await run('venue-keys', 'remove', ...place, '--yes')).status).toBe(0);
    expect(actions().slice(1)).toMatchObject([
      ['venue-keys.add', { account: 'desk', exchange: 'BINANCE', environment: 'testnet' }, REASON[1]],
      ['venue-keys.remove', { account: 'desk', exchange: 'BINANCE', environment: 'testnet' }, undefined],
    ]);
    const text = readFileSync(join(dataDir, 'audit.log'), 'utf8');
    expect(text).not.toContain(SECRET);
    expect(text).toContain('…');
  });

  it('has the end of the halt after a restore', async () => {
    const world = new JournalWorld(folders.fresh());
    const orders = new ScriptedOrders();
    orders.create();
    world.commit(orders);
    await world.close();
    const identity = openIdentity(world.dataDir);
    const record = restoreRecord(null, { nowMs: 1_000, backupAtMs: 1, backupServiceMs: 1 });
    identity.trading.begin(record);
    const none = { adoptedCount: 0, orphanCount: 0, openOrphanCount: 0, orphans: [] };
    identity.trading.writeReport({ epoch: record.epoch, atMs: 1_000, isComplete: true, accounts: [], ...none });
    await operate({ path: world.dataDir, masterKey: undefined, reason: 'all reconciled' }, 'trading.resume', {});
    await identity.close();
    expect(linesIn(world.dataDir)).toMatchObject([
      { action: 'trading.resume', subject: { scope: 'SERVICE' }, reason: 'all reconciled' },
    ]);
  });

  it('goes along with a backup, and continues with the restore', async () => {
    const world = new JournalWorld(folders.fresh());
    const orders = new ScriptedOrders();
    orders.create();
    world.commit(orders);
    await world.close();
    await openIdentity(world.dataDir).close();
    dataDir = world.dataDir;
    await createKey();
    const [copy, restored] = [join(parent, 'copy'), join(parent, 'restored')];
    await backupData(world.dataDir, copy, { withMasterKey: true });
    await restoreBackup(copy, restored);
    await finishRestore(copy, restored, SAFE_CHOICES, 'disk of host 3 failed');
    expect(linesIn(restored)).toMatchObject([
      { action: 'keys.create' },
      {
        action: 'restore',
        subject: { source: copy, keys: 'suspend', kill_switches: 'keep', timers: 'drop' },
        reason: 'disk of host 3 failed',
      },
    ]);
  });

  it('has no line of a command that was refused', async () => {
    const { api_key: key } = await createKey();
    await run('keys', 'revoke', key);
    const before = actions();
    const refused = [
      ['keys', 'revoke', 'f'.repeat(32)],
      ['keys', 'confirm', key],
      ['keys', 'create', '--account', 'no account'],
      ['risk-limits', 'set', '--account', 'desk', '--max-notional', 'much'],
      ['kill-switch', 'release', '--account', 'desk'],
      ['kill-switch', 'engage', '--account', 'unknown'],
      ['quarantine', 'release', '1'],
      ['child', 'settle', '1-1', '--absent'],
      ['trading', 'resume'],
      ['venue-keys', 'remove', '--account', 'desk', '--exchange', 'OKX', '--environment', 'live', '--yes'],
    ];
    for (const args of refused) expect((await run(...args)).status, args.join(' ')).not.toBe(0);
    expect(actions()).toEqual(before);
  });

  it('refuses the action when its line cannot be stored, and names the file', async () => {
    const { api_key: key } = await createKey();
    rmSync(join(dataDir, 'audit.log'));
    breakLog();
    const refused = [
      ['keys', 'create', '--account', 'desk'],
      ['keys', 'revoke', key],
      ['risk-limits', 'set', '--account', 'desk', '--max-notional', '5'],
    ];
    for (const args of refused) {
      const { status, error } = await run(...args);
      expect([status, error], args.join(' ')).toEqual([
        1,
        expect.stringContaining(`the audit log ${dataDir}/audit.log`),
      ]);
    }
    const keys = JSON.parse((await run('keys', 'list', '--json')).out) as object[];
    expect(keys).toHaveLength(1);
    expect(keys[0]).not.toHaveProperty('revoked_at');
    expect((await run('risk-limits', 'show', '--json')).out.trim()).toBe('[]');
  });

  it('engages a kill switch without its line, and warns; it does not release one', async () => {
    await createKey();
    rmSync(join(dataDir, 'audit.log'));
    breakLog();
    const engaged = await run('kill-switch', 'engage', '--account', 'desk');
    expect([engaged.status, engaged.error]).toEqual([0, expect.stringContaining('Warning: the audit log')]);
    expect((await run('kill-switch', 'release', '--account', 'desk')).status).toBe(1);
    expect((await run('kill-switch', 'status', '--json')).out).toContain('"account":"desk"');
  });
});

describe('--reason', () => {
  it.each([
    ['empty', ' '],
    ['over 256 characters', 'x'.repeat(257)],
    ['of two lines', 'a\nb'],
    ['with an escape sequence', '\u001b[2J'],
  ])('is refused when it is %s', async (_name, reason) => {
    const { status, error } = await run('keys', 'create', '--account', 'desk', '--reason', reason);
    expect([status, error]).toEqual([2, expect.stringContaining('1 to 256 printable characters')]);
  });

  it('is an option of every command that is in the audit log', async () => {
    const commands = [
      ['keys', 'create'],
      ['keys', 'confirm'],
      ['keys', 'revoke'],
      ['venue-keys', 'add'],
      ['venue-keys', 'remove'],
      ['risk-limits', 'set'],
      ['kill-switch', 'engage'],
      ['kill-switch', 'release'],
      ['quarantine', 'release'],
      ['child', 'settle'],
      ['trading', 'resume'],
      ['restore'],
    ];
    for (const command of commands) expect((await run(...command, '--help')).out).toContain('--reason <text>');
  });

  it('reaches the restore', async () => {
    const maintenance = new FakeMaintenance();
    maintenance.restored = {
      backupAtMs: 0,
      ageMs: 0,
      keys: [],
      riskLimits: [],
      killSwitches: [],
      timers: [],
      sessions: [],
      openOrders: [],
    };
    await sluice(['restore', '/b', '--yes', ...REASON], { SLUICE_DATA_DIR: dataDir }, { maintenance });
    expect(maintenance.calls.at(-1)?.at(-1)).toBe(REASON[1]);
  });
});
