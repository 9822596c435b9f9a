import type { AccountId, OrderId } from '../../src/model/ids.js';
import type { Instrument } from '../../src/model/instrument.js';
import type { ParentOrder } from '../../src/model/order.js';
import type { Lots } from '../../src/model/quantity.js';
import type { EpochMs } from '../../src/model/time.js';

/** What an order has when its request names no parameter: samples name only what they are about. */
export const UNPARAMETERED = {
  randomizeQuantity: false,
  postOnly: false,
  reduceOnly: false,
  would: null,
  trigger: null,
  placement: null,
  ladder: null,
  imbalanceThresholdPpm: null,
  priceLockBps: null,
  pair: null,
  revision: 0,
} as const satisfies Partial<ParentOrder>;

/** A buy of 1,000 lots that works from its creation on and has no end. */
export function plainOrder(
  instrument: Instrument,
  createdAtMs: EpochMs,
  change: Partial<ParentOrder> = {},
): ParentOrder {
  const { index, venue, symbol, assetCategory, quantityPrecision, pricePrecision } = instrument;
  return {
    orderId: 1 as OrderId,
    account: 'alice' as AccountId,
    clientOrderId: null,
    venue,
    subaccount: null,
    instrument: index,
    symbol,
    assetCategory,
    quantityPrecision,
    pricePrecision,
    side: 'BUY',
    quantity: 1_000 as Lots,
    strategy: 'TWAP',
    limitPrice: null,
    createdAtMs,
    startAtMs: createdAtMs,
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
