import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountId, OrderId } from '../../src/domain/ids.js';
import { openIdentity } from '../../src/runtime/identity.js';
import type { Lots } from '../../src/domain/quantity.js';
import { Folders, JournalWorld } from '../journal/journal-world.js';
import { ScriptedOrders } from '../journal/scripted-orders.js';
import { sluice } from './command-line.js';

const folders = new Folders();
afterAll(() => folders.removeAll());

let dataDir: string;
let orderId: OrderId;

const run = (...args: string[]): ReturnType<typeof sluice> =>
  sluice(['child', 'settle', ...args], { SLUICE_DATA_DIR: dataDir });

const named = (text: string): string => text.replaceAll('ORDER', String(orderId));

beforeAll(async () => {
  const world = new JournalWorld(folders.fresh());
  const orders = new ScriptedOrders();
  orderId = orders.create('desk' as AccountId);
  orders.accept(orderId);
  // Child 1 is open, child 2 is unknown.
  orders.submit(orderId, 100);
  orders.lose(orderId, orders.submit(orderId, 200));
  world.commit(orders);
  await world.close();
  await openIdentity(world.dataDir).close();
  dataDir = world.dataDir;
});

describe('sluice child settle', () => {
  it.each([
    [['ORDER-2'], 2, 'give --filled with the filled quantity, or --absent'],
    [['ORDER-2', '--filled', '0.001', '--absent'], 2, 'give --filled with the filled quantity, or --absent'],
    [['ORDER-2', '--absent', '--price', '60000'], 2, '--absent has no --price'],
    [['two', '--absent'], 2, 'child "two" is not '],
    [['7-2', '--absent'], 1, 'order_id 7 is not stored in'],
    [['ORDER-1', '--absent'], 1, 'child ORDER-1 is OPEN, not UNKNOWN: the exchange says what it has filled'],
    [['ORDER-3', '--absent'], 1, 'child ORDER-3 is not live'],
    [['ORDER-2', '--filled', '0.0021', '--price', '60000'], 1, 'filled 0.0021 exceeds the quantity 0.002 of child'],
    [
      ['ORDER-2', '--filled', '0.000005', '--price', '60000'],
      1,
      '--filled "0.000005" is not a multiple of the lot 0.00001',
    ],
    [['ORDER-2', '--filled', 'all', '--price', '60000'], 1, '--filled "all" is not a decimal'],
    [['ORDER-2', '--filled', '0.001', '--price', '60000.001'], 1, 'is not a multiple of the tick 0.01'],
    [['ORDER-2', '--filled', '0.001', '--price', '0'], 1, '--price "0" is not above 0'],
    [['ORDER-2', '--filled', '0.001'], 1, 'the price is missing: 0.001 of child ORDER-2 is more than the 0 that'],
  ])('refuses %j', async (args, status, message) => {
    const outcome = await run(...args.map(named));
    expect([outcome.status, outcome.error]).toEqual([status, expect.stringContaining(named(message))]);
    const identity = openIdentity(dataDir);
    expect(identity.settlements.pending()).toEqual([]);
    await identity.close();
  });

  it('stores the settlement with its reason, in the audit log too', async () => {
    const reason = 'order history of the exchange';
    const { status, out } = await run(`${orderId}-2`, '--filled', '0.001', '--price', '60000.5', '--reason', reason);
    expect([status, out]).toEqual([
      0,
      expect.stringContaining(`Child ${orderId}-2: 0.001 of 0.002 filled at 60000.5.`),
    ]);
    expect(out).toContain('No service runs on this directory. The next start carries out the settlement.');
    const identity = openIdentity(dataDir);
    const pending = { orderId, child: 2, filled: 100, price: 6_000_050, reason, by: expect.any(String) as string };
    expect(identity.settlements.pending()).toEqual([pending]);
    await identity.close();
    const line = readFileSync(join(dataDir, 'audit.log'), 'utf8').trimEnd().split('\n').at(-1)!;
    expect(JSON.parse(line)).toMatchObject({
      action: 'child.settle',
      by: { kind: 'OPERATOR' },
      subject: { account: 'desk', child_order_id: `${orderId}-2`, filled_quantity: '0.001', price: '60000.5' },
      reason,
    });
  });

  it('keeps a later request when the service has carried out an earlier one', async () => {
    const identity = openIdentity(dataDir);
    const [stored] = identity.settlements.pending();
    const later = { ...stored!, filled: 200 as Lots };
    identity.settlements.ask(later);
    identity.settlements.settle(stored!);
    identity.settlements.settle({ ...stored!, filled: 300 as Lots });
    await identity.close();
    const again = openIdentity(dataDir);
    expect(again.settlements.pending()).toEqual([later]);
    again.settlements.settle(later);
    await again.close();
    const last = openIdentity(dataDir);
    expect(last.settlements.pending()).toEqual([]);
    await last.close();
  });
});
