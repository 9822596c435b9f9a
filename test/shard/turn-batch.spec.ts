import type { NumberedEvent, TurnJournal } from '../../src/journal/port.js';
import { describe, expect, it } from 'vitest';
import type { Amount, Lots, Notional, Ticks } from '../../src/domain/quantity.js';
import type { Fill, OrderEvent } from '../../src/domain/event.js';
import type {
  AccountId,
  ChildNumber,
  CorrelationId,
  OrderId,
  VenueOrderId,
  VenueTradeId,
  Seq,
} from '../../src/domain/ids.js';
import { evolve } from '../../src/order/evolve.js';
import { TurnBatch, type TurnOutput } from '../../src/shard/turn-batch.js';
import { MemoryJournal } from './memory-journal.js';
import { BTC, orderOf, START_MS } from './sample-orders.js';
import { record } from '../../src/order/snapshot.js';
import type { ParentState } from '../../src/domain/order-state.js';

const NO_COMMAND = 0 as CorrelationId;
const COMMAND = 7 as CorrelationId;
/** seq of the creation of an order. */
const SEQ = 99 as Seq;
const created = (orderId: number) => ({ kind: 'ParentCreated', order: orderOf(orderId) }) as const;

function lateFill(tradeId: number): OrderEvent {
  const fill: Fill = {
    tradeId: tradeId as VenueTradeId,
    exchangeTradeId: '',
    venueOrderId: 'v1' as VenueOrderId,
    quantity: 10 as Lots,
    price: 5 as Ticks,
    liquidity: 'MAKER',
    fee: 0n as Amount,
    feeCurrency: 'USDT',
  };
  return { kind: 'ChildFilled', leg: 0, child: 1 as ChildNumber, isLate: true, fill };
}

function batchAt(nowMs = START_MS): TurnBatch {
  const batch = new TurnBatch();
  batch.begin(nowMs);
  return batch;
}

/** A decision with one event. */
function decided(before: ParentState | null, event: OrderEvent) {
  return { recorded: [record(before, event, START_MS)] };
}

function stateOf(orderId: number): ParentState {
  return evolve(null, created(orderId), START_MS);
}

/** The events that the turn releases. */
function commit(batch: TurnBatch, journal: TurnJournal): readonly NumberedEvent[] {
  const released: NumberedEvent[] = [];
  batch.commit(journal, ({ events }) => released.push(...events));
  return released;
}

/** What the turn releases. */
function outputOf(batch: TurnBatch, journal: TurnJournal): TurnOutput | null {
  let released: TurnOutput | null = null;
  batch.commit(journal, (output) => (released = output));
  return released;
}

describe('Events', () => {
  it('are folded at once and stored with one state for each order', () => {
    const [batch, journal] = [batchAt(), new MemoryJournal()];
    const one = batch.adopt(stateOf(1), BTC, SEQ);
    const other = batch.adopt(stateOf(2), BTC, SEQ);
    batch.add(one, decided(one.state, { kind: 'ParentAccepted' }), START_MS, NO_COMMAND);
    batch.add(other, decided(other.state, { kind: 'ParentCancelRequested', cancelCause: null }), START_MS, NO_COMMAND);
    batch.add(
      other,
      decided(other.state, { kind: 'ParentCancelled', cause: null, cancelCause: null }),
      START_MS,
      NO_COMMAND,
    );
    expect([one.state.status, other.state.status]).toEqual(['ACCEPTED', 'CANCELLED']);
    const numbered = commit(batch, journal);
    expect(numbered.map(({ envelope }) => [envelope.orderId, envelope.causationSeq, envelope.parent?.status])).toEqual([
      [1, SEQ, 'ACCEPTED'],
      [2, SEQ, 'PENDING_CANCEL'],
      [2, SEQ, 'CANCELLED'],
    ]);
    expect([journal.state(1 as OrderId), journal.state(2 as OrderId)]).toEqual([one.state, other.state]);
  });

  it('of a later turn are not caused by the creation', () => {
    const [batch, journal] = [batchAt(), new MemoryJournal()];
    const actor = batch.adopt(stateOf(1), BTC, SEQ);
    batch.add(actor, decided(actor.state, { kind: 'ParentAccepted' }), START_MS, NO_COMMAND);
    commit(batch, journal);
    batch.clear();
    batch.add(actor, decided(actor.state, { kind: 'ParentCancelRequested', cancelCause: null }), START_MS, NO_COMMAND);
    batch.add(
      actor,
      decided(actor.state, { kind: 'ParentCancelled', cause: null, cancelCause: null }),
      START_MS,
      NO_COMMAND,
    );
    expect(commit(batch, journal).map(({ envelope }) => envelope.causationSeq)).toEqual([0, 2]);
  });

  it('have the time of the event and the time of the record', () => {
    const batch = batchAt();
    const actor = batch.adopt(stateOf(1), BTC, SEQ);
    const earlier = (START_MS - 5) as typeof START_MS;
    batch.add(actor, decided(actor.state, { kind: 'ParentAccepted' }), earlier, NO_COMMAND);
    expect(commit(batch, new MemoryJournal())[0]?.envelope).toMatchObject({
      eventAtMs: earlier,
      recordedAtMs: START_MS,
      slot: 1,
    });
  });

  it('are folded one after another when their order has ended', () => {
    const [batch, journal] = [batchAt(), new MemoryJournal()];
    let ended = evolve(null, created(1), START_MS);
    ended = evolve(ended, { kind: 'ParentRejected', rejection: { code: 'OTHER', message: '' } }, START_MS);
    const once = decided(ended, lateFill(1));
    batch.addLate(once, START_MS);
    expect(batch.lateState(1 as OrderId)).toBe(once.recorded[0]!.state);
    batch.addLate(decided(once.recorded[0]!.state, lateFill(2)), START_MS);
    commit(batch, journal);
    expect(journal.state(1 as OrderId)).toMatchObject({ lateFills: 2, legs: [{ progress: { filled: 20 } }] });
  });

  it('are not committed when they would break an invariant', () => {
    const [batch, journal] = [batchAt(), new MemoryJournal()];
    const actor = batch.adopt(stateOf(1), BTC, SEQ);
    const progress = { filled: 1_001 as Lots, notional: 0n as Notional };
    batch.add(actor, decided(actor.state, { kind: 'ParentAccepted' }), START_MS, NO_COMMAND);
    actor.state = { ...actor.state, legs: [{ ...actor.state.legs[0], progress }] };
    expect(() => commit(batch, journal)).toThrow('never exceeds its quantity');
    expect(journal.entries).toHaveLength(0);
  });
});

describe('A batch', () => {
  it('makes no commit without events, but releases answers and requests', () => {
    const [batch, journal] = [batchAt(), new MemoryJournal()];
    expect(batch.isEmpty).toBe(true);
    batch.answer(COMMAND, 1 as OrderId, { code: 'SYSTEM_BUSY', message: 'full' });
    batch.answer(COMMAND, 2 as OrderId, null);
    batch.requests.push({ kind: 'QueryFunds', correlationId: NO_COMMAND, account: 'a' as AccountId, venue: 'OKX' });
    expect(batch.isEmpty).toBe(false);
    expect(outputOf(batch, journal)).toEqual({
      events: [],
      answers: [
        { correlationId: COMMAND, orderId: 1, rejection: { code: 'SYSTEM_BUSY', message: 'full' } },
        { correlationId: COMMAND, orderId: 2, rejection: null },
      ],
      requests: [{ kind: 'QueryFunds', correlationId: NO_COMMAND, account: 'a', venue: 'OKX' }],
    });
    expect(journal.turns).toEqual([]);
  });

  it('is empty after a clear, and its orders may be touched again', () => {
    const batch = batchAt();
    const actor = batch.adopt(stateOf(1), BTC, SEQ);
    expect(batch.noteTrade(1 as OrderId, 1 as ChildNumber, 4 as VenueTradeId)).toBe(false);
    expect(batch.noteTrade(1 as OrderId, 1 as ChildNumber, 4 as VenueTradeId)).toBe(true);
    batch.clear();
    expect(batch.isEmpty).toBe(true);
    expect(batch.noteTrade(1 as OrderId, 1 as ChildNumber, 4 as VenueTradeId)).toBe(false);
    batch.add(actor, decided(actor.state, { kind: 'ParentAccepted' }), START_MS, NO_COMMAND);
    const touched: unknown[] = [];
    batch.forEachTouched((one) => touched.push(one));
    expect(touched).toEqual([actor]);
  });
});
