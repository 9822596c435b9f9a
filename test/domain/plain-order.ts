import type { AccountId, OrderId } from '../../src/domain/ids.js';
import type { Instrument } from '../../src/domain/instrument.js';
import type { ParentOrder } from '../../src/domain/order.js';
import type { Lots } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';

/** The terms of an order whose request names no parameter. Samples add only the terms that they test. */
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

/** A buy of 1,000 lots that starts at its creation and has no end time. */
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
