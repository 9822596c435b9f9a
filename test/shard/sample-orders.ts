import type { AccountId, OrderId } from '../../src/model/ids.js';
import { InstrumentCatalogue, type Instrument, type InstrumentIndex } from '../../src/model/instrument.js';
import type { ParentOrder } from '../../src/model/order.js';
import type { Lots } from '../../src/model/quantity.js';
import type { EpochMs } from '../../src/model/time.js';
import { UNPARAMETERED } from '../model/plain-order.js';
import { WIDE_FILTERS } from '../model/wide-filters.js';

export const START_MS = 1_800_000_000_000 as EpochMs;

/** 0.00001 BTC lots, 0.01 USDT ticks; a child is worth 5 USDT or more. */
export const BTC: Instrument = {
  index: 0 as InstrumentIndex,
  venue: 'BINANCE',
  symbol: 'BTC/USDT',
  assetCategory: 'SPOT',
  base: 'BTC',
  quote: 'USDT',
  quantityPrecision: 5,
  pricePrecision: 2,
  quantityMin: 1 as Lots,
  quantityMax: 10_000_000 as Lots,
  notionalMin: 50_000_000,
  filters: WIDE_FILTERS,
  makerFeePpm: 200,
  takerFeePpm: 500,
};
export const ETH: Instrument = { ...BTC, index: 1 as InstrumentIndex, symbol: 'ETH/USDT', base: 'ETH' };
/** The same as BTC, at another venue. */
export const OKX_BTC: Instrument = { ...BTC, index: 2 as InstrumentIndex, venue: 'OKX' };

export const CATALOGUE = new InstrumentCatalogue([BTC, ETH, OKX_BTC]);

/** A buy of 0.01 BTC that rests at a limit below the market and has no end. */
export function orderOf(orderId: number, change: Partial<ParentOrder> = {}): ParentOrder {
  return {
    quantityPrecision: BTC.quantityPrecision,
    pricePrecision: BTC.pricePrecision,
    orderId: orderId as OrderId,
    account: 'alice' as AccountId,
    clientOrderId: null,
    venue: 'BINANCE',
    subaccount: null,
    instrument: BTC.index,
    symbol: 'BTC/USDT',
    assetCategory: 'SPOT',
    side: 'BUY',
    quantity: 1_000 as Lots,
    strategy: 'LIMIT',
    limitPrice: 6_399_000 as ParentOrder['limitPrice'],
    createdAtMs: START_MS,
    startAtMs: START_MS,
    endAtMs: null,
    durationMs: null,
    clip: { type: 'AUTOMATIC' },
    style: 'HYBRID',
    urgency: 'MEDIUM',
    ...UNPARAMETERED,
    requestEcho: '',
    requestDigest: '',
    ...change,
  };
}
