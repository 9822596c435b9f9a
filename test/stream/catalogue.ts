import { type Instrument, InstrumentCatalogue, type InstrumentIndex } from '../../src/domain/instrument.js';
import type { Lots } from '../../src/domain/quantity.js';
import { WIDE_FILTERS } from '../domain/wide-filters.js';

function instrument(index: number, symbol: string): Instrument {
  const base = symbol.slice(0, symbol.indexOf('/'));
  return {
    index: index as InstrumentIndex,
    venue: 'BINANCE',
    symbol,
    assetCategory: symbol.includes(':') ? 'FUTURE' : 'SPOT',
    base,
    quote: 'USDT',
    quantityPrecision: 5,
    pricePrecision: 2,
    quantityStep: 1,
    priceStep: 1,
    quantityMin: 1 as Lots,
    quantityMax: 1_000_000_000 as Lots,
    notionalMin: 0,
    filters: WIDE_FILTERS,
    makerFeePpm: 100,
    takerFeePpm: 200,
  };
}

/** BTC and ETH on BINANCE, and the BTC perpetual. */
export const CATALOGUE = new InstrumentCatalogue([
  instrument(0, 'BTC/USDT'),
  instrument(1, 'ETH/USDT'),
  instrument(2, 'BTC/USDT:USDT'),
]);

export const BTC = 0 as InstrumentIndex;
export const ETH = 1 as InstrumentIndex;
export const BTC_PERPETUAL = 2 as InstrumentIndex;
