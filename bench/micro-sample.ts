import type { EventEnvelope, OrderEvent } from '../src/model/event.js';
import {
  slotOf,
  type AccountId,
  type ChildNumber,
  type CorrelationId,
  type OrderId,
  type Seq,
  type VenueOrderId,
  type VenueTradeId,
} from '../src/model/ids.js';
import type { Amount } from '../src/model/amount.js';
import type { Instrument } from '../src/model/instrument.js';
import type { ParentOrder, ParentState } from '../src/model/order.js';
import type { Lots, Ticks } from '../src/model/quantity.js';
import { isRejected } from '../src/model/rejection.js';
import type { EpochMs } from '../src/model/time.js';
import type { ExecutionReport } from '../src/model/venue-message.js';
import { draftOf } from '../src/http/parse/order-draft.js';
import { parseOrderRequest } from '../src/http/parse/order-request.js';
import { digestOf } from '../src/http/parse/request-digest.js';
import { record } from '../src/order/standing.js';
import { buildCatalogue } from '../src/venue/index.js';

/** One TWAP as a client sends it, and what the service makes of it on its way. */
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

export const INSTRUMENT: Instrument = CATALOGUE.at(draft.instrument);

export function parentOrder(orderId: number, startAtMs: EpochMs = draft.startAtMs): ParentOrder {
  return { ...draft, orderId: orderId as OrderId, startAtMs };
}

const ORDER = parentOrder(1_000_000);

const LIFE: readonly OrderEvent[] = [
  { kind: 'ParentCreated', order: ORDER },
  { kind: 'ParentAccepted' },
  { kind: 'ParentStarted', arrivalTwiceMid: 12_800_100, memory: [120, 0, 0, 0, 0, 0] },
  {
    kind: 'ChildSubmitted',
    order: {
      child: CHILD,
      side: 'BUY',
      quantity: 208 as Lots,
      type: 'LIMIT',
      timeInForce: 'GTC',
      limitPrice: 6_400_000 as Ticks,
      postOnly: false,
      reduceOnly: false,
      submittedAtMs: NOW_MS,
      reason: { code: 'JOIN_TOUCH', detail: 'target=208 filled=0 working=0 bid=6400000 ask=6400100' },
    },
    memory: [120, 1, 625, 1_800_000_001_000, 0, 0],
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

const [created] = LIFE.map(envelopeOf);
if (created === undefined || state === null) throw new Error('the sample order was not created');

export const CREATED: EventEnvelope = created;
/** With one child in the book. */
export const WORKING: ParentState = state;
export const FILLED: EventEnvelope = envelopeOf({
  kind: 'ChildFilled',
  child: CHILD,
  fill: FILL_REPORT.fill,
  isLate: false,
});
