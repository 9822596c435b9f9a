import { describe, expect, it } from 'vitest';
import { parseOrderRequest } from '../../src/api/order/order-parser.js';
import {
  ambiguityIn,
  InstrumentCatalogue,
  type InstrumentIndex,
  isSymbolNamed,
  withSlash,
} from '../../src/domain/instrument.js';
import { buildCatalogue } from '../../src/venue/listing/catalogue.js';
import { createBody } from '../http/orders.js';
import { plainInstrument } from './plain-instrument.js';

const catalogue = buildCatalogue();

const TWO = new InstrumentCatalogue([
  plainInstrument({ symbol: 'AB/CUSDT', base: 'AB', quote: 'CUSDT' }),
  plainInstrument({ index: 1 as InstrumentIndex, symbol: 'ABC/USDT', base: 'ABC', quote: 'USDT' }),
]);

describe('a symbol without a slash', () => {
  it('gets its slash back for each listed instrument', () => {
    for (const { symbol } of catalogue.listed) {
      expect(withSlash(symbol.replace('/', '').toLowerCase())).toBe(symbol);
      expect(withSlash(symbol)).toBe(symbol);
    }
  });

  it('stays as it is when its quote currency is unknown', () => {
    expect(withSlash('abcxyz')).toBe('ABCXYZ');
    expect(withSlash('USDT')).toBe('USDT');
  });

  it('finds an instrument when it names exactly one of an exchange and category', () => {
    for (const { venue, assetCategory, symbol, base, quote, index } of catalogue.instruments) {
      const names = [symbol.replace('/', ''), `${base}${quote}`.toLowerCase()];
      for (const name of names) {
        const named = catalogue.namedWithoutSlash(venue, assetCategory, name);
        const found = catalogue.find(venue, assetCategory, name);
        expect(found?.index ?? null).toBe(named.length === 1 ? index : null);
      }
    }
  });

  it('finds no instrument when two have that name', () => {
    expect(TWO.find('BINANCE', 'SPOT', 'ABCUSDT')).toBeNull();
    expect(TWO.find('BINANCE', 'SPOT', 'ABC/USDT')?.index).toBe(1);
    const found = parseOrderRequest(createBody({ symbol: 'abcusdt' }), TWO);
    const message = 'symbol "abcusdt" names more than one SPOT instrument of BINANCE: AB/CUSDT, ABC/USDT';
    expect(found).toEqual({ rejection: { code: 'INVALID_SYMBOL', message } });
  });

  it('lists the two instruments of one exchange that have that name', () => {
    const named = TWO.instruments.filter(({ symbol }) => isSymbolNamed(symbol, 'ABCUSDT'));
    expect(ambiguityIn(named)?.map(({ symbol }) => symbol)).toEqual(['AB/CUSDT', 'ABC/USDT']);
    const elsewhere = catalogue.listed.filter(({ symbol }) => isSymbolNamed(symbol, 'BTCUSDT'));
    expect(elsewhere.length).toBeGreaterThan(1);
    expect(ambiguityIn(elsewhere)).toBeNull();
  });
});
