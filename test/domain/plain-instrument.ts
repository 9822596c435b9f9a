import type { Instrument, InstrumentIndex } from '../../src/domain/instrument.js';
import type { Lots } from '../../src/domain/quantity.js';
import { WIDE_FILTERS } from './wide-filters.js';

/** BTC/USDT spot: lots of 0.00001 BTC, ticks of 0.01 USDT; a child has at least 5 USDT and 0.0001 BTC. */
export function plainInstrument(change: Partial<Instrument> = {}): Instrument {
  return {
    index: 0 as InstrumentIndex,
    venue: 'BINANCE',
    symbol: 'BTC/USDT',
    assetCategory: 'SPOT',
    base: 'BTC',
    quote: 'USDT',
    quantityPrecision: 5,
    pricePrecision: 2,
    quantityStep: 1,
    priceStep: 1,
    quantityMin: 10 as Lots,
    quantityMax: 10_000_000 as Lots,
    notionalMin: 50_000_000,
    filters: WIDE_FILTERS,
    makerFeePpm: 200,
    takerFeePpm: 500,
    ...change,
  };
}
