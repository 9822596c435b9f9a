import type { AccountId, OrderId } from '../../src/domain/ids.js';
import type { Instrument } from '../../src/domain/instrument.js';
import type { Leg, ParentOrder } from '../../src/domain/order.js';
import { withLeg } from '../../src/domain/pair.js';
import { leadingIndexOf, leadingLeg } from '../../src/domain/order-legs.js';
import type { Lots } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';

/** The terms of an order whose request names no parameter. Samples add only the terms that they test. */
export const UNPARAMETERED = {
  postOnly: false,
  reduceOnly: false,
  imbalanceThresholdPpm: null,
  priceLockBps: null,
  pair: null,
  revision: 0,
  session: null,
} as const satisfies Partial<ParentOrder>;

/** The terms of its leg. */
export const UNPARAMETERED_LEG = {
  randomizeQuantity: false,
  would: null,
  trigger: null,
  placement: null,
  ladder: null,
  target: null,
} as const satisfies Partial<Leg>;

/** The members of an order and of its leading leg in one object, for samples that change some of them. */
export type FlatTerms = ParentOrder & Leg;

/** Returns the order with the changed members. Members of a leg change in the leading leg. */
export function withTerms(order: ParentOrder, change: Partial<FlatTerms>): ParentOrder {
  const entries: readonly (readonly [string, unknown])[] = Object.entries(change);
  const isOfLeg = ([name]: readonly [string, unknown]): boolean => name in order.legs[0];
  const terms = { ...order, ...Object.fromEntries(entries.filter((entry) => !isOfLeg(entry))) };
  const leg = { ...leadingLeg(terms), ...Object.fromEntries(entries.filter(isOfLeg)) };
  return { ...terms, legs: withLeg(terms.legs, leadingIndexOf(terms), leg) };
}

/** A buy of 1,000 lots that starts at its creation and has no end time. */
export function plainOrder(instrument: Instrument, createdAtMs: EpochMs, change: Partial<FlatTerms> = {}): ParentOrder {
  const { index, venue, symbol, assetCategory, quantityPrecision, pricePrecision, quantityStep, priceStep } =
    instrument;
  const leg: Leg = {
    venue,
    instrument: index,
    symbol,
    assetCategory,
    quantityPrecision,
    pricePrecision,
    quantityStep,
    priceStep,
    side: 'BUY',
    quantity: 1_000 as Lots,
    strategy: 'TWAP',
    limitPrice: null,
    durationMs: null,
    clip: { type: 'AUTOMATIC' },
    style: 'HYBRID',
    urgency: 'MEDIUM',
    ...UNPARAMETERED_LEG,
    requestEcho: '',
  };
  const order: ParentOrder = {
    orderId: 1 as OrderId,
    account: 'alice' as AccountId,
    clientOrderId: null,
    subaccount: null,
    legs: [leg],
    createdAtMs,
    startAtMs: createdAtMs,
    endAtMs: null,
    ...UNPARAMETERED,
    requestDigest: '',
  };
  return withTerms(order, change);
}
