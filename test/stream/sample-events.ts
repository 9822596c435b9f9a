import type { Amount, Lots, Notional, Ticks } from '../../src/domain/quantity.js';
import type { AnyEvent, ChildSnapshot, EventEnvelope, Fill, OrderSnapshot } from '../../src/domain/event.js';
import type {
  AccountId,
  ChildNumber,
  ClientOrderId,
  CorrelationId,
  OrderId,
  Seq,
  VenueOrderId,
  VenueTradeId,
} from '../../src/domain/ids.js';
import type { InstrumentIndex } from '../../src/domain/instrument.js';
import type { ChildOrder } from '../../src/domain/order-state.js';
import type { ParentOrder } from '../../src/domain/order.js';
import type { DurationMs, EpochMs } from '../../src/domain/time.js';
import { UNPARAMETERED, UNPARAMETERED_LEG } from '../domain/plain-order.js';

export const ACCOUNT = 'demo' as AccountId;
export const OTHER_ACCOUNT = 'other' as AccountId;

/** BUY 1.5 BTC/USDT by TWAP on a grid of 0.00001 BTC and 0.01 USDT. */
export const PARENT: ParentOrder = {
  orderId: 4711 as OrderId,
  account: ACCOUNT,
  clientOrderId: 'mine "1"' as ClientOrderId,
  subaccount: null,
  legs: [
    {
      venue: 'BINANCE',
      instrument: 0 as InstrumentIndex,
      symbol: 'btc/usdt',
      assetCategory: 'SPOT',
      side: 'BUY',
      quantity: 150_000 as Lots,
      strategy: 'TWAP',
      limitPrice: 6_400_050 as Ticks,
      durationMs: 60_000 as DurationMs,
      clip: { type: 'AUTOMATIC' },
      style: 'HYBRID',
      urgency: 'MEDIUM',
      ...UNPARAMETERED_LEG,
      requestEcho: '{"clip_size_type":"AUTOMATIC","params":{"duration_seconds":60}}',
      quantityPrecision: 5,
      pricePrecision: 2,
      quantityStep: 1,
      priceStep: 1,
    },
  ],
  createdAtMs: 1_000 as EpochMs,
  startAtMs: 1_500 as EpochMs,
  endAtMs: 61_500 as EpochMs,
  ...UNPARAMETERED,
  requestDigest: '0'.repeat(32),
};

const CHILD: ChildOrder = {
  child: 3 as ChildNumber,
  leg: 0,
  side: 'BUY',
  quantity: 10_000 as Lots,
  type: 'LIMIT',
  timeInForce: 'GTC',
  limitPrice: 6_400_000 as Ticks,
  postOnly: false,
  reduceOnly: false,
  submittedAtMs: 2_000 as EpochMs,
  reason: { code: 'JOIN_TOUCH', detail: '', figures: [10_000, 0, 0, 6_399_999, 6_400_001, Number.NaN] },
};

export const FILL: Fill = {
  tradeId: 99 as VenueTradeId,
  exchangeTradeId: '',
  venueOrderId: 'v-7' as VenueOrderId,
  quantity: 2_500 as Lots,
  price: 6_399_999 as Ticks,
  liquidity: 'MAKER',
  fee: 639_999_900_000_000_000n as Amount,
  feeCurrency: 'USDT',
};

const ORDER_SNAPSHOT: OrderSnapshot = {
  revision: 0,
  status: 'PARTIALLY_FILLED',
  legs: [{ quantity: PARENT.legs[0].quantity, filled: 2_500 as Lots, notional: (2_500n * 6_399_999n) as Notional }],
  quoteRate: 1,
  outcome: null,
  quarantine: null,
  cancelCause: null,
};

export const CHILD_SNAPSHOT: ChildSnapshot = {
  order: CHILD,
  status: 'PARTIALLY_FILLED',
  filled: 2_500 as Lots,
  notional: (2_500n * 6_399_999n) as Notional,
  outcome: null,
};

export function envelopeOf(event: AnyEvent, changes: Partial<EventEnvelope> = {}): EventEnvelope {
  return {
    seq: 1 as Seq,
    slot: 0,
    account: ACCOUNT,
    venue: 'BINANCE',
    otherVenue: null,
    orderId: PARENT.orderId,
    eventAtMs: 3_000 as EpochMs,
    recordedAtMs: 3_001 as EpochMs,
    correlationId: 0 as CorrelationId,
    causationSeq: 0,
    event,
    parent: ORDER_SNAPSHOT,
    child: null,
    ...changes,
  };
}

export const FILLED: EventEnvelope = envelopeOf(
  { kind: 'ChildFilled', leg: 0, child: CHILD.child, fill: FILL, isLate: false },
  { child: CHILD_SNAPSHOT },
);

export const ACCEPTED: EventEnvelope = envelopeOf({ kind: 'ParentAccepted' });

/** The same event of an order with two legs. */
export const ACCEPTED_PAIR: EventEnvelope = envelopeOf(
  { kind: 'ParentAccepted' },
  { parent: { ...ORDER_SNAPSHOT, legs: [ORDER_SNAPSHOT.legs[0], ORDER_SNAPSHOT.legs[0]] } },
);

export function balanceChanged(total: bigint): EventEnvelope {
  const amount = (total * 10n ** 18n) as Amount;
  return envelopeOf(
    { kind: 'BalanceChanged', venue: 'BINANCE', asset: 'USDT', total: amount, free: amount, version: 1 },
    { orderId: null, parent: null },
  );
}
