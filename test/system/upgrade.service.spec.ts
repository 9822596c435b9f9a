import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { backUp } from './running-stores.js';
import { PRESENT_FORMAT } from '../../src/storage/format/format-steps.js';
import { eventually } from './eventually.js';
import { makeNextRelease, type NextRelease } from './next-release.js';
import { marketOrder, pairOrder, restingOrder, twapOrder } from './sample-orders.js';
import { copyDataDirectory, newSite, type Key, Site } from './site.js';

const execute = promisify(execFile);
const ENV = { SLUICE_SHARDS: '2' };
const NEXT = PRESENT_FORMAT.number + 1;
const RESTING_COUNT = 30;
const KILLS_COUNT = 4;

let release: NextRelease;
const original = new Site();
let killed: Past;

beforeAll(async () => {
  release = makeNextRelease(original.folder);
  killed = await past(original);
});
afterAll(() => original.close());

/** A copy of the data of the killed service, for one test. */
function copied(test: TestContext): Site {
  const site = newSite(test);
  copyDataDirectory(original.dataDir, site.dataDir);
  return site;
}

/** Orders of one site, in a service of this release that was killed. */
interface Past {
  readonly key: Key;
  readonly ids: readonly number[];
  readonly filled: number;
  readonly working: number;
}

async function past(site: Site): Promise<Past> {
  const key = await site.issueKey();
  const service = site.start({ env: ENV });
  const client = site.client(await service.ready(), key);
  const ids: number[] = [];
  for (let index = 0; index < RESTING_COUNT; index++) {
    // oxlint-disable-next-line no-await-in-loop
    ids.push((await client.create(restingOrder(`resting-${index}`))).order_id as number);
  }
  const filled = (await client.create(marketOrder('market'))).order_id as number;
  const working = (await client.create(twapOrder(3600, 'twap'))).order_id as number;
  ids.push((await client.createMultiLegs(pairOrder('pair'))).order_id as number);
  await client.cancel({ order_id: ids[0]! });
  const found = async () => client.byId({ orderIds: [ids[0]!, filled, working] });
  await eventually(found, (orders) => {
    const [cancelled, traded, atWork] = [ids[0], filled, working].map((id) =>
      orders.find((one) => one.order_id === id),
    );
    return cancelled?.status === 'CANCELLED' && traded?.status === 'FILLED' && atWork!.filled_quantity > 0;
  });
  await service.kill();
  return { key, ids: [...ids, filled, working], filled, working };
}

async function expectUpgraded(site: Site, { key, ids, filled, working }: Past, dataDir = site.dataDir): Promise<void> {
  const service = site.start({ env: ENV, command: release.service }, dataDir);
  const client = site.client(await service.ready(), key);
  const orders = await client.byId({ orderIds: ids });
  expect(new Set(orders.map(({ order_id: id }) => id))).toEqual(new Set(ids));
  expect(orders.every(({ client_order_id: id }) => id?.startsWith('two-') === true)).toBe(true);
  const [named] = await client.byId({ clientOrderIds: ['two-resting-1'] });
  expect(named).toMatchObject({ order_id: ids[1], filled_quantity: 0 });
  expect(orders.find(({ order_id: id }) => id === ids[0])).toMatchObject({ status: 'CANCELLED' });
  expect(orders.find(({ order_id: id }) => id === filled)).toMatchObject({ status: 'FILLED', filled_quantity: 0.01 });
  const before = orders.find(({ order_id: id }) => id === working)!.filled_quantity;
  expect(before).toBeGreaterThan(0);
  await service.stop();
}

async function verified(dataDir: string): Promise<string> {
  const [program, entry] = release.commandLine;
  const { stdout } = await execute(program, [entry, 'journal', 'verify'], {
    env: { ...process.env, SLUICE_DATA_DIR: dataDir },
  });
  return stdout;
}

// These wait for starts and ends of the service most of the time.
describe.concurrent('a service of the next release', () => {
  it('upgrades the data of a killed service, works on, and the earlier release refuses the data', async (test) => {
    const [site, data] = [copied(test), killed];
    await expectUpgraded(site, data);
    expect(await verified(site.dataDir)).toContain('all agree');

    const next = site.start({ env: ENV, command: release.service });
    const client = site.client(await next.ready(), data.key);
    const placed = (await client.create(marketOrder('new'))).order_id as number;
    await eventually(
      () => client.byId({ orderIds: [placed] }),
      ([order]) => order?.status === 'FILLED',
    );
    const { order_id: again } = await client.create(marketOrder('new'));
    expect(again).toBe(placed);
    await next.stop();
    expect(await verified(site.dataDir)).toContain('all agree');

    const earlier = site.start({ env: ENV });
    expect((await earlier.ended).status).toBe(1);
    expect(earlier.output).toContain(`has format ${NEXT}; this release reads `);
  });

  it('finishes an upgrade after kills', async (test) => {
    const [site, data] = [copied(test), killed];
    for (let kill = 0; kill < KILLS_COUNT; kill++) {
      const run = site.start({ env: ENV, command: release.service });
      // oxlint-disable-next-line no-await-in-loop
      await run.line('the data is upgraded').catch(() => undefined);
      // oxlint-disable-next-line no-await-in-loop
      await run.kill();
      if (readFileSync(join(site.dataDir, 'format.json'), 'utf8') === `{"format":${NEXT}}`) break;
    }
    await expectUpgraded(site, data);
    expect(await verified(site.dataDir)).toContain('all agree');
  });

  it('starts on a backup of this release', async (test) => {
    const [site, data] = [copied(test), killed];
    const [copy, restored] = [join(site.folder, 'copy'), join(site.folder, 'restored')];
    await backUp(site.dataDir, copy);
    const [program, entry] = release.commandLine;
    const { stdout } = await execute(program, [entry, 'restore', copy, '--yes', '--keys', 'keep'], {
      env: { ...process.env, SLUICE_DATA_DIR: restored },
    });
    expect(stdout).toContain('restored to');
    await expectUpgraded(site, data, restored);
    expect(await verified(restored)).toContain('all agree');
  });
});
