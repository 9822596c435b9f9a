import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runs } from '../runs.js';
import { LosingDisk } from '../torture/lost-writes.js';
import { Random } from '../torture/random.js';
import { Folders } from './journal-world.js';

const PEER = join(import.meta.dirname, '../../dist/test/journal/large-book-peer.js');
const OPEN_COUNT = 300;
const SEEDS_COUNT = runs(8, 30);

const folders = new Folders();
afterAll(() => folders.removeAll());

interface Answer {
  readonly origin: string;
  readonly found: number;
  readonly open: number;
  readonly problems: readonly string[];
}

/** Runs a step of the peer in its own process; the steps used here end by SIGKILL, except `verify`. */
async function run(environment: NodeJS.ProcessEnv, ...args: readonly (string | number)[]): Promise<Answer> {
  const peer = spawn(process.execPath, [PEER, ...args.map(String)], { env: { ...process.env, ...environment } });
  let [output, errors] = ['', ''];
  peer.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  peer.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const [status, signal] = (await once(peer, 'close')) as [number | null, string | null];
  if (output === '') throw new Error(`${args[0]} ended with status ${status}, signal ${signal}: ${errors}`);
  return JSON.parse(output) as Answer;
}

test('a power loss in the first second after a start that followed a kill loses no order', async () => {
  const dataDir = folders.fresh();
  const parent = mkdtempSync(join(dataDir, '..', 'sluice-losing-'));
  const disk = new LosingDisk(dataDir, parent);
  try {
    let { open } = await run({}, 'make', dataDir, OPEN_COUNT);
    for (let seed = 0; seed < SEEDS_COUNT; seed++) {
      const killed = await run({}, 'trade', dataDir, `boot-${seed}`, 2 * seed + 1);
      // The first start follows the end of `make`, the others a power loss.
      expect(killed).toMatchObject({ origin: 'sync point', found: open });
      const second = await run(disk.begin(), 'trade', dataDir, `boot-${seed}`, 2 * seed + 2);
      expect(second).toMatchObject({ origin: 'state', found: killed.open });
      disk.losePower(new Random(seed));
      ({ open } = second);
    }
    const last = await run({}, 'trade', dataDir, 'boot-last', 2 * SEEDS_COUNT + 1);
    expect(last).toMatchObject({ origin: 'sync point', found: open });
    expect((await run({}, 'verify', dataDir)).problems).toEqual([]);
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
});
