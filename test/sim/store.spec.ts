import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LmdbVenueStore } from '../../src/sim/store/lmdb-store.js';
import { MemoryVenueStore } from './memory-store.js';
import type { VenueStore } from '../../src/venue/port.js';
import { RowReader, RowWriter } from '../../src/sim/store/row-codec.js';
import { instrumentAt, SimulatedExchange } from './simulated-exchange.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'venue.'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const bytes = (text: string): Uint8Array => Buffer.from(text);
const text = (value: Uint8Array | undefined): string | undefined => value && Buffer.from(value).toString();

function rowsOf(store: VenueStore, prefix: string): string[] {
  return [...store.range(prefix)].map(({ key, value }) => `${key}=${text(value)}`);
}

describe.each([
  ['memory', () => new MemoryVenueStore()],
  ['LMDB', () => new LmdbVenueStore(folder)],
])('the %s store', (_name, open) => {
  test('contains committed rows in key order, without removed ones', () => {
    const store = open();
    store.commit([
      { key: 'open/b', value: bytes('2') },
      { key: 'open/a', value: bytes('1') },
      { key: 'openly', value: bytes('9') },
      { key: 'open/c/é', value: bytes('3') },
    ]);
    expect(text(store.get('open/b'))).toBe('2');
    expect(store.get('open/x')).toBeUndefined();
    expect(rowsOf(store, 'open/')).toEqual(['open/a=1', 'open/b=2', 'open/c/é=3']);
    store.commit([
      { key: 'open/a', value: null },
      { key: 'open/none', value: null },
      { key: 'open/b', value: bytes('22') },
    ]);
    expect(rowsOf(store, 'open/')).toEqual(['open/b=22', 'open/c/é=3']);
    store.close();
  });
});

test('the LMDB store has its rows after a reopen', () => {
  const store = new LmdbVenueStore(folder);
  store.commit([{ key: 'a', value: bytes('1') }]);
  store.close();
  const again = new LmdbVenueStore(folder);
  expect(rowsOf(again, 'a')).toEqual(['a=1']);
  again.close();
});

test('the LMDB store syncs to disk about once a second', () => {
  let nowMs = 0;
  const store = new LmdbVenueStore(folder, () => nowMs);
  for (nowMs = 0; nowMs < 5_000; nowMs += 400) store.commit([{ key: `at ${nowMs}`, value: bytes('x') }]);
  expect([...store.range('at ')]).toHaveLength(13);
  store.close();
});

test('the venues trade the same over LMDB and over memory', () => {
  const [over, memory] = [new LmdbVenueStore(folder), new MemoryVenueStore()].map((store) => {
    const venue = new SimulatedExchange({ instrument: instrumentAt('KRAKEN', 'ETH/USDT'), store });
    venue.submit({ quantity: 50_000, type: 'MARKET' });
    const { order } = venue.submit({ quantity: 5_000, limitPrice: venue.market.bid });
    venue.pass(1_000);
    venue.restart();
    venue.query(order);
    venue.pass(60_000);
    venue.query(order);
    return { sent: venue.sent, rows: rowsOf(store, '') };
  });
  expect(over).toEqual(memory);
});

test("a row larger than the writer's buffer is written completely", () => {
  const writer = new RowWriter();
  const numbers = Array.from({ length: 3_000 }, (_, index) => index * 1.5);
  const text = 'ü'.repeat(5_000);
  for (const number of numbers)
    writer
      .number(number)
      .byte(7)
      .integer(-(10n ** 30n));
  const row = new RowReader(writer.text(text).take());
  for (const number of numbers) expect([row.number(), row.byte(), row.integer()]).toEqual([number, 7, -(10n ** 30n)]);
  expect(row.text()).toBe(text);
});
