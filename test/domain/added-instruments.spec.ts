import { describe, expect, it } from 'vitest';
import type { RealVenues } from '../../src/domain/exchange.js';
import { FIRST_ADDED_INDEX, type InstrumentIndex } from '../../src/domain/instrument.js';
import { buildCatalogue } from '../../src/venue/listing/catalogue.js';
import { plainInstrument } from './plain-instrument.js';

const INDEX = (FIRST_ADDED_INDEX + 5) as InstrumentIndex;
/** Rows from 4096 belong to the mode live. */
const REAL: RealVenues = new Map([['BINANCE', 'live']]);
const ADDED = plainInstrument({ index: INDEX, symbol: 'NEW/USDT', base: 'NEW' });

describe('a catalogue', () => {
  it('finds an instrument that was added at run time by index and by each of its names', () => {
    const catalogue = buildCatalogue(REAL);
    const count = catalogue.instruments.length;
    expect(count).toBeLessThan(FIRST_ADDED_INDEX);
    catalogue.put(ADDED);
    expect(catalogue.at(INDEX)).toBe(ADDED);
    expect(catalogue.find('BINANCE', 'SPOT', 'new/usdt')).toBe(ADDED);
    expect(catalogue.find('BINANCE', 'SPOT', 'NEWUSDT')).toBe(ADDED);
    expect(catalogue.instruments).toHaveLength(count + 1);
    expect(() => catalogue.at((INDEX - 1) as InstrumentIndex)).toThrow(RangeError);
  });

  it('replaces an instrument whose rules changed, and keeps its name', () => {
    const catalogue = buildCatalogue(REAL);
    catalogue.put(ADDED);
    const changed = { ...ADDED, notionalMin: 7 };
    catalogue.put(changed);
    expect(catalogue.at(INDEX)).toBe(changed);
    expect(catalogue.find('BINANCE', 'SPOT', 'NEWUSDT')).toBe(changed);
    expect(catalogue.instruments.filter(({ index }) => index === INDEX)).toEqual([changed]);
    expect(() => catalogue.put({ ...ADDED, symbol: 'OLD/USDT' })).toThrow('keeps its name');
  });

  it('takes orders at real exchanges only, as soon as there is one', () => {
    const taking = ([new Map(), REAL] as const).map((modes) => {
      const catalogue = buildCatalogue(modes);
      return (['BINANCE', 'KRAKEN'] as const).filter((venue) => catalogue.takesOrders(venue));
    });
    expect(taking).toEqual([['BINANCE', 'KRAKEN'], ['BINANCE']]);
  });

  it('does not replace an instrument that is built in', () => {
    expect(() => buildCatalogue(REAL).put(plainInstrument())).toThrow('instrument 0 is built in');
  });
});
