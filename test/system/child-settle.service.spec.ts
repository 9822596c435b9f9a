import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sluice } from '../cli/command-line.js';
import { eventually } from './eventually.js';
import { restingOrder } from './sample-orders.js';
import { newSite } from './site.js';
import { expectSound } from './soundness.js';

const ACCOUNT = 'lost';

it('settles an unknown child of a running service; fills, timeline, cost and audit log agree', async () => {
  const site = newSite();
  const key = await site.issueKey(ACCOUNT);
  const script = join(site.folder, 'faults');
  // The exchange is not reached any more after a few seconds.
  writeFileSync(
    script,
    `${JSON.stringify({ fault: 'disconnect', venue: 'BINANCE', fromMs: 100_000, untilMs: 86_400_000 })}\n`,
  );
  const run = site.start({ env: { SLUICE_SIM_FAULTS: script, SLUICE_SIM_SPEED: '20' } });
  const client = site.client(await run.ready(), key, 2);
  const { order_id: orderId = 0 } = await client.create(restingOrder());
  const timeline = (): ReturnType<typeof client.timeline> => client.timeline({ orderId, limit: 1_000 });
  const { events } = await eventually(timeline, ({ events: all }) => all.some(({ event }) => event === 'ChildUnknown'));
  const child = events.find(({ event }) => event === 'ChildUnknown')!.child_order_id!;
  const { quantity = 0, price = 0 } = events.find(
    ({ event, child_order_id: id }) => event === 'ChildSubmitted' && id === child,
  )!;
  const cli = (...args: string[]): ReturnType<typeof sluice> => sluice(args, { SLUICE_DATA_DIR: site.dataDir });
  const beyond = await cli('child', 'settle', child, '--filled', String(quantity * 10), '--price', String(price));
  expect([beyond.status, beyond.error]).toEqual([1, expect.stringContaining(`exceeds the quantity ${quantity}`)]);
  const reason = 'seen on the page';
  const terms = ['--filled', String(quantity), '--price', String(price), '--reason', reason];
  const asked = await cli('child', 'settle', child, ...terms);
  expect([asked.status, asked.out]).toEqual([
    0,
    expect.stringContaining('The running service carries out the settlement'),
  ]);
  const settled = await eventually(timeline, ({ events: all }) => all.some(({ event }) => event === 'ChildSettled'));
  const of = (kind: string) => settled.events.find((one) => one.event === kind && one.child_order_id === child);
  expect(of('ChildSettled')).toMatchObject({
    quantity,
    price,
    message: reason,
    settled_by: expect.any(String) as string,
  });
  expect(of('ChildFilled')).toMatchObject({ quantity, price, fee: 0, filled_quantity: quantity });
  const [order] = await client.byId({ orderIds: [orderId], includeTrades: true });
  expect(order).toMatchObject({ filled_quantity: quantity, trades: [{ quantity, price }] });
  expect(order!.over_filled_quantity).toBeUndefined();
  expect(await client.orderCost({ orderId })).toMatchObject({ legs: [{ filled_quantity: quantity }] });
  const again = await cli('child', 'settle', child, '--absent');
  expect([again.status, again.error]).toEqual([1, expect.stringContaining('is not live')]);
  const line = readFileSync(join(site.dataDir, 'audit.log'), 'utf8').trimEnd().split('\n').at(-1)!;
  expect(JSON.parse(line)).toMatchObject({ action: 'child.settle', subject: { account: ACCOUNT }, reason });
  await run.kill();
  await expectSound(site.dataDir);
});
