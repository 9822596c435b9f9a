import { describe, expect, it, vi } from 'vitest';
import type { OrderId } from '../../src/domain/ids.js';
import { SegmentReader } from '../../src/journal/segment-reader.js';
import { dataFolders } from './data-folders.js';
import { JournalWorld } from './journal-world.js';
import { ScriptedOrders } from './scripted-orders.js';

const AMENDMENTS = 1_000;
/** Bisection of 10,000 events reads 14, and some more where seqs are not evenly spread. */
const READS_MAX = 40;

const folders = dataFolders();

/** An order with many amendments and fills. Events of another order are between them. */
function amendedOrder(): { readonly world: JournalWorld; readonly orderId: OrderId } {
  const world = new JournalWorld(folders.fresh(), { segmentBytes: 1024 * 1024 });
  const orders = new ScriptedOrders();
  const [orderId, other] = [orders.create(), orders.create()];
  for (const each of [orderId, other]) orders.accept(each);
  for (let amendment = 0; amendment < AMENDMENTS; amendment += 1) {
    orders.amend(orderId);
    orders.balance();
    if (amendment % 10 === 0) orders.amend(other);
    if (amendment % 100 === 99) world.commit(orders);
  }
  world.commit(orders);
  world.main.reader.latest();
  return { world, orderId };
}

describe('former terms of an order', () => {
  it('returns the terms of each of 1,000 revisions and reads at most 40 events for it', async () => {
    const { world, orderId } = amendedOrder();
    const read = vi.spyOn(SegmentReader.prototype, 'read');
    let readsMost = 0;
    for (let revision = 0; revision < AMENDMENTS; revision += 1) {
      read.mockClear();
      const terms = world.main.reader.recent().formerTerms(orderId, revision);
      expect(terms?.revision).toBe(revision);
      if (revision > 0) expect(terms?.legs[0].requestEcho).toBe(`{"revision":${revision}}`);
      readsMost = Math.max(readsMost, read.mock.calls.length);
    }
    read.mockRestore();
    expect(readsMost).toBeLessThanOrEqual(READS_MAX);
    await world.close();
  });

  it('returns null for a revision or an order that there is not', async () => {
    const { world, orderId } = amendedOrder();
    expect(world.main.reader.recent().formerTerms(orderId, AMENDMENTS + 1)).toBeNull();
    expect(world.main.reader.recent().formerTerms(999_999 as OrderId, 0)).toBeNull();
    await world.close();
  });
});
