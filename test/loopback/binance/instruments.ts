import { units } from '../decimal.js';
import type { LoopbackInstrument } from '../instrument.js';

/** Spot instruments, with filters of the size that Binance publishes for them. */
export const SPOT_INSTRUMENTS: readonly LoopbackInstrument[] = [
  spot({
    base: 'BTC',
    tick: '0.01',
    lot: '0.00001',
    priceMax: '1000000',
    quantityMax: '9000',
    marketMax: '100',
    start: '50000',
  }),
  spot({
    base: 'ETH',
    tick: '0.01',
    lot: '0.0001',
    priceMax: '1000000',
    quantityMax: '9000',
    marketMax: '2000',
    start: '2500',
  }),
];

/** USD-M perpetuals. */
export const LINEAR_INSTRUMENTS: readonly LoopbackInstrument[] = [
  linear({
    base: 'BTC',
    tick: '0.10',
    lot: '0.001',
    priceMax: '4529764',
    quantityMax: '1000',
    marketMax: '120',
    start: '50000',
  }),
  linear({
    base: 'ETH',
    tick: '0.01',
    lot: '0.001',
    priceMax: '306177',
    quantityMax: '10000',
    marketMax: '2000',
    start: '2500',
  }),
];

interface Row {
  readonly base: string;
  readonly tick: string;
  readonly lot: string;
  readonly priceMax: string;
  readonly quantityMax: string;
  readonly marketMax: string;
  readonly start: string;
}

function spot(row: Row): LoopbackInstrument {
  return {
    kind: 'spot',
    ...grid(row),
    notionalMin: units('5'),
    notionalMax: units('9000000'),
    bands: { bidUp: units('5'), bidDown: units('0.2'), askUp: units('5'), askDown: units('0.2') },
    openOrdersMax: 200,
    makerRate: units('0.001'),
    takerRate: units('0.001'),
  };
}

function linear(row: Row): LoopbackInstrument {
  return {
    kind: 'linear',
    ...grid(row),
    notionalMin: units('100'),
    notionalMax: units('90000000'),
    bands: { bidUp: units('1.05'), bidDown: units('0.01'), askUp: units('100'), askDown: units('0.95') },
    openOrdersMax: 200,
    makerRate: units('0.0002'),
    takerRate: units('0.0005'),
  };
}

function grid({
  base,
  tick,
  lot,
  priceMax,
  quantityMax,
  marketMax,
  start,
}: Row): Omit<
  LoopbackInstrument,
  'kind' | 'notionalMin' | 'notionalMax' | 'bands' | 'openOrdersMax' | 'makerRate' | 'takerRate'
> {
  return {
    symbol: `${base}USDT`,
    base,
    quote: 'USDT',
    tick: units(tick),
    lot: units(lot),
    priceMin: units(tick),
    priceMax: units(priceMax),
    quantityMin: units(lot),
    quantityMax: units(quantityMax),
    marketQuantityMax: units(marketMax),
    startPrice: units(start),
  };
}
