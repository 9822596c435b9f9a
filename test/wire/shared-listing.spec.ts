import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FIRST_ADDED_INDEX, type Instrument, type InstrumentIndex } from '../../src/domain/instrument.js';
import { ADDED_INSTRUMENTS_MAX } from '../../src/domain/limits/live.js';
import { createSharedListing, SharedListingReader, SharedListingWriter } from '../../src/wire/shared-listing.js';
import { plainInstrument } from '../domain/plain-instrument.js';
import { startPeer } from './peer-thread.js';

/** Of the peer. */
const VERSION_COUNT = 20_000;
const TURNS_MAX = 10_000_000;

function added(row: number, change: Partial<Instrument> = {}): Instrument {
  return plainInstrument({ index: (FIRST_ADDED_INDEX + row) as InstrumentIndex, symbol: `C${row}/USDT`, ...change });
}

function taken(reader: SharedListingReader): Instrument[] {
  const instruments: Instrument[] = [];
  reader.take((instrument) => instruments.push(instrument));
  return instruments;
}

describe('the shared listing', () => {
  it('gives each reader every new or changed instrument once', () => {
    const memory = createSharedListing();
    const writer = new SharedListingWriter(memory);
    const reader = new SharedListingReader(memory);
    expect(taken(reader)).toEqual([]);
    writer.put(added(0));
    writer.put(added(7));
    expect(taken(reader)).toEqual([added(0), added(7)]);
    expect(taken(reader)).toEqual([]);
    writer.put(added(7, { notionalMin: 77 }));
    expect(taken(reader)).toEqual([added(7, { notionalMin: 77 })]);
    expect(taken(new SharedListingReader(memory))).toEqual([added(0), added(7, { notionalMin: 77 })]);
  });

  it('refuses a row that it does not have, and an entry that is too long', () => {
    const writer = new SharedListingWriter(createSharedListing());
    expect(() => writer.put(plainInstrument())).toThrow('instrument 0 has a row');
    expect(() => writer.put(added(ADDED_INSTRUMENTS_MAX))).toThrow('has a row');
    expect(() => writer.put(added(0, { symbol: 'X'.repeat(3_000) }))).toThrow('fits into its row');
  });

  it('never shows a row that is half written', async () => {
    const memory = createSharedListing();
    const reader = new SharedListingReader(memory);
    const ended = once(await startPeer('wire/shared-listing-peer', memory), 'exit');
    const versions: number[] = [];
    const isLast = (): boolean => versions.at(-1) === VERSION_COUNT;
    for (let turn = 0; turn < TURNS_MAX && !isLast(); turn += 1) {
      reader.take(({ base, notionalMin }) => {
        // Every field comes from the same version.
        expect(base).toBe('B'.repeat(1 + (notionalMin % 50)));
        versions.push(notionalMin);
      });
      await setImmediate();
    }
    expect(versions.at(-1)).toBe(VERSION_COUNT);
    expect(versions).toEqual(versions.toSorted((one, other) => one - other));
    await ended;
  });
});
