import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { openIdentity } from '../../src/runtime/identity.js';
import { temporaryDataDir } from './data-dir.js';
import type { ReportedKey } from './venue-keys-peer.js';

const DIST = join(import.meta.dirname, '../../dist');
const MASTER_KEY = 'ab'.repeat(32);
const SECRET = 'NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j';
const PLACE = { account: 'desk', subaccount: null, venue: 'BINANCE', environment: 'testnet' } as const;

/** The compiled module, as a quoted text. */
function module(name: string): string {
  return JSON.stringify(join(DIST, `src/${name}.js`));
}

/** Adds the key in a separate process. Returns the time after the write. */
function addInOtherProcess(dataDir: string): number {
  const request = { place: PLACE, apiKey: 'a-key', label: null, expiresAtMs: null };
  const script = `
    import { openIdentity } from ${module('runtime/identity')};
    import { checkVenueSecret } from ${module('keys/venue-key-form')};
    const identity = openIdentity(${JSON.stringify(dataDir)}, { masterKey: '${MASTER_KEY}' });
    const secret = checkVenueSecret('BINANCE', 'x', Buffer.from('${SECRET}'), null);
    identity.venueKeys.add(${JSON.stringify(request)}, secret, { isReplacing: false, nowRealMs: Date.now() });
    console.log(Date.now());
    await identity.close();`;
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }));
}

describe('the read port', () => {
  it('reads in a worker what another process stores, within a second', async () => {
    const dataDir = temporaryDataDir();
    const identity = openIdentity(dataDir, { masterKey: MASTER_KEY });
    const worker = new Worker(join(DIST, 'test/keys/venue-keys-peer.js'), {
      workerData: dataDir,
      env: { ...process.env, SLUICE_MASTER_KEY: MASTER_KEY },
    });
    const reports: (ReportedKey | 'ready')[] = [];
    worker.on('message', (report: ReportedKey | 'ready') => reports.push(report));
    try {
      await expect.poll(() => reports).toEqual(['ready']);
      const storedAtMs = addInOtherProcess(dataDir);
      await expect.poll(() => reports).toHaveLength(2);
      const [, report] = reports as [string, ReportedKey];
      expect(report.place).toEqual(PLACE);
      expect(report.digest).toBe(createHash('sha256').update(SECRET).digest('hex'));
      expect(report.atMs - storedAtMs).toBeLessThan(1_000);
    } finally {
      await worker.terminate();
      await identity.close();
    }
  });
});
