import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AccountId, OrderId, Seq } from '../../src/domain/ids.js';
import { FRAMES_PER_ROW } from '../../src/journal/state/feed-rows.js';
import { eventPlaces, PLACES_PER_ROW } from '../../src/journal/state/order-row.js';
import { packedBytes, PACKED_BYTES_MAX, PackedReader, writePacked } from '../../src/wire/codec/packed-numbers.js';
import { openStateTables } from '../../src/journal/state/state-tables.js';
import { CodecError } from '../../src/wire/codec/message.js';
import { dataFolders } from './data-folders.js';
import { JournalWorld } from './journal-world.js';
import { ScriptedOrders } from './scripted-orders.js';

const folders = dataFolders();

const DEMO = 'demo' as AccountId;
const numbers = fc.array(fc.oneof(fc.nat(300), fc.maxSafeNat(), fc.constantFrom(2 ** 31 - 1, 2 ** 31, 2 ** 53 - 1)));

describe('packed numbers', () => {
  test('are read as they were written, each in at most 8 bytes', () => {
    fc.assert(
      fc.property(numbers, (values) => {
        const bytes = new Uint8Array(PACKED_BYTES_MAX * values.length);
        let end = 0;
        for (const value of values) {
          const begin = end;
          end = writePacked(bytes, end, value);
          expect(packedBytes(value)).toBe(end - begin);
        }
        const reader = new PackedReader(bytes, 0, end);
        expect(values.map(() => reader.next())).toEqual(values);
        expect(reader.isAtEnd).toBe(true);
      }),
    );
  });

  test('that are cut off are an error', () => {
    const bytes = new Uint8Array(PACKED_BYTES_MAX);
    const reader = new PackedReader(bytes.subarray(0, writePacked(bytes, 0, 2 ** 40) - 1));
    expect(() => reader.next()).toThrow(CodecError);
  });
});

describe('an order with more events than fit into its row', () => {
  test('has all of them, from any event on and up to any number', async () => {
    const world = new JournalWorld(folders.fresh());
    const orders = new ScriptedOrders();
    const orderId = orders.create(DEMO);
    orders.accept(orderId);
    const seqs: Seq[] = [];
    while (seqs.length < 3 * PLACES_PER_ROW) {
      orders.amend(orderId);
      orders.balance();
      for (const { envelope } of world.commit(orders)) if (envelope.orderId === orderId) seqs.push(envelope.seq);
    }
    const tables = openStateTables(join(world.dataDir, 'state'));
    expect(tables.table.by_order.getKeysCount()).toBe(Math.floor(seqs.length / PLACES_PER_ROW));
    const { reader } = world.main;
    for (const after of [0, 1, ...seqs.slice(28, 36), ...seqs.slice(-2)] as (Seq | 0)[]) {
      const later = seqs.filter((seq) => seq > after);
      for (const limit of [0, 1, PLACES_PER_ROW, Infinity]) {
        expect(eventPlaces(tables, orderId, { after, limit }).map(({ seq }) => seq)).toEqual(later.slice(0, limit));
      }
      expect(
        reader
          .latest()
          .events(orderId, after)
          .map(({ seq }) => seq),
      ).toEqual(later);
      expect(reader.latest().eventCount(orderId, after, 1_000)).toBe(later.length);
    }
    expect(eventPlaces(tables, 9 as OrderId)).toEqual([]);
    await tables.root.close();
    await world.close();
  });
});

describe('a feed with more frames than fit into a row', () => {
  test('has each frame at its number, from any frame on and up to any number', async () => {
    const world = new JournalWorld(folders.fresh());
    const orders = new ScriptedOrders();
    const expected = new Map<number, Seq>();
    while (expected.size < 2 * FRAMES_PER_ROW + 5) {
      orders.completeOrder(DEMO);
      for (const { envelope, marks } of world.commit(orders)) {
        for (const { topic, n } of marks) if (topic === 'order') expected.set(n, envelope.seq);
      }
    }
    const { reader } = world.main;
    expect(reader.latest().feedHead(DEMO, 'order', 'BINANCE')).toBe(expected.size);
    for (const after of [0, 1, FRAMES_PER_ROW - 1, FRAMES_PER_ROW, 2 * FRAMES_PER_ROW + 1, expected.size]) {
      for (const limit of [1, FRAMES_PER_ROW + 1, 1_000]) {
        const frames = reader.latest().feed(DEMO, 'order', 'BINANCE', after, limit);
        const wanted = [...expected].filter(([n]) => n > after).slice(0, limit);
        expect(frames.map(({ n, envelope }) => [n, envelope.seq])).toEqual(wanted);
      }
    }
    await world.close();
  });
});

describe('open and ended orders', () => {
  test('are found together, newest first', async () => {
    const world = new JournalWorld(folders.fresh());
    const orders = new ScriptedOrders();
    const ids: OrderId[] = [];
    for (let count = 0; count < 9; count += 1) {
      orders.nowMs = (orders.nowMs + 10) as typeof orders.nowMs;
      ids.push(count % 3 === 0 ? orders.create(DEMO) : orders.completeOrder(DEMO));
      world.commit(orders);
    }
    const newest = ids.toReversed();
    const snapshot = world.main.reader.latest();
    const [fromMs, toMs] = [(orders.nowMs - 80) as typeof orders.nowMs, orders.nowMs];
    expect(snapshot.findIds(DEMO, fromMs, toMs, 100)).toEqual(newest);
    expect(snapshot.findIds(DEMO, fromMs, toMs, 4)).toEqual(newest.slice(0, 4));
    expect([...snapshot.openOrders(DEMO)].map(({ order }) => order.orderId)).toEqual([ids[0], ids[3], ids[6]]);
    await world.close();
  });
});
