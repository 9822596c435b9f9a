import type { OrderId } from '../../src/domain/ids.js';
import { InstrumentCatalogue, type Instrument, type InstrumentIndex } from '../../src/domain/instrument.js';
import type { ParentOrder, Leg } from '../../src/domain/order.js';
import type { Lots } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { plainInstrument } from '../domain/plain-instrument.js';
import { type FlatTerms, plainOrder, withTerms } from '../domain/plain-order.js';

export const START_MS = 1_800_000_000_000 as EpochMs;

export const BTC = plainInstrument({ quantityMin: 1 as Lots });
export const ETH: Instrument = { ...BTC, index: 1 as InstrumentIndex, symbol: 'ETH/USDT', base: 'ETH' };
/** BTC at another venue. */
export const OKX_BTC: Instrument = { ...BTC, index: 2 as InstrumentIndex, venue: 'OKX' };

export const CATALOGUE = new InstrumentCatalogue([BTC, ETH, OKX_BTC]);

/** A buy of 0.01 BTC that rests at a limit below the market, without an end time. */
export function orderOf(orderId: number, change: Partial<FlatTerms> = {}): ParentOrder {
  const order = plainOrder(BTC, START_MS, {
    orderId: orderId as OrderId,
    strategy: 'LIMIT',
    limitPrice: 6_399_000 as Leg['limitPrice'],
  });
  return withTerms(order, change);
}
