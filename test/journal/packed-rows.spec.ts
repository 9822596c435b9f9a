import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AccountId, ClientOrderId, OrderId, Seq } from '../../src/domain/ids.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { ClientIdEntry } from '../../src/journal/port.js';
import { FEEDS_NUMBERED_MAX } from '../../src/domain/limits/process.js';
import { FRAMES_PER_ROW } from '../../src/journal/state/feed-rows.js';
import { eventPlaces, PLACES_PER_ROW } from '../../src/journal/state/order-row.js';
import { packedBytes, PACKED_BYTES_MAX, PackedReader, writePacked } from '../../src/wire/codec/packed-numbers.js';
import {
  accountTimeKey,
  clientIdKey,
  encodeClientIdEntry,
  encodeNumber,
  encodeObservation,
  observationKey,
  orderKey,
  orderSeqKey,
  reusedMemory,
  tradeKey,
} from '../../src/journal/state/rows.js';
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

describe('keys and values in reused memory', () => {
  test('have the bytes of those in new memory, and are replaced only by one of the same length', () => {
    const memory = reusedMemory();
    const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
    const account = fc.constantFrom('a', 'demo', 'ä€𝄞', 'x'.repeat(64)) as fc.Arbitrary<AccountId>;
    const clientOrderId = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }) as fc.Arbitrary<ClientOrderId>;
    fc.assert(
      fc.property(id, id, id, account, clientOrderId, (one, two, three, name, text) => {
        const [orderId, seq, atMs] = [one as OrderId, two as Seq, three as EpochMs];
        const observed = { bid: one, ask: two, volume: three, turnover: BigInt(one) * BigInt(two) } as never;
        const client: ClientIdEntry = { orderId, requestDigest: text };
        const makers: readonly ((memory?: ReturnType<typeof reusedMemory>) => Buffer)[] = [
          (at) => orderKey(orderId, at),
          (at) => orderSeqKey(orderId, seq, at),
          (at) => tradeKey(orderId, two as never, three as never, at),
          (at) => accountTimeKey(name, atMs, orderId, at),
          (at) => clientIdKey(name, text, at),
          (at) => observationKey(one as never, atMs, at),
          (at) => encodeNumber(three, at),
          (at) => encodeClientIdEntry(client, at),
          (at) => encodeObservation(observed, three, at),
        ];
        for (const make of makers) {
          const bytes = make(memory);
          expect(Buffer.compare(bytes, make())).toBe(0);
          expect(memory(bytes.length)).toBe(bytes);
        }
      }),
      { numRuns: 100 },
    );
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
    for (const through of [0, seqs[0]! - 1, ...seqs.flatMap((seq) => [seq, seq + 1])] as (Seq | 0)[]) {
      const last = seqs.findLast((seq) => seq <= through);
      expect(reader.latest().lastEvent(orderId, through)?.seq).toBe(last);
    }
    expect(reader.latest().lastEvent(9 as OrderId, seqs[0]!)).toBeNull();
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
    expect(reader.latest().feedHead({ account: DEMO, topic: 'order', venue: 'BINANCE' })).toBe(expected.size);
    for (const after of [0, 1, FRAMES_PER_ROW - 1, FRAMES_PER_ROW, 2 * FRAMES_PER_ROW + 1, expected.size]) {
      for (const limit of [1, FRAMES_PER_ROW + 1, 1_000]) {
        const frames = reader.latest().feed({ account: DEMO, topic: 'order', venue: 'BINANCE' }, after, limit);
        const wanted = [...expected].filter(([n]) => n > after).slice(0, limit);
        expect(frames.map(({ n, envelope }) => [n, envelope.seq])).toEqual(wanted);
      }
    }
    await world.close();
  });
});

describe('feeds of more accounts than a replay keeps', () => {
  test('are numbered without a gap, as the journal thread numbers them', async () => {
    const world = new JournalWorld(folders.fresh(), { segmentBytes: 1024 * 1024 });
    const orders = new ScriptedOrders();
    const expected = new Map<AccountId, Seq[]>();
    for (let index = 0; index < 1.7 * FEEDS_NUMBERED_MAX; index += 1) {
      const account = `account-${index % (FEEDS_NUMBERED_MAX + 1)}` as AccountId;
      orders.create(account);
      if (index % 200 === 0) orders.create('account-0' as AccountId);
      if (index % 300 !== 0) continue;
      for (const { envelope, marks } of world.commit(orders)) {
        const seqs = expected.get(envelope.account) ?? [];
        expected.set(envelope.account, seqs);
        expect(marks).toEqual([{ topic: 'order', n: seqs.push(envelope.seq) }]);
      }
    }
    const snapshot = world.main.reader.latest();
    for (const [account, seqs] of expected) {
      const frames = snapshot.feed({ account, topic: 'order', venue: 'BINANCE' }, 0, 100);
      expect(frames.map(({ n, envelope }) => [n, envelope.seq])).toEqual(seqs.map((seq, index) => [index + 1, seq]));
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
