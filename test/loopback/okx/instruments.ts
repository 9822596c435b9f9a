import { divide, formatShort, multiply, ONE, units, type Units } from '../decimal.js';
import type { LoopbackInstrument } from '../instrument.js';

/**
 * An instrument with the names and units of OKX. The exchange core counts base units; perpetuals trade in contracts.
 */
export interface OkxInstrument {
  readonly core: LoopbackInstrument;
  readonly instType: 'SPOT' | 'SWAP';
  readonly instId: string;
  /** The number of the instrument: requests on sockets may name it instead. */
  readonly instIdCode: number;
  /** Base units of one contract; 1 for spot. */
  readonly contractSize: Units;
}

interface Row {
  readonly base: string;
  readonly tick: string;
  /** In contracts for a perpetual, as the other quantities. */
  readonly lot: string;
  readonly min: string;
  readonly max: string;
  readonly marketMax: string;
  readonly contractSize?: string;
  readonly levelQuantity: string;
  readonly start: string;
}

const OPEN_ORDERS_MAX = 500;
const FIRST_CODE = 10_459;
/** Prices may lie 5 % beyond the last price, as in the price limits of the exchange. */
const BAND = units('0.05');

/** Rules of the size that OKX publishes for these pairs. */
const INSTRUMENTS: readonly Omit<OkxInstrument, 'instIdCode'>[] = [
  spot({
    base: 'BTC',
    tick: '0.1',
    lot: '0.00000001',
    min: '0.00001',
    max: '9999999999',
    marketMax: '1000000',
    levelQuantity: '0.4',
    start: '50000',
  }),
  spot({
    base: 'ETH',
    tick: '0.01',
    lot: '0.000001',
    min: '0.0001',
    max: '999999999999',
    marketMax: '1000000',
    levelQuantity: '4',
    start: '2500',
  }),
  swap({
    base: 'BTC',
    tick: '0.1',
    lot: '0.01',
    min: '0.01',
    max: '100000000',
    marketMax: '12000',
    contractSize: '0.01',
    levelQuantity: '4',
    start: '50000',
  }),
  swap({
    base: 'ETH',
    tick: '0.01',
    lot: '0.01',
    min: '0.01',
    max: '100000000',
    marketMax: '20000',
    contractSize: '0.1',
    levelQuantity: '40',
    start: '2500',
  }),
  swap({
    base: 'DOGE',
    tick: '0.00001',
    lot: '0.01',
    min: '0.01',
    max: '100000000',
    marketMax: '50000',
    contractSize: '1000',
    levelQuantity: '100000',
    start: '0.2',
  }),
];

export const OKX_INSTRUMENTS: readonly OkxInstrument[] = INSTRUMENTS.map((one, index) => {
  return { ...one, instIdCode: FIRST_CODE + index };
});

function spot(row: Row): Omit<OkxInstrument, 'instIdCode'> {
  return { core: core(row, 'spot', ONE), instType: 'SPOT', instId: `${row.base}-USDT`, contractSize: ONE };
}

function swap(row: Row): Omit<OkxInstrument, 'instIdCode'> {
  const contractSize = units(row.contractSize ?? '1');
  return { core: core(row, 'linear', contractSize), instType: 'SWAP', instId: `${row.base}-USDT-SWAP`, contractSize };
}

function core(row: Row, kind: LoopbackInstrument['kind'], contractSize: Units): LoopbackInstrument {
  const base = (text: string): Units => multiply(units(text), contractSize);
  const isSpot = kind === 'spot';
  return {
    kind,
    symbol: isSpot ? `${row.base}-USDT` : `${row.base}-USDT-SWAP`,
    base: row.base,
    quote: 'USDT',
    tick: units(row.tick),
    lot: base(row.lot),
    priceMin: units(row.tick),
    priceMax: units('100000000'),
    quantityMin: base(row.min),
    quantityMax: base(row.max),
    marketQuantityMax: base(row.marketMax),
    notionalMin: 0n,
    notionalMax: units('20000000'),
    bands: { bidUp: ONE + BAND, bidDown: 0n, askUp: units('1000'), askDown: ONE - BAND },
    openOrdersMax: OPEN_ORDERS_MAX,
    makerRate: units(isSpot ? '0.0008' : '0.0002'),
    takerRate: units(isSpot ? '0.001' : '0.0005'),
    levelQuantity: units(row.levelQuantity),
    startPrice: units(row.start),
  };
}

/** A quantity of base units in the unit of the exchange. */
export function wireSize({ contractSize }: OkxInstrument, quantity: Units): string {
  return formatShort(divide(quantity, contractSize));
}

/** A quantity of the exchange's unit in base units. */
export function baseQuantity({ contractSize }: OkxInstrument, size: Units): Units {
  return multiply(size, contractSize);
}

/** One entry of public/instruments with the present rules, without its state. */
export function instrumentEntry(instrument: OkxInstrument, rules: LoopbackInstrument): object {
  const { instType, instId, instIdCode, contractSize } = instrument;
  const isSpot = instType === 'SPOT';
  const size = (quantity: Units): string => wireSize(instrument, quantity);
  return {
    alias: '',
    auctionEndTime: '',
    baseCcy: isSpot ? rules.base : '',
    category: '1',
    contTdSwTime: '',
    ctMult: isSpot ? '' : '1',
    ctType: isSpot ? '' : 'linear',
    ctVal: isSpot ? '' : formatShort(contractSize),
    ctValCcy: isSpot ? '' : rules.base,
    expTime: '',
    futureSettlement: false,
    groupId: isSpot ? '1' : '4',
    instFamily: isSpot ? '' : `${rules.base}-${rules.quote}`,
    instId,
    instIdCode,
    instType,
    lever: isSpot ? '10' : '100',
    listTime: '1573557408000',
    lotSz: size(rules.lot),
    maxIcebergSz: size(rules.quantityMax),
    maxLmtAmt: formatShort(rules.notionalMax),
    maxLmtSz: size(rules.quantityMax),
    maxMktAmt: isSpot ? '1000000' : '',
    maxMktSz: size(rules.marketQuantityMax),
    maxPlatOILmt: '',
    maxStopSz: size(rules.marketQuantityMax),
    maxTriggerSz: size(rules.quantityMax),
    maxTwapSz: size(rules.quantityMax),
    minSz: size(rules.quantityMin),
    openType: '',
    optType: '',
    posLmtAmt: '',
    posLmtPct: '',
    preMktSwTime: '',
    quoteCcy: isSpot ? rules.quote : '',
    ruleType: 'normal',
    settleCcy: isSpot ? '' : rules.quote,
    stk: '',
    tickSz: formatShort(rules.tick),
    tradeQuoteCcyList: isSpot ? [rules.quote] : [],
    uly: isSpot ? '' : `${rules.base}-${rules.quote}`,
    upcChg: [],
  };
}
