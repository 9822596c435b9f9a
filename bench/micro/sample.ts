import { INITIAL_PACING, type TwapMemory } from '../../src/domain/strategy-memory.js';
import type { EventEnvelope, OrderEvent } from '../../src/domain/event.js';
import {
  slotOf,
  type AccountId,
  type ChildNumber,
  type CorrelationId,
  type OrderId,
  type Seq,
  type VenueOrderId,
  type VenueTradeId,
} from '../../src/domain/ids.js';
import type { Amount, Lots, Ticks } from '../../src/domain/quantity.js';
import type { Instrument } from '../../src/domain/instrument.js';
import type { ParentState } from '../../src/domain/order-state.js';
import type { ParentOrder } from '../../src/domain/order.js';
import { isRejected } from '../../src/domain/rejection.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { ExecutionReport } from '../../src/domain/venue-report.js';
import { draftOf } from '../../src/api/order/order-parser.js';
import { parseOrderRequest } from '../../src/api/order/order-parser.js';
import { digestOf } from '../../src/api/order/order-parser.js';
import { record } from '../../src/order/snapshot.js';
import { buildCatalogue } from '../../src/venue/listing/catalogue.js';

/** A TWAP as a client sends it, and its forms within the service. */
export const CATALOGUE = buildCatalogue();
export const NOW_MS = 1_800_000_000_000 as EpochMs;
export const ACCOUNT = 'bench' as AccountId;
const CHILD = 1 as ChildNumber;
const VENUE_ORDER = '1000001' as VenueOrderId;

export const CREATE_BODY = Buffer.from(
  JSON.stringify({
    client_order_id: 'rebalance-2027-01-15-0001',
    exchange: 'BINANCE',
    symbol: 'BTC/USDT',
    asset_category: 'SPOT',
    side: 'BUY',
    quantity: '0.25',
    strategy: 'TWAP',
    limit_price: '65000',
    params: { duration_seconds: '3600', trading_style: 'HYBRID' },
  }),
);

const request = parseOrderRequest(JSON.parse(CREATE_BODY.toString()), CATALOGUE);
if (isRejected(request)) throw new Error(request.rejection.message);
const draft = draftOf(request, digestOf(request), ACCOUNT, NOW_MS);

export const INSTRUMENT: Instrument = CATALOGUE.at(draft.legs[0].instrument);

export function parentOrder(orderId: number, startAtMs: EpochMs = draft.startAtMs): ParentOrder {
  return { ...draft, orderId: orderId as OrderId, startAtMs };
}

const ORDER = parentOrder(1_000_000);

const MEMORY: TwapMemory = {
  kind: 'TWAP',
  ...INITIAL_PACING,
  slotCount: 120,
  step: 0,
  ceiling: 0 as Lots,
  endMs: 1_800_003_600_000 as EpochMs,
  kept: null,
};

const EVENTS: readonly OrderEvent[] = [
  { kind: 'ParentCreated', order: ORDER },
  { kind: 'ParentAccepted' },
  { kind: 'ParentStarted', legs: [{ arrivalTwiceMid: 12_800_100, memory: MEMORY }] },
  {
    kind: 'ChildSubmitted',
    order: {
      child: CHILD,
      leg: 0,
      side: 'BUY',
      quantity: 208 as Lots,
      type: 'LIMIT',
      timeInForce: 'GTC',
      limitPrice: 6_400_000 as Ticks,
      postOnly: false,
      reduceOnly: false,
      submittedAtMs: NOW_MS,
      reason: { code: 'JOIN_TOUCH', detail: '', figures: [208, 0, 0, 6_400_000, 6_400_100, 512_000] },
    },
    memory: {
      ...MEMORY,
      pacing: { ...INITIAL_PACING.pacing, heldUntilMs: 1_800_000_001_000 as EpochMs },
      step: 1,
      ceiling: 625 as Lots,
    },
  },
  { kind: 'ChildAccepted', child: CHILD, venueOrderId: VENUE_ORDER },
];

export const FILL_REPORT: ExecutionReport = {
  kind: 'Filled',
  account: ACCOUNT,
  venue: 'BINANCE',
  orderId: ORDER.orderId,
  child: CHILD,
  atMs: NOW_MS,
  fill: {
    tradeId: 5_000_001 as VenueTradeId,
    exchangeTradeId: '',
    venueOrderId: VENUE_ORDER,
    quantity: 100 as Lots,
    price: 6_400_000 as Ticks,
    liquidity: 'MAKER',
    fee: 64_000_000_000_000_000n as Amount,
    feeCurrency: 'USDT',
  },
};

let state: ParentState | null = null;

function envelopeOf(event: OrderEvent): EventEnvelope {
  const recorded = record(state, event, NOW_MS);
  state = recorded.state;
  return {
    seq: 12_345_678 as Seq,
    slot: slotOf(ORDER.orderId),
    account: ACCOUNT,
    venue: 'BINANCE',
    otherVenue: null,
    orderId: ORDER.orderId,
    eventAtMs: NOW_MS,
    recordedAtMs: NOW_MS,
    correlationId: 77 as CorrelationId,
    causationSeq: 0,
    event,
    parent: recorded.parent,
    child: recorded.child,
  };
}

const [created] = EVENTS.map(envelopeOf);
if (created === undefined || state === null) throw new Error('the sample order was not created');

export const CREATED: EventEnvelope = created;
/** Has one child in the book. */
export const WORKING: ParentState = state;
export const FILLED: EventEnvelope = envelopeOf({
  kind: 'ChildFilled',
  leg: 0,
  child: CHILD,
  fill: FILL_REPORT.fill,
  isLate: false,
});
