import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { finishRestore, restoreBackup } from '../../src/cli/operator/restored-data.js';
import type { AccountId } from '../../src/domain/ids.js';
import { isRejected } from '../../src/domain/rejection.js';
import { backUp } from '../system/running-stores.js';
import type { VenueKeyPlace } from '../../src/keys/port.js';
import { openIdentity } from '../../src/runtime/identity.js';
import type { ReportedKey } from '../keys/venue-keys-peer.js';
import { marketOrder } from '../system/sample-orders.js';
import { newSite } from '../system/site.js';

const ROOT = join(import.meta.dirname, '../..');
const PROGRAM = join(ROOT, 'dist/service/src/cli/main.js');
const PEER = join(ROOT, 'dist/test/keys/venue-keys-peer.js');
const PLACE: VenueKeyPlace = {
  account: 'trader' as AccountId,
  subaccount: null,
  venue: 'OKX',
  environment: 'testnet',
};
const NAMES = ['--account', 'trader', '--exchange', 'OKX', '--environment', 'testnet'];
const ADD = ['add', ...NAMES, '--api-key', '8a1b2c3d-1111-2222-3333-444455556666', '--secret-stdin'];
const FIRST = 'C2E4A1B2C3D4E5F60718293A4B5C6D7E';
const SECOND = '0718293A4B5C6D7EC2E4A1B2C3D4E5F6';
const PASSPHRASE = 'a rather long passphrase';
const SEEN_MS_MAX = 1_000;

/** Runs the program on a data directory. Returns all it wrote and the time when it ended. */
async function venueKeys(
  dataDir: string,
  args: readonly string[],
  input = '',
): Promise<{ output: string; endedAtMs: number }> {
  const child = spawn(process.execPath, [PROGRAM, 'venue-keys', ...args], {
    env: { ...process.env, SLUICE_DATA_DIR: dataDir },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stdin.end(input);
  const status = await new Promise((resolve) => child.once('close', resolve));
  expect([status, output]).toEqual([0, output]);
  return { output, endedAtMs: Date.now() };
}

/** Reads the keys through the read port in a process of its own, until the test ends. */
function peerOn(dataDir: string): ReportedKey[] {
  const child = spawn(process.execPath, [PEER, dataDir]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const reports: ReportedKey[] = [];
  let partial = '';
  child.stdout.on('data', (chunk: Buffer) => {
    const lines = (partial + chunk.toString()).split('\n');
    partial = lines.pop() ?? '';
    for (const line of lines) reports.push(JSON.parse(line) as ReportedKey);
  });
  return reports;
}

function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** All bytes below a folder, file by file. */
function filesOf(folder: string): Buffer[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name)));
}

/** Secret and passphrase of the key in a data directory. */
async function opened(dataDir: string): Promise<(string | undefined)[]> {
  const identity = openIdentity(dataDir);
  const key = identity.venueKeyDirectory.find(PLACE);
  await identity.close();
  if (key === null || isRejected(key)) return [key === null ? 'no key' : key.rejection.message];
  return [key.secret, key.passphrase].map((part) => part?.export().toString());
}

describe('keys of exchanges while the service runs', () => {
  it('reach the read port within a second, stay secret, and survive backup and restore', async () => {
    const site = newSite();
    const trader = await site.issueKey();
    // It opens the database before the service does, so that it loses no commit of the service.
    const reports = peerOn(site.dataDir);
    await expect.poll(() => reports).toHaveLength(1);
    const run = site.start();
    const client = site.client(await run.ready(), trader);

    const outputs: string[] = [];
    const change = async (digest: string | null, args: readonly string[], input?: string): Promise<void> => {
      const count = reports.length;
      const { output, endedAtMs } = await venueKeys(site.dataDir, args, input);
      outputs.push(output);
      await expect.poll(() => reports).toHaveLength(count + 1);
      const report = reports.at(-1);
      expect(report).toMatchObject({ place: PLACE, digest });
      expect((report?.atMs ?? Infinity) - endedAtMs).toBeLessThan(SEEN_MS_MAX);
    };
    await change(digestOf(FIRST), ADD, `${FIRST}\n${PASSPHRASE}\n`);
    await change(digestOf(SECOND), [...ADD, '--replace'], `${SECOND}\n${PASSPHRASE}\n`);
    await change(null, ['remove', ...NAMES, '--yes']);
    await change(digestOf(FIRST), ADD, `${FIRST}\n${PASSPHRASE}\n`);
    for (const args of [['list'], ['list', '--json'], ['check']])
      outputs.push((await venueKeys(site.dataDir, args)).output);
    expect(outputs.at(-1)).toMatch(/OKX +testnet +opens/);

    // Orders and a backup go on beside the keys.
    await client.create(marketOrder());
    const [copy, restored] = [join(site.folder, 'copy'), join(site.folder, 'restored')];
    await backUp(site.dataDir, copy);
    expect(await run.stop()).toMatchObject({ status: 0 });

    await restoreBackup(copy, restored);
    await finishRestore(copy, restored, { keys: 'suspend', killSwitches: 'keep', timers: 'drop' });
    for (const dataDir of [site.dataDir, restored]) expect(await opened(dataDir)).toEqual([FIRST, PASSPHRASE]);

    const texts = [run.output, ...outputs];
    const files = [site.dataDir, copy, restored].flatMap((folder) => filesOf(folder));
    for (const secret of [FIRST, SECOND, PASSPHRASE]) {
      expect(texts.some((text) => text.includes(secret))).toBe(false);
      expect(files.some((bytes) => bytes.includes(secret))).toBe(false);
    }
  });
});
