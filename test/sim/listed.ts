import { InstrumentCatalogue, type InstrumentIndex } from '../../src/model/instrument.js';
import { buildCatalogue } from '../../src/venue/index.js';

/** A few instruments of the real catalogue, so that orders meet: two spot pairs and a perpetual that shares their money. */
const LISTED = [
  ['BINANCE', 'BTC/USDT'],
  ['BINANCE', 'SOL/USDT:USDT'],
  ['OKX', 'ETH/USDT'],
] as const;

const whole = buildCatalogue();

export const CATALOGUE = new InstrumentCatalogue(
  LISTED.map(([venue, symbol], index) => {
    const instrument = whole.findCanonical(venue, symbol);
    if (instrument === null) throw new Error(`${venue} lists ${symbol}`);
    return { ...instrument, index: index as InstrumentIndex };
  }),
);

export const ACCOUNTS = ['alice', 'bob'] as const;
