import type { NumberedEvent, TurnJournal } from '../../src/journal/port.js';
import { describe, expect, it } from 'vitest';
import type { Amount } from '../../src/model/amount.js';
import type { Fill, OrderEvent } from '../../src/model/event.js';
import type {
  AccountId,
  ChildNumber,
  CorrelationId,
  OrderId,
  VenueOrderId,
  VenueTradeId,
} from '../../src/model/ids.js';
import type { Lots, Notional, Ticks } from '../../src/model/quantity.js';
import { evolve } from '../../src/order/evolve.js';
import { TurnBatch } from '../../src/shard/turn-batch.js';
import { FakeMain } from './fake-ports.js';
import { MemoryJournal } from './memory-journal.js';
import { BTC, orderOf, START_MS } from './sample-orders.js';

const NO_COMMAND = 0 as CorrelationId;
const COMMAND = 7 as CorrelationId;
const created = (orderId: number) => ({ kind: 'ParentCreated', order: orderOf(orderId) }) as const;

function lateFill(tradeId: number): OrderEvent {
  const fill: Fill = {
    tradeId: tradeId as VenueTradeId,
    venueOrderId: 'v1' as VenueOrderId,
    quantity: 10 as Lots,
    price: 5 as Ticks,
    liquidity: 'MAKER',
    fee: 0n as Amount,
    feeCurrency: 'USDT',
  };
  return { kind: 'ChildFilled', child: 1 as ChildNumber, isLate: true, fill };
}

function batchAt(nowMs = START_MS): TurnBatch {
  const batch = new TurnBatch();
  batch.begin(nowMs);
  return batch;
}

/** What the turn releases. */
function commit(batch: TurnBatch, journal: TurnJournal): readonly NumberedEvent[] {
  const released: NumberedEvent[] = [];
  batch.commit(journal, (events) => released.push(...events));
  return released;
}

describe('Events', () => {
  it('are folded at once and stored with one state an order', () => {
    const [batch, journal] = [batchAt(), new MemoryJournal()];
    const one = batch.create(created(1), BTC, COMMAND);
    const other = batch.create(created(2), BTC, COMMAND);
    batch.add(one, { kind: 'ParentAccepted' }, START_MS, NO_COMMAND);
    batch.add(other, { kind: 'ParentCancelRequested' }, START_MS, NO_COMMAND);
    batch.add(other, { kind: 'ParentCancelled', cause: null }, START_MS, NO_COMMAND);
    expect([one.state.status, other.state.status]).toEqual(['ACCEPTED', 'CANCELLED']);
    const numbered = commit(batch, journal);
    expect(numbered.map(({ envelope }) => [envelope.orderId, envelope.causationSeq, envelope.parent?.status])).toEqual([
      [1, 0, 'PENDING_NEW'],
      [2, 0, 'PENDING_NEW'],
      [1, 1, 'ACCEPTED'],
      [2, 2, 'PENDING_CANCEL'],
      [2, 2, 'CANCELLED'],
    ]);
    expect([journal.state(1 as OrderId), journal.state(2 as OrderId)]).toEqual([one.state, other.state]);
  });

  it('carry when they happened and when they were recorded', () => {
    const batch = batchAt();
    const actor = batch.create(created(1), BTC, COMMAND);
    const earlier = (START_MS - 5) as typeof START_MS;
    batch.add(actor, { kind: 'ParentAccepted' }, earlier, NO_COMMAND);
    expect(commit(batch, new MemoryJournal())[1]?.envelope).toMatchObject({
      eventAtMs: earlier,
      recordedAtMs: START_MS,
      slot: 1,
    });
  });

  it('of an order that has ended are folded one on the other', () => {
    const [batch, journal] = [batchAt(), new MemoryJournal()];
    let ended = evolve(null, created(1), START_MS);
    ended = evolve(ended, { kind: 'ParentRejected', rejection: { code: 'OTHER', message: '' } }, START_MS);
    const once = batch.addLate(ended, lateFill(1), START_MS);
    expect(batch.lateState(1 as OrderId)).toBe(once);
    batch.addLate(once, lateFill(2), START_MS);
    commit(batch, journal);
    expect(journal.state(1 as OrderId)).toMatchObject({ lateFills: 2, progress: { filled: 20 } });
  });

  it('that would break an invariant are never committed', () => {
    const [batch, journal] = [batchAt(), new MemoryJournal()];
    const actor = batch.create(created(1), BTC, COMMAND);
    actor.state = { ...actor.state, progress: { filled: 1_001 as Lots, notional: 0n as Notional } };
    expect(() => commit(batch, journal)).toThrow('never exceeds its quantity');
    expect(journal.entries).toHaveLength(0);
  });
});

describe('A batch', () => {
  it('without events makes no commit, yet has answers and requests to release', () => {
    const [batch, journal, main] = [batchAt(), new MemoryJournal(), new FakeMain([])];
    expect(batch.isEmpty).toBe(true);
    batch.answer(COMMAND, 1 as OrderId, { code: 'SYSTEM_BUSY', message: 'full' });
    batch.answer(COMMAND, 2 as OrderId, null);
    batch.requests.push({ kind: 'QueryFunds', correlationId: NO_COMMAND, account: 'a' as AccountId, venue: 'OKX' });
    expect(batch.isEmpty).toBe(false);
    expect(commit(batch, journal)).toEqual([]);
    expect(journal.turns).toEqual([]);
    expect(batch.releaseAnswers(main)).toBe(0);
    expect(main.messages.map(({ kind }) => kind)).toEqual(['Refused', 'Unchanged']);
    main.isFull = true;
    expect(batch.releaseAnswers(main)).toBe(2);
  });

  it('is empty after it was cleared, and its orders may be touched again', () => {
    const batch = batchAt();
    const actor = batch.create(created(1), BTC, COMMAND);
    expect(batch.noteTrade(1 as OrderId, 1 as ChildNumber, 4 as VenueTradeId)).toBe(false);
    expect(batch.noteTrade(1 as OrderId, 1 as ChildNumber, 4 as VenueTradeId)).toBe(true);
    batch.clear();
    expect(batch.isEmpty).toBe(true);
    expect(batch.noteTrade(1 as OrderId, 1 as ChildNumber, 4 as VenueTradeId)).toBe(false);
    batch.add(actor, { kind: 'ParentAccepted' }, START_MS, NO_COMMAND);
    const touched: unknown[] = [];
    batch.forEachTouched((one) => touched.push(one));
    expect(touched).toEqual([actor]);
  });
});
