import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MasterKeyError, masterKeyText, readMasterKey, removeKeyDrafts } from '../../src/keys/vault.js';
import { temporaryDataDir } from './data-dir.js';

const bytesOf = (dataDir: string, variable?: string): string =>
  readMasterKey(dataDir, variable, false).export().toString('hex');

describe('the master key', () => {
  it('is generated once with permissions for its owner only, and read at the next start', () => {
    const dataDir = temporaryDataDir();
    const first = bytesOf(dataDir);
    expect(bytesOf(dataDir)).toBe(first);
    expect(statSync(join(dataDir, 'master.key')).mode & 0o777).toBe(0o600);
    expect(readdirSync(dataDir)).toEqual(['master.key']);
    expect(readFileSync(join(dataDir, 'master.key'), 'utf8').trim()).toBe(first);
  });

  it('comes from the variable in each of its encodings, without a file', () => {
    const dataDir = temporaryDataDir();
    const key = randomBytes(32);
    const spellings = [
      key.toString('hex'),
      key.toString('hex').toUpperCase(),
      key.toString('base64'),
      key.toString('base64url'),
    ];
    for (const spelling of spellings) expect(bytesOf(dataDir, spelling)).toBe(key.toString('hex'));
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it('is refused with a message that names the variable', () => {
    const dataDir = temporaryDataDir();
    for (const bad of ['', 'secret', 'ab'.repeat(31), 'zz'.repeat(32), randomBytes(16).toString('base64')]) {
      expect(() => readMasterKey(dataDir, bad, false), bad).toThrow(MasterKeyError);
      expect(() => readMasterKey(dataDir, bad, false), bad).toThrow(/^SLUICE_MASTER_KEY is neither/);
    }
  });

  it('is refused in a damaged file with a message that names the file', () => {
    const dataDir = temporaryDataDir();
    writeFileSync(join(dataDir, 'master.key'), 'torn');
    expect(() => readMasterKey(dataDir, undefined, false)).toThrow(/master\.key is neither/);
  });

  it('is not generated where secrets are sealed with a lost one', () => {
    const dataDir = temporaryDataDir();
    expect(() => readMasterKey(dataDir, undefined, true)).toThrow(/master\.key is missing/);
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it('is refused when its text does not encode 32 bytes', () => {
    const dataDir = temporaryDataDir();
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 64 }).filter((bytes) => bytes.length !== 32),
        (bytes) => {
          expect(() => readMasterKey(dataDir, Buffer.from(bytes).toString('base64'), false)).toThrow(MasterKeyError);
        },
      ),
    );
  });

  it('is a credential of the systemd unit where no variable is set', () => {
    const folder = temporaryDataDir();
    const env = { CREDENTIALS_DIRECTORY: folder };
    // The unit names the credential, and the machine has none.
    expect([masterKeyText({}), masterKeyText(env), masterKeyText({ CREDENTIALS_DIRECTORY: '/none' })]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    const key = randomBytes(32).toString('hex');
    writeFileSync(join(folder, 'sluice.master-key'), `${key}\n`);
    const dataDir = temporaryDataDir();
    expect(bytesOf(dataDir, masterKeyText(env))).toBe(key);
    expect(readdirSync(dataDir)).toEqual([]);
    expect(masterKeyText({ ...env, SLUICE_MASTER_KEY: 'of the variable' })).toBe('of the variable');
  });

  it('has no second name left after a start that was killed', () => {
    const dataDir = temporaryDataDir();
    const key = bytesOf(dataDir);
    const nowMs = Date.now();
    const draft = (letter: string): string => join(dataDir, `master.key.${letter.repeat(16)}`);
    linkSync(join(dataDir, 'master.key'), draft('a'));
    utimesSync(draft('a'), nowMs / 1000 - 61, nowMs / 1000 - 61);
    // Another process may be about to link this one. The last two are no drafts.
    writeFileSync(draft('b'), 'new');
    writeFileSync(`${draft('c')}.old`, '');
    writeFileSync(join(dataDir, 'master-key.txt'), '');
    removeKeyDrafts(dataDir, nowMs);
    const kept = ['master-key.txt', 'master.key', `master.key.${'b'.repeat(16)}`, `master.key.${'c'.repeat(16)}.old`];
    expect(readdirSync(dataDir).sort()).toEqual(kept);
    expect(bytesOf(dataDir)).toBe(key);
  });
});
