import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeMaintenance, sluice, SOUND } from './command-line.js';

let dataDir: string;
let env: { SLUICE_DATA_DIR: string };

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'sluice-program-'));
  env = { SLUICE_DATA_DIR: dataDir };
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

describe('sluice', () => {
  it('prints help with examples for every command', async () => {
    const { out: script } = await sluice(['completion', 'bash'], {});
    const paths = [...script.matchAll(/^ {4}'(sluice(?: [a-z]+(?:-[a-z]+)*)*)'\) COMPREPLY/gm)].map(
      ([, path = '']) => path,
    );
    expect(paths.length).toBeGreaterThan(40);
    for (const path of paths) {
      const { status, out } = await sluice([...path.split(' ').slice(1), '--help'], {});
      expect(status, path).toBe(0);
      // The usage also contains aliases, for example `risk-limits|guardrails`.
      expect(out.replaceAll(/\|[a-z-]+/g, '')).toContain(`Usage: ${path}`);
      expect(out, path).toMatch(/\$ (.*\| |[A-Z_]+=\S+ )?sluice /);
    }
  });

  it('exits with status 2 and a message for wrong arguments', async () => {
    for (const args of [['frobnicate'], ['--frobnicate'], ['watch'], ['watch', 'x'], ['backup'], []]) {
      const { status, error } = await sluice(args, {});
      expect(status, args.join(' ')).toBe(2);
      expect(error).not.toBe('');
    }
  });

  it('prints the release', async () => {
    expect(await sluice(['--version'], {})).toEqual({ status: 0, out: '1.2.3\n', error: '' });
  });

  it('warns of a variable that has no effect, and does its work', async () => {
    const names = { SLUICE_DATADIR: '/srv/sluice', SLUICE_LIVE_URL_KRAKEN: 'http://a', SLUICE_URL: '' };
    const { status, out, error } = await sluice(['completion', 'bash'], names);
    expect([status, error]).toEqual([
      0,
      'sluice: warning: SLUICE_DATADIR is not a known setting; the nearest is SLUICE_DATA_DIR\n' +
        'sluice: warning: SLUICE_LIVE_URL_KRAKEN is a setting that this release does not support\n',
    ]);
    expect(out).toBe((await sluice(['completion', 'bash'], {})).out);
  });

  it('says that no service runs on the data directory', async () => {
    const maintenance = new FakeMaintenance();
    maintenance.isServing = false;
    const note = `sluice: no service runs on ${dataDir}; SLUICE_DATA_DIR names the directory of the service\n`;
    for (const args of [
      ['keys', 'create', '--account', 'a', '--json'],
      ['kill-switch', 'status'],
      ['backup', '/b'],
    ]) {
      const { status, error } = await sluice(args, env, { maintenance });
      expect([status, error.startsWith(note)], args.join(' ')).toEqual([0, true]);
    }
    // A restore needs a stopped service.
    expect((await sluice(['restore', '/b'], env, { maintenance })).error).not.toContain('no service');
  });

  it('exits with status 1 when the journal has problems', async () => {
    const maintenance = new FakeMaintenance();
    expect(await sluice(['journal', 'verify'], env, { maintenance })).toMatchObject({
      status: 1,
      error: `sluice: there is no journal in ${dataDir}\n`,
    });
    mkdirSync(join(dataDir, 'journal'));
    expect(await sluice(['journal', 'verify'], env, { maintenance })).toMatchObject({
      status: 0,
      out: '3 entries, 1 orders, 2 feeds: all agree\n',
    });
    expect(JSON.parse((await sluice(['journal', 'verify', '--json'], env, { maintenance })).out)).toEqual(SOUND);
    maintenance.report = { ...SOUND, problems: ['order 7 differs'] };
    const bad = await sluice(['journal', 'verify'], env, { maintenance });
    expect(bad.status).toBe(1);
    expect(bad.out).toContain('problem: order 7 differs');
    expect(maintenance.calls[0]).toEqual(['verify', dataDir]);
  });

  it('backs up and restores, and prints a failure in one line', async () => {
    const maintenance = new FakeMaintenance();
    expect((await sluice(['backup', '/b', '--with-master-key'], env, { maintenance })).status).toBe(0);
    expect(await sluice(['restore', '/b'], env, { maintenance })).toMatchObject({
      status: 1,
      error: `sluice: ${dataDir} is not empty\n`,
    });
    expect(maintenance.calls).toEqual([
      ['backup', dataDir, '/b', { withMasterKey: true }],
      ['restore', '/b', dataDir],
    ]);
  });
});
