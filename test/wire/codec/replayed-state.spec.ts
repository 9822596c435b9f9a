import { expect, it } from 'vitest';
import { OPERATOR_CAUSE } from '../../../src/domain/cancel-cause.js';
import type { OrderEvent } from '../../../src/domain/event.js';
import type {
  AccountId,
  ChildNumber,
  CorrelationId,
  Seq,
  VenueOrderId,
  VenueTradeId,
} from '../../../src/domain/ids.js';
import type { ChildOrder, ParentState } from '../../../src/domain/order-state.js';
import type { Amount, Lots, Ticks } from '../../../src/domain/quantity.js';
import type { EpochMs } from '../../../src/domain/time.js';
import { record } from '../../../src/order/snapshot.js';
import { foldEnvelope } from '../../../src/order/evolve.js';
import { decodeEvent, encodeEvent } from '../../../src/wire/codec/envelope.js';
import { decodeState, encodeState } from '../../../src/wire/codec/state.js';
import { plainInstrument } from '../../domain/plain-instrument.js';
import { plainOrder } from '../../domain/plain-order.js';
import { memoryOf } from '../../order/memories.js';

const START_MS = 1_790_000_000_000 as EpochMs;

function child(number: number): ChildOrder {
  return {
    child: number as ChildNumber,
    leg: 0,
    side: 'BUY',
    quantity: 100 as Lots,
    type: 'LIMIT',
    timeInForce: 'GTC',
    limitPrice: 6_000_000 as Ticks,
    postOnly: false,
    reduceOnly: false,
    submittedAtMs: START_MS,
    reason: { code: 'SLICE', detail: '' },
  };
}

function fillOf(number: number, tradeId: number): OrderEvent {
  const fill = {
    tradeId: tradeId as VenueTradeId,
    exchangeTradeId: '',
    venueOrderId: `v-${number}` as VenueOrderId,
    quantity: 40 as Lots,
    price: 6_000_000 as Ticks,
    liquidity: 'MAKER',
    fee: 600_000_000_000n as Amount,
    feeCurrency: 'USDT',
  } as const;
  return { kind: 'ChildFilled', leg: 0, child: number as ChildNumber, fill, isLate: false };
}

const EVENTS: readonly OrderEvent[] = [
  { kind: 'ParentCreated', order: plainOrder(plainInstrument(), START_MS, { quantity: 1_000 as Lots }) },
  { kind: 'ParentAccepted' },
  { kind: 'ParentStarted', legs: [{ arrivalTwiceMid: 12_000_000, memory: memoryOf() }] },
  { kind: 'ChildSubmitted', order: child(1), memory: memoryOf() },
  { kind: 'ChildAccepted', child: 1 as ChildNumber, venueOrderId: 'v-1' as VenueOrderId },
  fillOf(1, 1),
  { kind: 'ChildSubmitted', order: child(2), memory: null },
  { kind: 'ParentRestored', epoch: START_MS },
  { kind: 'ChildUnknown', child: 1 as ChildNumber },
  { kind: 'ChildAdopted', order: child(7), venueOrderId: 'v-7' as VenueOrderId },
  fillOf(7, 2),
  { kind: 'ChildCancelled', child: 7 as ChildNumber, cause: null },
  { kind: 'ParentReconciled', childRoom: 100 },
  {
    kind: 'ChildSubmitted',
    order: child(108),
    memory: { ...memoryOf(), pacing: { ...memoryOf(0.1).pacing, refusals: 2, takes: 3, filledAtTake: 40 as Lots } },
  },
  { kind: 'ReportContradicted', child: null, contradiction: 'UNKNOWN_CHILD', detail: 'child 900' },
  { kind: 'ParentQuarantined', code: 'CONTRADICTORY_REPORT', detail: 'child 900' },
  { kind: 'ParentReleased', cancelCause: OPERATOR_CAUSE },
];

it('gives the same bytes of a restored, quarantined order in a live fold and in replays from every event', () => {
  let live: ParentState | null = null;
  let replayed: ParentState | null = null;
  for (const [index, event] of EVENTS.entries()) {
    const atMs = (START_MS + index) as EpochMs;
    const recorded = record(live, event, atMs);
    live = recorded.state;
    const envelope = {
      seq: (index + 1) as Seq,
      slot: 0,
      account: 'demo' as AccountId,
      venue: 'BINANCE',
      otherVenue: null,
      orderId: live.order.orderId,
      eventAtMs: atMs,
      recordedAtMs: atMs,
      correlationId: 0 as CorrelationId,
      causationSeq: 0,
      event,
      parent: recorded.parent,
      child: recorded.child,
    } as const;
    const stored: ParentState | null = replayed === null ? null : decodeState(encodeState(replayed));
    replayed = foldEnvelope(stored, decodeEvent(encodeEvent(envelope)));
    expect(Buffer.from(encodeState(replayed)).toString('hex'), event.kind).toBe(
      Buffer.from(encodeState(live)).toString('hex'),
    );
  }
});
