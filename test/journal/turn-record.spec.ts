import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entryBytes } from '../../src/journal/entry.js';
import {
  feedIndexOf,
  journalBytesOf,
  numbersIn,
  openedSeqOf,
  placeRecords,
  readEntries,
  TurnWriter,
  type UnnumberedMark,
  unnumberedMarks,
} from '../../src/journal/turn/turn-record.js';
import { ScriptedOrders } from './scripted-orders.js';

const ORDER_AT_BINANCE = { topic: 'order', venue: 'BINANCE', isElsewhere: false };

describe('the frames of an event', () => {
  it('are at both venues for an event of a pair, and at one venue for the same event of another order', () => {
    const orders = new ScriptedOrders();
    const marksOfCreates = (): (readonly UnnumberedMark[])[] => {
      orders.create();
      orders.createPair();
      orders.create();
      const created = orders.take().events.filter(({ event }) => event.kind === 'ParentCreated');
      return created.map((event) => unnumberedMarks(event));
    };
    const atBoth = [ORDER_AT_BINANCE, { topic: 'order', venue: 'OKX', isElsewhere: true }];
    for (let round = 0; round < 2; round += 1) {
      expect(marksOfCreates()).toEqual([[ORDER_AT_BINANCE], atBoth, [ORDER_AT_BINANCE]]);
    }
  });
});

describe('a record of a turn', () => {
  it('has the events as they were written, and the bytes of their entries', () => {
    const mark = fc.record({
      topic: fc.constantFrom('order', 'trade', 'position_risk'),
      venue: fc.constantFrom('BINANCE', 'OKX'),
      isElsewhere: fc.boolean(),
    }) as fc.Arbitrary<UnnumberedMark>;
    const event = fc.record({
      payload: fc.uint8Array({ minLength: 1, maxLength: 300 }),
      account: fc.constantFrom('a', 'demo', 'ä€𝄞'),
      marks: fc.array(mark, { maxLength: 3 }),
    });
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: 5 }), (events) => {
        const records: Uint8Array[] = [];
        const writer = new TurnWriter(1024 * 1024, (record) => records.push(record.slice()));
        for (const { payload, account, marks } of events) writer.add(payload, account, marks);
        writer.end(true);
        const read: unknown[] = [];
        readEntries(records[0]!, ({ payload, account, feeds }, isLast) => {
          read.push({ payload: Uint8Array.from(payload), account: Buffer.from(account).toString(), feeds, isLast });
        });
        expect(read).toEqual(
          events.map(({ payload, account, marks }, index) => ({
            payload,
            account: marks.length === 0 ? '' : account,
            feeds: marks.map(({ topic, venue }) => feedIndexOf(topic, venue)),
            isLast: index === events.length - 1,
          })),
        );
        const bytes = events.reduce((sum, { payload }) => sum + entryBytes(payload.length), 0);
        expect([records.length, journalBytesOf(records[0]!)]).toEqual([1, bytes]);
      }),
    );
  });
});

describe('the places of a turn', () => {
  it.each([1, 2, 8_191, 8_192, 8_193, 20_000])('of %i numbers arrive in order, at most 8,192 a record', (count) => {
    const numbers = Array.from({ length: count }, (_, index) => 2 ** 40 + 3 * index);
    const records = placeRecords(numbers).map((record) => [...numbersIn(record)]);
    expect(records.flat()).toEqual(numbers);
    expect(records.map(({ length }) => length <= 8_192)).toEqual(records.map(() => true));
    expect(openedSeqOf(numbersIn(placeRecords(numbers)[0]!))).toBeNull();
  });
});
