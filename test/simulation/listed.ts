import { InstrumentCatalogue, type InstrumentIndex } from '../../src/domain/instrument.js';
import { buildCatalogue } from '../../src/venue/listing/catalogue.js';

/**
 * A few instruments of the real catalogue, so that orders meet: two spot pairs and a perpetual in the same currency.
 */
const LISTED = [
  ['BINANCE', 'BTC/USDT'],
  ['BINANCE', 'SOL/USDT:USDT'],
  ['OKX', 'ETH/USDT'],
] as const;

const whole = buildCatalogue();

export const CATALOGUE = new InstrumentCatalogue(
  LISTED.map(([venue, symbol], index) => {
    const instrument = whole.findCanonical(venue, symbol);
    if (instrument === null) throw new Error(`${venue} does not list ${symbol}`);
    return { ...instrument, index: index as InstrumentIndex };
  }),
);

export const ACCOUNTS = ['alice', 'bob'] as const;
