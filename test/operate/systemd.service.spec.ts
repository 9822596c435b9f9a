import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/runtime/config.js';
import { SHUTDOWN_MS_MAX } from '../../src/domain/limits/process.js';
import { ROOT } from '../system/service-run.js';
import { newSite } from '../system/site.js';
import { mustRun, SYSTEMD_ANALYZE } from './packages.js';

const UNIT = join(ROOT, 'src/operate/sluice.service');
/** Ten times the exposure that systemd-analyze prints. */
const EXPOSURE_MAX = 30;
const NODE = '/usr/bin/node';
const PROGRAMS = ['/lib/systemd/systemd', NODE, '/usr/bin/curl', '/usr/sbin/ip'];

const unit = readFileSync(UNIT, 'utf8');

/** Values of a setting of the unit, in their order. */
function settings(name: string): readonly string[] {
  return [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);
}

describe('the systemd unit', () => {
  it('waits longer than a shutdown takes, before it kills', () => {
    expect(Number(settings('TimeoutStopSec')[0]) * 1000).toBeGreaterThan(SHUTDOWN_MS_MAX + 1000);
  });

  it('sets only variables that the service reads, and listens on this machine only', () => {
    const set = settings('Environment').flatMap((value) => value.split(' '));
    const env = Object.fromEntries(set.map((one) => one.split('=') as [string, string]));
    const dataDir = join(newSite().folder, 'data');
    const config = readConfig({ ...env, SLUICE_DATA_DIR: dataDir });
    expect(config).toMatchObject({ host: '127.0.0.1', port: 8080, createDemoKey: false });
    const names = [...readFileSync(join(ROOT, 'src/docs/configuration.md'), 'utf8').matchAll(/`(SLUICE_\w+)`/g)];
    const known = new Set(['NODE_ENV', 'MALLOC_MMAP_THRESHOLD_', ...names.map(([, name]) => name)]);
    const files = ['sluice.env', 'secrets.env'].map((name) => readFileSync(join(ROOT, 'src/operate', name), 'utf8'));
    const offered = files.flatMap((text) => [...text.matchAll(/^#(SLUICE_\w+)=/gm)].map(([, name = '']) => name));
    expect([...Object.keys(env), ...offered].filter((name) => !known.has(name))).toEqual([]);
  });
});

describe.runIf(mustRun('the check of the systemd unit', SYSTEMD_ANALYZE))('systemd-analyze', () => {
  it('finds no fault in the units', () => {
    // It checks that the program exists. Node is elsewhere on some machines.
    const { folder } = newSite();
    const copies = ['sluice.service', 'sluice-backup.service', 'sluice-backup.timer'].map((name) => {
      const copy = join(folder, name);
      writeFileSync(copy, readFileSync(join(ROOT, 'src/operate', name), 'utf8').replace(NODE, process.execPath));
      return copy;
    });
    const { status, stdout, stderr } = spawnSync(SYSTEMD_ANALYZE, ['verify', ...copies], { encoding: 'utf8' });
    expect([status, stdout, stderr]).toEqual([0, '', '']);
  });

  it('rates the exposure as low', () => {
    const args = ['security', '--offline=true', `--threshold=${EXPOSURE_MAX}`, UNIT];
    const { status, stdout } = spawnSync(SYSTEMD_ANALYZE, args, { encoding: 'utf8' });
    expect(stdout).toMatch(/Overall exposure level for sluice\.service: \d/);
    expect(status).toBe(0);
  });
});

/** The reason why this machine cannot boot systemd in namespaces; '' when it can. */
function bootObstacle(): string {
  if (process.getuid?.() !== 0) return 'root';
  if (!PROGRAMS.every((file) => existsSync(file))) return PROGRAMS.join(', ');
  if (!/ cgroup2 rw/.test(readFileSync('/proc/mounts', 'utf8'))) return 'a writable cgroup version 2';
  if (!/\toverlay$/m.test(readFileSync('/proc/filesystems', 'utf8'))) return 'overlayfs';
  const root = 'mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work /mnt/root';
  const view = `mount -t tmpfs tmpfs /mnt && mkdir /mnt/upper /mnt/work /mnt/root && ${root}`;
  const { status } = spawnSync('unshare', ['--cgroup', '--mount', '--pid', '--net', '--fork', 'sh', '-c', view]);
  return status === 0 ? '' : 'new namespaces with a copy-on-write view of /';
}

const obstacle = bootObstacle();
if (obstacle !== '') console.warn(`skipped: the service in a booted systemd needs ${obstacle}`);

it.runIf(obstacle === '')(
  'the service runs, continues after SIGKILL and stops under the unit in a booted systemd',
  () => {
    const output = join(newSite().folder, 'facts');
    writeFileSync(output, '');
    const folder = join(ROOT, 'test/operate');
    const args = [join(folder, 'boot-systemd.sh'), ROOT, join(folder, 'systemd-proof.sh'), output];
    const { stdout, stderr } = spawnSync('bash', args, { encoding: 'utf8', timeout: 200_000 });
    const facts = readFileSync(output, 'utf8');
    expect([facts.replaceAll(/ +$/gm, '').trim().split('\n'), stdout, stderr]).toEqual([
      [
        expect.stringContaining("Creating group 'sluice'"),
        expect.stringContaining("Creating user 'sluice'"),
        'running: ActiveState=active ExecMainStatus=0 NRestarts=0',
        'process: CapEff: 0000000000000000 CapBnd: 0000000000000000 NoNewPrivs: 1 Seccomp: 2',
        'owner: sluice sluice 700',
        'master key: not in the data directory',
        'master key: not in the environment',
        'writable: /run/lock /tmp /var/lib/sluice /var/tmp',
        'open orders: 60',
        'priorities: 0 5',
        'another user: [{"order_id": ' +
          'sluice: /var/lib/sluice/data is not readable for this user: run the command as root status 1',
        'backup: sluice 700',
        'backup by the timer: active sluice 700 1',
        'killed: ActiveState=active ExecMainStatus=0 NRestarts=1',
        'open orders: 60',
        'stopped: ActiveState=inactive ExecMainStatus=0 NRestarts=1',
        'stop: within 10 s',
        'misconfigured: ActiveState=failed ExecMainStatus=2 NRestarts=0',
        'node without writable and executable memory: fails, else succeeds',
        'another address: fails, else succeeds',
      ],
      expect.any(String),
      expect.any(String),
    ]);
  },
);
