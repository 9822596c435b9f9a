import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { isRejected } from '../../src/domain/rejection.js';
import type { AccountId } from '../../src/domain/ids.js';
import { checkVenueSecret } from '../../src/keys/venue-key-form.js';
import { openIdentity } from '../../src/runtime/identity.js';
import { temporaryDataDir } from './data-dir.js';
import type { ReportedKey } from './venue-keys-peer.js';

const PEER = join(import.meta.dirname, '../../dist/test/keys/venue-keys-peer.js');
const MASTER_KEY = 'ab'.repeat(32);
const SECRET = 'NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j';
const PLACE = { account: 'desk' as AccountId, subaccount: null, venue: 'BINANCE', environment: 'testnet' } as const;

describe('the read port', () => {
  it('reads in a worker what another thread stores, within a second', async () => {
    const dataDir = temporaryDataDir();
    const identity = openIdentity(dataDir, { masterKey: MASTER_KEY });
    const worker = new Worker(PEER, {
      workerData: dataDir,
      env: { ...process.env, SLUICE_MASTER_KEY: MASTER_KEY },
    });
    const reports: (ReportedKey | 'ready')[] = [];
    worker.on('message', (report: ReportedKey | 'ready') => reports.push(report));
    try {
      await expect.poll(() => reports).toEqual(['ready']);
      const secret = checkVenueSecret('BINANCE', 'x', Buffer.from(SECRET), null);
      if (isRejected(secret)) throw new Error(secret.rejection.message);
      const request = { place: PLACE, apiKey: 'a-key', label: null, expiresAtMs: null };
      identity.venueKeys.add(request, secret, { isReplacing: false, nowRealMs: Date.now() });
      const storedAtMs = Date.now();
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
