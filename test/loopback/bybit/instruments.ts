import { units } from '../decimal.js';
import type { LoopbackInstrument } from '../instrument.js';

/** The two product types that this exchange has, by the word of the protocol. */
export type Category = 'spot' | 'linear';

interface Row {
  readonly base: string;
  readonly tick: string;
  readonly lot: string;
  readonly quantityMin: string;
  readonly quantityMax: string;
  readonly marketMax: string;
  readonly start: string;
}

/** Spot pairs, with rules of the size that Bybit publishes for them. */
export const SPOT_INSTRUMENTS: readonly LoopbackInstrument[] = [
  spot({
    base: 'BTC',
    tick: '0.01',
    lot: '0.000001',
    quantityMin: '0.000011',
    quantityMax: '230',
    marketMax: '115',
    start: '50000',
  }),
  spot({
    base: 'ETH',
    tick: '0.01',
    lot: '0.00001',
    quantityMin: '0.00029',
    quantityMax: '4800',
    marketMax: '2400',
    start: '2500',
  }),
  spot({
    base: 'SOL',
    tick: '0.01',
    lot: '0.001',
    quantityMin: '0.001',
    quantityMax: '60000',
    marketMax: '30000',
    start: '150',
  }),
];

/** Perpetuals that are settled in USDT. */
export const LINEAR_INSTRUMENTS: readonly LoopbackInstrument[] = [
  linear({
    base: 'BTC',
    tick: '0.10',
    lot: '0.001',
    quantityMin: '0.001',
    quantityMax: '1190',
    marketMax: '119',
    start: '50000',
  }),
  linear({
    base: 'ETH',
    tick: '0.01',
    lot: '0.01',
    quantityMin: '0.01',
    quantityMax: '7240',
    marketMax: '724',
    start: '2500',
  }),
  linear({
    base: 'SOL',
    tick: '0.010',
    lot: '0.1',
    quantityMin: '0.1',
    quantityMax: '79770',
    marketMax: '8000',
    start: '150',
  }),
];

function spot(row: Row): LoopbackInstrument {
  return {
    kind: 'spot',
    ...common(row),
    notionalMin: units('5'),
    notionalMax: units('8000000'),
    makerRate: units('0.001'),
    takerRate: units('0.001'),
  };
}

function linear(row: Row): LoopbackInstrument {
  return {
    kind: 'linear',
    ...common(row),
    notionalMin: units('5'),
    notionalMax: units('90000000'),
    makerRate: units('0.0002'),
    takerRate: units('0.00055'),
  };
}

function common({ base, tick, lot, quantityMin, quantityMax, marketMax, start }: Row) {
  return {
    symbol: `${base}USDT`,
    base,
    quote: 'USDT',
    tick: units(tick),
    lot: units(lot),
    priceMin: units(tick),
    priceMax: units('1999999.8'),
    quantityMin: units(quantityMin),
    quantityMax: units(quantityMax),
    marketQuantityMax: units(marketMax),
    // Far from the last price an order may only be on its passive side.
    bands: { bidUp: units('1.05'), bidDown: 0n, askUp: units('100'), askDown: units('0.95') },
    openOrdersMax: 500,
    startPrice: units(start),
  };
}
