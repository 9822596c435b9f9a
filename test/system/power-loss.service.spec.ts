import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from './eventually.js';
import { JournalEnd } from './journal-end.js';
import { marketOrder, restingOrder, twapOrder } from './sample-orders.js';
import { copyDataDirectory, newSite, Site, type Key } from './site.js';
import { expectSound, missingOrders } from './soundness.js';

const ORDERS_COUNT = 20;

/** A data directory whose service was killed at work, and the orders that its clients know. */
interface Wreck {
  readonly site: Site;
  readonly key: Key;
  readonly orderIds: readonly number[];
}

const ended = new Site();
let original: Wreck;
beforeAll(async () => {
  original = await endedBySigkill(ended);
});
afterAll(() => ended.close());

/** A copy of the wreck for one test. */
function makeWreck(): Wreck {
  const site = newSite();
  copyDataDirectory(original.site.dataDir, site.dataDir);
  return { ...original, site };
}

describe('after SIGKILL', () => {
  it.each<[string, (dataDir: string) => void]>([
    ['the whole state is gone', (dataDir) => rmSync(join(dataDir, 'state'), { recursive: true })],
    ['the state is of another boot, and garbled', (dataDir) => garbleState(anotherBoot(dataDir))],
    ['the state is of another boot, and cut short', (dataDir) => cutState(anotherBoot(dataDir))],
  ])('%s: it is built again from the journal', async (_name, damage) => {
    const wreck = makeWreck();
    damage(wreck.site.dataDir);
    const recovered = await expectNothingLost(wreck);
    expect(recovered).toMatchObject({ origin: 'nothing', isTornTurnCut: false });
  });

  it('the state was cut short in the same boot: a start that dies of reading it is the last one', async () => {
    const wreck = makeWreck();
    cutState(wreck.site.dataDir);
    const { status, signal } = await wreck.site.start().ended;
    expect([status, signal]).toEqual([null, expect.stringMatching(/^SIG(BUS|SEGV)$/)]);
    expect(await expectNothingLost(wreck)).toMatchObject({ origin: 'nothing' });
  });

  it.each<[string, (journal: JournalEnd) => Buffer]>([
    ['garbage', () => Buffer.from('not an entry, not zeros either; '.repeat(100))],
    ['half of a turn that was never synced', (journal) => journal.unfinishedTurn()],
    ['half of an entry', (journal) => journal.unfinishedTurn().subarray(0, 28)],
  ])('%s behind the last entry is cut off', async (_name, remains) => {
    const wreck = makeWreck();
    const journal = new JournalEnd(wreck.site.dataDir);
    journal.write(remains(journal), journal.end);
    expect(await expectNothingLost(wreck)).toMatchObject({ origin: 'state', isTornTurnCut: true });
  });

  it('a wrong bit in a synced entry stops the start, which names the place and the remedy', async () => {
    const wreck = makeWreck();
    const { site } = wreck;
    const journal = new JournalEnd(site.dataDir);
    const entry = journal.entries[Math.floor(journal.entries.length / 2)];
    const offset = entry?.offset ?? 0;
    rmSync(join(site.dataDir, 'state'), { recursive: true });
    journal.flipBit(offset + 40);
    const before = readFileSync(journal.file);

    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const run = site.start();
      expect(await run.ended).toEqual({ status: 1, signal: null });
      expect(run.output).toContain(`journal entry seq ${entry?.seq} in ${journal.file} at offset ${offset} is damaged`);
      expect(run.output).toContain('Restore the data folder from a backup');
    }
    expect(readFileSync(journal.file).equals(before)).toBe(true);

    journal.flipBit(offset + 40);
    await expectNothingLost(wreck);
  });
});

async function endedBySigkill(site: Site): Promise<Wreck> {
  const key = await site.issueKey();
  const run = site.start({ env: { SLUICE_SHARDS: '2' } });
  const client = site.client(await run.ready(), key);
  const orders = Array.from(
    { length: ORDERS_COUNT },
    (_, index) => [restingOrder(), marketOrder(), twapOrder(600)][index % 3]!,
  );
  const summaries = await Promise.all(orders.map((order) => client.create(order)));
  const orderIds = summaries.map(({ order_id: orderId }) => orderId as number);
  await eventually(
    () => client.byId({ orderIds }),
    (found) => found.some(({ status }) => status === 'FILLED'),
  );
  await run.kill();
  return { site, key, orderIds };
}

/** Starts the service again. Resolves with the log line of its recovery. */
async function expectNothingLost({ site, key, orderIds }: Wreck): Promise<unknown> {
  const run = site.start({ env: { SLUICE_SHARDS: '2' } });
  const client = site.client(await run.ready(), key);
  expect(await missingOrders(client, orderIds)).toEqual([]);
  expect((await client.create(marketOrder())).order_id).toBeGreaterThan(Math.max(...orderIds));
  const recovered = await run.line('journal recovered');
  await run.kill();
  await expectSound(site.dataDir);
  return recovered;
}

function stateFile(dataDir: string): string {
  return join(dataDir, 'state/data.mdb');
}

function cutState(dataDir: string): void {
  truncateSync(stateFile(dataDir), Math.floor(statSync(stateFile(dataDir)).size / 2));
}

function garbleState(dataDir: string): void {
  const bytes = readFileSync(stateFile(dataDir));
  for (let index = 0; index < bytes.length; index += 61) bytes[index] = index % 256;
  writeFileSync(stateFile(dataDir), bytes);
}

/** Marks the state as written before a reboot of the machine, so that its cached pages may be lost. */
function anotherBoot(dataDir: string): string {
  const file = join(dataDir, 'state/stamp.json');
  const stamp = JSON.parse(readFileSync(file, 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...stamp, bootId: '00000000-0000-0000-0000-000000000000' }));
  return dataDir;
}
