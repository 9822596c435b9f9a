import { describe, expect, it } from 'vitest';
import type { Command } from '../../src/model/command.js';
import type { AccountId, CorrelationId, OrderId } from '../../src/model/ids.js';
import { ANSWER_WAIT_MS } from '../../src/model/limits.js';
import type { RestingStatus } from '../../src/model/order.js';
import { IdAllocator } from '../../src/route/id-allocator.js';
import {
  OrderDesk,
  type ChangeOutcome,
  type CreateOutcome,
  type OrderChange,
  type StoredOrder,
} from '../../src/route/order-desk.js';
import { ShardLink } from '../../src/route/shard-link.js';
import type { ShardMemory } from '../../src/route/worker-data.js';
import { decodeCommand } from '../../src/wire/codec/index.js';
import { createBell } from '../../src/wire/doorbell.js';
import { createFaultFigures } from '../../src/wire/fault-figures.js';
import { createRing, RingConsumer } from '../../src/wire/ring.js';
import type { Lots } from '../../src/model/quantity.js';
import { orderOf } from '../shard/sample-orders.js';

const ALICE = 'alice' as AccountId;
const RING_BYTES = 4_096;
const SHARD_COUNT = 2;

function memoryOf(): ShardMemory {
  return {
    commands: createRing(RING_BYTES),
    events: createRing(RING_BYTES),
    requests: createRing(RING_BYTES),
    reports: createRing(RING_BYTES),
    bell: createBell(),
    beat: new SharedArrayBuffer(8),
    faults: createFaultFigures(),
  };
}

/** A desk of two shards whose threads are not there: the test reads their commands and answers for them. */
class Room {
  readonly links: ShardLink[];
  readonly desk: OrderDesk;
  readonly stored = new Map<OrderId, StoredOrder>();
  readonly outcomes: (CreateOutcome | ChangeOutcome)[] = [];
  nowMs = 0;
  sentCount = 0;
  lateRefusalCount = 0;

  constructor(isUp = true) {
    this.links = Array.from({ length: SHARD_COUNT }, (_, shard) => new ShardLink(shard, memoryOf()));
    for (const link of this.links) link.setUp(isUp);
    const blocks = { reserveOrderIds: (count: number) => ({ from: 1, to: 1 + count }) };
    this.desk = new OrderDesk({
      links: this.links,
      ids: new IdAllocator(blocks, () => this.nowMs),
      nowRealMs: () => this.nowMs,
      stored: (orderId) => this.stored.get(orderId) ?? null,
      onSent: () => void (this.sentCount += 1),
      onLateRefusal: () => void (this.lateRefusalCount += 1),
    });
  }

  create(): void {
    this.desk.create(orderOf(0, { account: ALICE }), (outcome) => this.outcomes.push(outcome));
  }

  change(change: OrderChange): void {
    this.desk.change(change, (outcome) => this.outcomes.push(outcome));
  }

  ask(kind: 'CancelParent' | 'PauseParent' | 'ResumeParent', orderId = 1): void {
    this.change({ kind, account: ALICE, orderId: orderId as OrderId });
  }

  store(orderId: number, status: RestingStatus, terms: Partial<StoredOrder> = {}): void {
    const order = orderOf(orderId, { account: ALICE });
    this.stored.set(order.orderId, { order, amendment: null, ...terms, status });
  }

  /** Takes what was sent to a shard. */
  sentTo(shard: number): Command[] {
    const commands: Command[] = [];
    new RingConsumer(this.links[shard]!.memory.commands).drain(
      Infinity,
      (bytes) => void commands.push(decodeCommand(bytes)),
    );
    return commands;
  }

  /** Lets the wait of every command pass. */
  giveUp(): void {
    this.nowMs += ANSWER_WAIT_MS;
    this.desk.sweep();
  }

  get pendingOrderIds(): OrderId[] {
    return [...this.desk.pendingOrders(ALICE)].map(({ order }) => order.orderId);
  }

  /** A shard answers a command with a durable event. */
  publish(correlationId: CorrelationId): void {
    this.desk.onShardMessage({ kind: 'Published', correlationId, account: ALICE, marks: [], envelope: null });
  }

  refuse(correlationId: CorrelationId): void {
    const rejection = { code: 'INVALID_ORDER', message: 'the order is not taken' } as const;
    this.desk.onShardMessage({ kind: 'Refused', correlationId, orderId: 1 as OrderId, rejection });
  }

  answer(correlationId: CorrelationId): void {
    this.desk.onShardMessage({ kind: 'Unchanged', correlationId, orderId: 1 as OrderId });
  }
}

/** A create and an amendment of shard 1 that it has not answered within the wait. */
function givenUp(): { readonly room: Room; readonly create: CorrelationId; readonly amend: CorrelationId } {
  const room = new Room();
  room.create();
  room.change({ kind: 'AmendParent', order: orderOf(3, { account: ALICE, revision: 1 }) });
  room.ask('CancelParent', 5);
  const [create, amend] = room.sentTo(1).map(({ correlationId }) => correlationId);
  room.giveUp();
  expect([room.outcomes.length, room.desk.pendingCount]).toEqual([3, 0]);
  return { room, create: create!, amend: amend! };
}

describe('OrderDesk', () => {
  it('gives each order the next id and sends it to the shard of that id', () => {
    const room = new Room();
    room.create();
    room.create();
    expect([room.sentTo(0), room.sentTo(1)]).toMatchObject([
      [{ kind: 'CreateParent', order: { orderId: 2, account: ALICE } }],
      [{ kind: 'CreateParent', order: { orderId: 1, account: ALICE } }],
    ]);
    expect([room.desk.pendingCount, room.sentCount, room.outcomes]).toEqual([2, 2, []]);
  });

  it('answers each command once, whatever comes later', () => {
    const room = new Room();
    room.create();
    const [command] = room.sentTo(1);
    room.answer(command!.correlationId);
    room.answer(command!.correlationId);
    room.desk.settleFromStore(1, true);
    expect(room.outcomes).toEqual([{ kind: 'created', orderId: 1, createdAtMs: orderOf(0).createdAtMs }]);
    expect(room.desk.pendingCount).toBe(0);
  });

  it('passes on why a shard refuses', () => {
    const room = new Room();
    room.ask('CancelParent');
    const [command] = room.sentTo(1);
    const rejection = { code: 'INVALID_ORDER', message: 'order_id 1 is not an open order' } as const;
    room.desk.onShardMessage({
      kind: 'Refused',
      correlationId: command!.correlationId,
      orderId: 1 as OrderId,
      rejection,
    });
    expect(room.outcomes).toEqual([{ kind: 'refused', rejection }]);
  });

  it('ignores answers that belong to no command', () => {
    const room = new Room();
    room.create();
    room.answer(99 as CorrelationId);
    room.answer(0 as CorrelationId);
    expect([room.outcomes, room.desk.pendingCount]).toEqual([[], 1]);
  });

  it('refuses at once while the shard is down', () => {
    const room = new Room(false);
    room.create();
    room.ask('PauseParent');
    const refusal = { kind: 'refused', rejection: { code: 'EMS_INSTANCES_DOWN' } };
    expect(room.outcomes).toMatchObject([refusal, refusal]);
    expect(room.outcomes[0]).not.toHaveProperty('unresolvedOrderId');
    expect(room.desk.pendingCount).toBe(0);
  });

  it('refuses at once while the ring of the shard is full', () => {
    const room = new Room();
    while (room.outcomes.length === 0) room.ask('CancelParent');
    const waitingCount = room.desk.pendingCount;
    expect(room.outcomes).toMatchObject([{ kind: 'refused', rejection: { code: 'SYSTEM_BUSY' } }]);
    expect(room.sentTo(1)).toHaveLength(waitingCount);
  });

  it('gives up after the wait, and says which order may still be placed', () => {
    const room = new Room();
    room.create();
    room.nowMs = ANSWER_WAIT_MS - 1;
    room.desk.sweep();
    expect(room.outcomes).toEqual([]);
    room.nowMs = ANSWER_WAIT_MS;
    room.desk.sweep();
    expect(room.outcomes).toMatchObject([
      { kind: 'refused', rejection: { code: 'SYSTEM_BUSY' }, unresolvedOrderId: 1 },
    ]);
  });

  it('gives up on a change without the id of an order that may be placed', () => {
    const room = new Room();
    room.ask('CancelParent');
    room.nowMs = ANSWER_WAIT_MS;
    room.desk.sweep();
    expect(room.outcomes).toMatchObject([{ kind: 'refused', rejection: { code: 'SYSTEM_BUSY' } }]);
    expect(room.outcomes[0]).not.toHaveProperty('unresolvedOrderId');
  });

  it('reads from the store what became of the commands of a shard that died', () => {
    const room = new Room();
    room.create();
    room.create();
    room.create();
    room.store(1, 'PENDING_NEW');
    room.desk.settleFromStore(1, true);
    expect(room.outcomes).toMatchObject([
      { kind: 'created', orderId: 1 },
      { kind: 'refused', rejection: { code: 'EMS_INSTANCES_DOWN' } },
    ]);
    // The order of the other shard goes on waiting.
    expect(room.desk.pendingCount).toBe(1);
  });

  it('leaves commands that the store does not show waiting while the shard lives', () => {
    const room = new Room();
    room.create();
    room.desk.settleFromStore(1, false);
    expect([room.outcomes, room.desk.pendingCount]).toEqual([[], 1]);
    room.store(1, 'ACCEPTED');
    room.desk.settleFromStore(1, false);
    expect(room.outcomes).toMatchObject([{ kind: 'created', orderId: 1 }]);
  });

  it.each([
    ['CancelParent', 'PENDING_CANCEL', 'pending'],
    ['CancelParent', 'CANCELLED', 'pending'],
    ['CancelParent', 'ACCEPTED', 'refused'],
    ['PauseParent', 'PAUSED', 'pending'],
    ['PauseParent', 'PARTIALLY_FILLED', 'refused'],
    ['ResumeParent', 'PENDING_UNPAUSE', 'pending'],
    ['ResumeParent', 'PAUSED', 'refused'],
  ] as const)('answers a lost %s of an order that is stored as %s with %s', (kind, status, expected) => {
    const room = new Room();
    room.ask(kind);
    room.store(1, status);
    room.desk.settleFromStore(1, true);
    expect(room.outcomes).toMatchObject([{ kind: expected }]);
  });

  describe('with the answer of an amendment lost', () => {
    const terms = orderOf(1, { account: ALICE, revision: 2, quantity: 70 as Lots });
    const before = orderOf(1, { account: ALICE, revision: 1, quantity: 50 as Lots });
    const other = { ...terms, quantity: 60 as Lots };

    it.each([
      ['hold', { order: terms, amendment: null }, 'pending'],
      ['wait for children to end', { order: before, amendment: terms }, 'pending'],
      ['are those from before', { order: before, amendment: null }, 'refused'],
      ['are those of another request with the same revision', { order: other, amendment: null }, 'refused'],
    ] as const)('reads the outcome from the store when the stored terms %s', (_title, stored, expected) => {
      const room = new Room();
      room.change({ kind: 'AmendParent', order: terms });
      room.store(1, 'ACCEPTED', stored);
      room.desk.settleFromStore(1, false);
      expect(room.desk.pendingCount).toBe(expected === 'pending' ? 0 : 1);
      room.desk.settleFromStore(1, true);
      expect(room.outcomes).toMatchObject([{ kind: expected }]);
    });
  });

  it('lists the orders that an account has asked for and not been answered', () => {
    const room = new Room();
    room.create();
    room.change({ kind: 'AmendParent', order: orderOf(7, { account: ALICE, revision: 1 }) });
    room.ask('CancelParent', 9);
    const pending = [...room.desk.pendingOrders(ALICE)].map(({ kind, order }) => [kind, order.orderId]);
    expect(pending).toEqual([
      ['CreateParent', 1],
      ['AmendParent', 7],
    ]);
    expect([...room.desk.pendingOrders('bob' as AccountId)]).toEqual([]);
  });

  describe('after a wait without an answer', () => {
    it('still lists the creates and amendments, which the shard may carry out', () => {
      expect(givenUp().room.pendingOrderIds).toEqual([1, 3]);
    });

    it('lists none that the shard has answered since', () => {
      const { room, create, amend } = givenUp();
      room.publish(create);
      expect([room.pendingOrderIds, room.lateRefusalCount]).toEqual([[3], 0]);
      room.refuse(amend);
      expect([room.pendingOrderIds, room.lateRefusalCount]).toEqual([[], 1]);
      expect(room.outcomes.length).toBe(3);
    });

    it('lists none once the same shard has published the answer of a later command', () => {
      const { room } = givenUp();
      room.create();
      room.create();
      room.publish(room.sentTo(0)[0]!.correlationId);
      expect(room.pendingOrderIds).toEqual([1, 3, 3]);
      room.publish(room.sentTo(1)[0]!.correlationId);
      expect(room.pendingOrderIds).toEqual([]);
    });

    it('lists those that the store does not show until the store is complete', () => {
      const { room } = givenUp();
      room.store(1, 'ACCEPTED');
      room.desk.settleFromStore(1, false);
      expect(room.pendingOrderIds).toEqual([3]);
      room.desk.settleFromStore(0, true);
      expect(room.pendingOrderIds).toEqual([3]);
      room.desk.settleFromStore(1, true);
      expect(room.pendingOrderIds).toEqual([]);
    });
  });
});
