import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openIdentity } from '../../src/runtime/identity.js';
import { FailingDisk } from './failing-disk.js';
import { ROOT } from './service-run.js';
import { newSite } from './site.js';

const CREATE_KEY = `
  const { openIdentity } = await import(process.argv[1]);
  const identity = openIdentity(process.argv[2]);
  const request = { account: 'second', permissions: ['trade'], kind: 'HMAC' };
  process.stdout.write('created ' + identity.keys.createKey(request, Date.now()).apiKey);`;

describe('the identity store', () => {
  it('hands no key out when the disk cannot sync it', async () => {
    const site = newSite();
    await site.issueKey('first');
    const disk = new FailingDisk(site);
    const createKey = (): { stdout: string; stderr: string; status: number | null } =>
      spawnSync(
        process.execPath,
        ['--input-type=module', '-e', CREATE_KEY, join(ROOT, 'dist/src/runtime/identity.js'), site.dataDir],
        {
          encoding: 'utf8',
          env: { ...process.env, ...disk.env, FAILING_DISK_FOLDER: join(site.dataDir, 'identity') },
        },
      );
    expect(createKey().stdout).toMatch(/^created [0-9a-f]+$/);
    disk.fail('broken');
    const { stdout, status } = createKey();
    expect(stdout, 'a key that a power loss would take away').toBe('');
    expect(status).not.toBe(0);
    disk.mend();
    const identity = openIdentity(site.dataDir);
    expect(identity.keys.list().map(({ account }) => account)).toEqual(['first', 'second']);
    await identity.close();
  });
});
