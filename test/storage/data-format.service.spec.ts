import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { backupData } from '../../src/journal/backup.js';
import { openIdentity } from '../../src/runtime/identity.js';
import { Folders } from '../journal/journal-world.js';
import { contentOf } from './directory-content.js';
import { makeKilledData, NEWER, OURS, PRESENT, record } from './killed-data.js';

const PROGRAMS = join(import.meta.dirname, '../../dist/service/src');
const SERVICE = join(PROGRAMS, 'main.js');
const COMMAND_LINE = join(PROGRAMS, 'cli/main.js');

const folders = new Folders();
afterAll(() => folders.removeAll());

let dataDir = '';
beforeEach(async () => {
  dataDir = await makeKilledData(folders);
});

function run(program: string, args: readonly string[], folder: string): { status: number | null; text: string } {
  const env = { ...process.env, SLUICE_DATA_DIR: folder, SLUICE_PORT: '0' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8', env });
  return { status, text: stdout + stderr };
}

describe('a data directory of another format is refused and stays as it is', () => {
  test('by the service and by the program of the operator', async () => {
    await openIdentity(dataDir).close();
    record(dataDir, { format: PRESENT + 1 });
    const before = contentOf(dataDir);
    const service = run(SERVICE, [], dataDir);
    expect(service.text).toContain(NEWER);
    expect(service.status).toBe(1);
    const commands = [
      ['keys', 'create', '--account', 'demo'],
      ['journal', 'verify'],
      ['backup', join(folders.fresh(), 'copy')],
    ];
    for (const command of commands) {
      const { status, text } = run(COMMAND_LINE, command, dataDir);
      expect(text, command.join(' ')).toContain(NEWER);
      expect(status, command.join(' ')).not.toBe(0);
    }
    expect(contentOf(dataDir)).toEqual(before);
  });
});

describe('a backup of another format is refused by the program of the operator and stays as it is', () => {
  test.each<[string, (source: string) => void]>([
    ['a newer backup', (source) => record(source, { format: PRESENT + 1 })],
    ['a record of another kind', (source) => record(source, { journal: 5 })],
    ['no record', (source) => rmSync(join(source, 'format.json'))],
  ])('%s', async (_name, change) => {
    const [source, target] = [folders.fresh(), folders.fresh()];
    await backupData(dataDir, source, { withMasterKey: false });
    change(source);
    const before = contentOf(source);
    const { status, text } = run(COMMAND_LINE, ['restore', source, '--yes'], target);
    expect(text).toContain(`this release reads ${OURS}. Nothing was changed.`);
    expect(status).not.toBe(0);
    expect([contentOf(source), readdirSync(target)]).toEqual([before, []]);
  });
});
