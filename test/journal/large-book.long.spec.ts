import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, test } from 'vitest';
import { IS_FULL } from '../runs.js';
import { Folders } from './journal-world.js';

const PEER = join(import.meta.dirname, '../../dist/test/journal/large-book-peer.js');
/** Open orders. Writing to a compacted copy failed from 1,000 on. */
const SIZES = IS_FULL ? [1_000, 3_000, 20_000] : [1_000];

const folders = new Folders();
afterAll(() => folders.removeAll());

type Answer = Readonly<Record<string, unknown>>;

/** Runs one step in its own process and resolves with its answer. Rejects when the process did not end as expected. */
async function run(step: string, ...args: readonly (string | number)[]): Promise<Answer> {
  const peer = spawn(process.execPath, [PEER, step, ...args.map(String)]);
  let [output, errors] = ['', ''];
  peer.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  peer.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const [status, signal] = (await once(peer, 'close')) as [number | null, string | null];
  const isKilled = step === 'make' || args.at(-1) === 'killed';
  if (isKilled ? signal !== 'SIGKILL' || output === '' : status !== 0) {
    throw new Error(`${step} ended with status ${status}, signal ${signal}: ${errors}`);
  }
  return output === '' ? {} : (JSON.parse(output) as Answer);
}

describe.concurrent.each(SIZES)('a book of %i open orders', (openCount) => {
  test('starts from a backup, a sync point, checkpoints after power losses and an upgrade, and takes turns each time', async ({
    expect,
  }) => {
    const [dataDir, copy, restored] = [folders.fresh(), folders.fresh(), folders.fresh()];
    const syncPoint = join(dataDir, 'state', 'sync-point.json');
    const made = await run('make', dataDir, openCount);
    expect(made).toMatchObject({ open: openCount });
    expect(made['firstSegment'], 'retention has removed segments').toBeGreaterThan(1);

    await run('backup', dataDir, copy);
    await run('restore', copy, restored);
    const first = await run('go-on', restored, 'boot-1', 1, 'closed');
    expect(first).toMatchObject({ origin: 'checkpoint', found: openCount });
    const second = await run('go-on', restored, 'boot-1', 2, 'killed');
    expect(second).toMatchObject({ origin: 'state', found: first['open'] });
    expect(await run('verify', restored)).toMatchObject({ problems: [] });

    const returned = await run('go-on', dataDir, 'boot-1b', 6, 'killed');
    expect(returned).toMatchObject({ origin: 'sync point', found: openCount });
    rmSync(syncPoint);
    const third = await run('go-on', dataDir, 'boot-2', 3, 'killed');
    expect(third).toMatchObject({ origin: 'checkpoint', found: returned['open'] });
    rmSync(syncPoint);
    const fourth = await run('go-on', dataDir, 'boot-3', 4, 'closed');
    expect(fourth).toMatchObject({ origin: 'checkpoint', found: third['open'] });
    rmSync(join(dataDir, 'state'), { recursive: true });
    const fifth = await run('go-on', dataDir, 'boot-3', 5, 'killed');
    expect(fifth).toMatchObject({ origin: 'checkpoint', found: fourth['open'] });
    expect(await run('verify', dataDir)).toMatchObject({ problems: [] });

    // An upgrade writes a new LMDB file.
    const sixth = await run('go-on-upgraded', dataDir, 'boot-3', 7, 'killed');
    expect(sixth).toMatchObject({ origin: 'state', found: fifth['open'] });
    const seventh = await run('go-on-upgraded', dataDir, 'boot-3', 8, 'closed');
    expect(seventh).toMatchObject({ origin: 'state', found: sixth['open'] });
    expect(await run('verify-upgraded', dataDir)).toMatchObject({ problems: [] });
  });
});
