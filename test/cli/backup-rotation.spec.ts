import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeOldBackups, rotatedFolder } from '../../src/cli/operator/backup-rotation.js';
import { FakeMaintenance, sluice } from './command-line.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-backups-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A complete backup, or one that was cut short. */
function backupIs(name: string, isComplete = true): void {
  mkdirSync(join(folder, name));
  if (isComplete) writeFileSync(join(folder, name, 'backup.json'), '{}');
}

describe('sluice backup --keep', () => {
  it('makes a backup in a folder named by the time, and keeps the newest ones', async () => {
    const maintenance = new FakeMaintenance();
    const old = ['2026-11-01T03-00-00Z', '2026-11-02T03-00-00Z', '2026-11-03T03-00-00Z'];
    for (const name of old) backupIs(name);
    const { status, out } = await sluice(
      ['backup', '--keep', '2', folder],
      { SLUICE_DATA_DIR: '/data' },
      { maintenance },
    );
    expect(status).toBe(0);
    const [, , target = ''] = maintenance.calls[0] as string[];
    expect(target.slice(folder.length)).toMatch(/^\/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/);
    expect(out).toBe(`backed up to ${target}\nremoved ${join(folder, old[0] ?? '')}\n`);
    expect(readdirSync(folder)).toEqual(old.slice(1));
    for (const wrong of ['0', 'all']) expect((await sluice(['backup', '--keep', wrong, folder], {})).status).toBe(2);
  });

  it('removes nothing when the backup fails', async () => {
    class FullDisk extends FakeMaintenance {
      override backup(): Promise<void> {
        return Promise.reject(new Error('the disk is full'));
      }
    }
    for (const name of ['2026-11-01T03-00-00Z', '2026-11-02T03-00-00Z']) backupIs(name);
    const outcome = await sluice(['backup', '--keep', '1', folder], {}, { maintenance: new FullDisk() });
    expect(outcome).toMatchObject({ status: 1, error: 'sluice: the disk is full\n' });
    expect(readdirSync(folder)).toHaveLength(2);
  });
});

describe('old backups', () => {
  const NOW_MS = Date.parse('2026-11-29T03:00:00.500Z');

  it('have names that sort by time', () => {
    expect(rotatedFolder('/b', NOW_MS)).toBe('/b/2026-11-29T03-00-00Z');
  });

  it('are removed with the rests of killed backups, and beside other folders', () => {
    backupIs('2026-11-27T02-00-00Z', false);
    backupIs('2026-11-29T02-00-00Z', false);
    backupIs('before-upgrade');
    for (const hour of ['21', '22', '23']) backupIs(`2026-11-28T${hour}-00-00Z`);
    const removed = removeOldBackups(folder, 2, NOW_MS).map((path) => path.slice(folder.length + 1));
    expect(removed).toEqual(['2026-11-28T21-00-00Z', '2026-11-27T02-00-00Z']);
    // One that is under way, and one whose name was given, stay.
    expect(readdirSync(folder).toSorted()).toEqual([
      '2026-11-28T22-00-00Z',
      '2026-11-28T23-00-00Z',
      '2026-11-29T02-00-00Z',
      'before-upgrade',
    ]);
  });
});
