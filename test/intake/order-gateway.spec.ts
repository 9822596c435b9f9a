import { describe, expect, it } from 'vitest';
import { KILL_SWITCH_CAUSE } from '../../src/domain/cancel-cause.js';
import type { ChangeOutcome, Command, CreateOutcome, OrderChange } from '../../src/domain/command.js';
import { type StoredOrder, OrderGateway } from '../../src/intake/order-gateway.js';
import { IdAllocator } from '../../src/intake/order-ids.js';
import type { AccountId, CorrelationId, OrderId } from '../../src/domain/ids.js';
import { ANSWER_WAIT_MS } from '../../src/domain/limits/clients.js';
import type { SettledStatus } from '../../src/domain/order.js';
import { ShardClient } from '../../src/intake/shard-client.js';
import { createFaultFigures, type ShardMemory } from '../../src/wire/worker-data.js';
import { decodeCommand } from '../../src/wire/codec/command.js';
import { BlockingBell, createBell } from '../../src/wire/bell.js';
import { createRing, RingConsumer } from '../../src/wire/ring.js';
import type { Lots } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { orderOf } from '../shard/sample-orders.js';
import { withTerms } from '../domain/plain-order.js';
import { OPEN_PARENTS_PER_SHARD_MAX } from '../../src/domain/limits/trading.js';
import { createAccountCounts, createAccountMemory } from '../../src/wire/account-counts.js';
import { createFollowedAccounts } from '../../src/wire/followed-accounts.js';
import { HeldReads } from '../journal/held-reads.js';
import { HeldJournal } from './held-journal.js';

const ALICE = 'alice' as AccountId;
const RING_BYTES = 4_096;
const SHARD_COUNT = 2;

function memoryOf(): ShardMemory {
  return {
    commands: createRing(RING_BYTES),
    events: createRing(RING_BYTES),
    requests: createRing(RING_BYTES),
    reports: createRing(RING_BYTES),
    appends: createRing(RING_BYTES),
    places: createRing(RING_BYTES),
    bell: createBell(),
    beat: new SharedArrayBuffer(8),
    faults: createFaultFigures(),
    followed: createFollowedAccounts(),
    accounts: createAccountMemory(),
    openOrders: createAccountCounts(),
    latestEvents: createAccountCounts(),
  };
}

/** A gateway to two shards without threads: the test reads their commands and answers for them. */
class GatewayRig {
  readonly links: ShardClient[];
  readonly gateway: OrderGateway;
  readonly stored = new Map<OrderId, StoredOrder>();
  readonly reads = new HeldReads({ complete: () => this.#snapshot(), recent: () => this.#snapshot() });
  readonly outcomes: (CreateOutcome | ChangeOutcome)[] = [];
  readonly journal = new HeldJournal();
  /** Orders that became durable. */
  readonly created: (OrderId | null)[] = [];
  nowMs = 0;
  lateNoEffectCount = 0;

  constructor(isUp = true) {
    this.links = Array.from({ length: SHARD_COUNT }, (_, shard) => new ShardClient(shard, memoryOf()));
    for (const link of this.links) link.setUp(isUp);
    const blocks = { reserveOrderIds: (count: number) => ({ from: 1, to: 1 + count }) };
    this.gateway = new OrderGateway({
      links: this.links,
      ids: new IdAllocator(blocks, () => this.nowMs),
      nowRealMs: () => this.nowMs,
      clock: { nowMs: () => this.nowMs as EpochMs },
      journal: this.journal,
      openOrders: { add: () => undefined },
      onDurable: () => undefined,
      onCreated: ({ envelope }) => this.created.push(envelope.orderId),
      whenComplete: this.reads.when,
      onLateNoEffect: () => void (this.lateNoEffectCount += 1),
    });
  }

  create(): void {
    this.gateway.create(orderOf(0, { account: ALICE }), (outcome) => this.outcomes.push(outcome));
  }

  change(change: OrderChange): void {
    this.gateway.change(change, (outcome) => this.outcomes.push(outcome));
  }

  ask(kind: 'CancelParent' | 'PauseParent' | 'ResumeParent', orderId = 1): void {
    const named = { account: ALICE, orderId: orderId as OrderId };
    this.change(kind === 'CancelParent' ? { kind, ...named, cancelCause: KILL_SWITCH_CAUSE } : { kind, ...named });
  }

  store(orderId: number, status: SettledStatus, terms: Partial<StoredOrder> = {}): void {
    const order = orderOf(orderId, { account: ALICE });
    this.stored.set(order.orderId, { order, amendment: null, ...terms, status });
  }

  /** What is stored now. */
  #snapshot() {
    const stored = new Map(this.stored);
    return { order: (orderId: OrderId) => stored.get(orderId) ?? null };
  }

  settleAll(shard: number): void {
    this.gateway.settleAll(shard, this.#snapshot());
  }

  /** Reads the commands that were sent to a shard. */
  sentTo(shard: number): Command[] {
    const commands: Command[] = [];
    new RingConsumer(this.links[shard]!.memory.commands).drain(
      Infinity,
      (bytes) => void commands.push(decodeCommand(bytes)),
    );
    return commands;
  }

  /** Advances the time past the wait of every command. */
  giveUp(): void {
    this.nowMs += ANSWER_WAIT_MS;
    this.gateway.sweep();
  }

  get pendingOrderIds(): OrderId[] {
    return [...this.gateway.pendingOrders(ALICE)].map(({ order }) => order.orderId);
  }

  /** Answers a command with a durable event of its shard. */
  publish(correlationId: CorrelationId): void {
    this.gateway.onShardMessage({ kind: 'Published', correlationId, account: ALICE, marks: [], envelope: null });
  }

  refuse(correlationId: CorrelationId): void {
    const rejection = { code: 'INVALID_ORDER', message: 'the order is not taken' } as const;
    this.gateway.onShardMessage({ kind: 'Refused', correlationId, orderId: 1 as OrderId, rejection });
  }

  answer(correlationId: CorrelationId): void {
    this.gateway.onShardMessage({ kind: 'Unchanged', correlationId, orderId: 1 as OrderId });
  }
}

/** A create that is not durable within the wait, and an amendment that shard 1 has not answered within it. */
function givenUp(): { readonly rig: GatewayRig; readonly amend: CorrelationId } {
  const rig = new GatewayRig();
  rig.create();
  rig.change({ kind: 'AmendParent', order: orderOf(3, { account: ALICE, revision: 1 }) });
  rig.ask('CancelParent', 5);
  const [amend] = rig.sentTo(1).map(({ correlationId }) => correlationId);
  rig.giveUp();
  expect([rig.outcomes.length, rig.gateway.pendingCount]).toEqual([3, 0]);
  return { rig, amend: amend! };
}

describe('OrderGateway', () => {
  it('lets a request wait for the creates of its account that are not durable', () => {
    const rig = new GatewayRig();
    const ran: AccountId[] = [];
    const wait = (account = ALICE): boolean => rig.gateway.afterPending(account, () => ran.push(account));
    expect(wait()).toBe(false);
    rig.create();
    expect([wait('bob' as AccountId), wait(), ran]).toEqual([false, true, []]);
    rig.gateway.releaseDurable();
    expect([ran, rig.outcomes.length, wait()]).toEqual([[ALICE], 1, false]);
  });

  it('makes each order durable, then sends it to the shard of its id and answers', () => {
    const rig = new GatewayRig();
    rig.create();
    rig.create();
    expect([rig.sentTo(0), rig.sentTo(1), rig.outcomes, rig.gateway.pendingCount]).toEqual([[], [], [], 2]);
    rig.gateway.releaseDurable();
    expect([rig.sentTo(0), rig.sentTo(1)]).toMatchObject([
      [{ kind: 'CreateParent', order: { orderId: 2, account: ALICE }, seq: 2 }],
      [{ kind: 'CreateParent', order: { orderId: 1, account: ALICE }, seq: 1 }],
    ]);
    const { createdAtMs } = orderOf(0);
    expect(rig.outcomes).toEqual([1, 2].map((orderId) => ({ kind: 'created', orderId, createdAtMs })));
    expect([rig.created, rig.gateway.pendingCount]).toEqual([[1, 2], 0]);
  });

  it('refuses a create while too much waits for the disk', () => {
    const rig = new GatewayRig();
    rig.journal.isFull = true;
    rig.create();
    expect(rig.outcomes).toMatchObject([{ kind: 'refused', rejection: { code: 'SYSTEM_BUSY' } }]);
    expect([rig.gateway.pendingCount, rig.pendingOrderIds]).toEqual([0, []]);
  });

  it('refuses a create while its shard works as many orders as it may', () => {
    const rig = new GatewayRig();
    Atomics.store(new Int32Array(rig.links[1]!.memory.beat), 1, OPEN_PARENTS_PER_SHARD_MAX);
    rig.create();
    const message = 'shard 1 works 1000000 open orders, its maximum; nothing was placed';
    expect(rig.outcomes).toEqual([{ kind: 'refused', rejection: { code: 'SYSTEM_BUSY', message } }]);
  });

  it('has room in the ring of the shard for each create that it appends, whatever else it sends', () => {
    const rig = new GatewayRig();
    const isRefused = (): boolean => rig.outcomes.length > 0;
    while (!isRefused()) rig.create();
    const waitingCount = rig.gateway.pendingCount;
    expect(rig.outcomes).toMatchObject([{ kind: 'refused', rejection: { code: 'SYSTEM_BUSY' } }]);
    for (let count = 0; count < 100; count += 1) rig.ask('CancelParent', 1_001 + (count % 2));
    rig.gateway.releaseDurable();
    const creates = [...rig.sentTo(0), ...rig.sentTo(1)].filter(({ kind }) => kind === 'CreateParent');
    expect(creates).toHaveLength(waitingCount);
  });

  it('gives the shards all durable creates and wakes them before it answers the first one', () => {
    const rig = new GatewayRig();
    const bells = rig.links.map(({ memory }) => new BlockingBell(memory.bell));
    const seen: unknown[] = [];
    const onAnswer = (): void => void seen.push([rig.sentTo(0).length, rig.sentTo(1).length, bells[0]!.wait(0)]);
    for (let count = 0; count < 4; count += 1) rig.gateway.create(orderOf(0, { account: ALICE }), onAnswer);
    expect(bells.map((bell) => bell.wait(0))).toEqual(['timed out', 'timed out']);
    rig.gateway.releaseDurable();
    expect(seen[0]).toEqual([2, 2, 'rung']);
    expect(seen.slice(1)).toEqual(Array.from({ length: 3 }, () => [0, 0, 'timed out']));
  });

  it('makes an order durable whose shard dies meanwhile', () => {
    const rig = new GatewayRig();
    rig.create();
    rig.links[1]!.setUp(false);
    rig.links[1]!.renewMemory();
    rig.gateway.settleShown(1);
    rig.gateway.releaseDurable();
    expect(rig.outcomes).toMatchObject([{ kind: 'created', orderId: 1 }]);
    expect(rig.sentTo(1)).toMatchObject([{ kind: 'CreateParent', seq: 1 }]);
  });

  it('sends a change of an order after the order itself', () => {
    const rig = new GatewayRig();
    rig.create();
    rig.ask('CancelParent', 1);
    rig.ask('CancelParent', 3);
    expect(rig.sentTo(1)).toMatchObject([{ kind: 'CancelParent', orderId: 3 }]);
    rig.gateway.releaseDurable();
    expect(rig.sentTo(1)).toMatchObject([{ kind: 'CreateParent' }, { kind: 'CancelParent', orderId: 1 }]);
  });

  it('answers a change whose order is not durable in time, and sends it after the order all the same', () => {
    const rig = new GatewayRig();
    rig.create();
    rig.nowMs += 1;
    rig.ask('CancelParent');
    rig.giveUp();
    expect(rig.outcomes).toMatchObject([
      { kind: 'refused', unresolvedOrderId: 1 },
      { kind: 'refused', isUnresolved: true, rejection: { code: 'SYSTEM_BUSY' } },
    ]);
    rig.gateway.releaseDurable();
    expect(rig.sentTo(1).map(({ kind }) => kind)).toEqual(['CreateParent', 'CancelParent']);
    expect(rig.outcomes).toHaveLength(2);
  });

  it('answers each command once, also when further messages arrive', () => {
    const rig = new GatewayRig();
    rig.ask('CancelParent');
    const [command] = rig.sentTo(1);
    rig.answer(command!.correlationId);
    rig.answer(command!.correlationId);
    rig.settleAll(1);
    expect(rig.outcomes).toEqual([{ kind: 'pending', orderId: 1 }]);
    expect(rig.gateway.pendingCount).toBe(0);
  });

  it('answers with the reason of the shard that refuses', () => {
    const rig = new GatewayRig();
    rig.ask('CancelParent');
    const [command] = rig.sentTo(1);
    const rejection = { code: 'INVALID_ORDER', message: 'order_id 1 is not an open order' } as const;
    rig.gateway.onShardMessage({
      kind: 'Refused',
      correlationId: command!.correlationId,
      orderId: 1 as OrderId,
      rejection,
    });
    expect(rig.outcomes).toEqual([{ kind: 'refused', rejection }]);
  });

  it('ignores answers to unknown commands', () => {
    const rig = new GatewayRig();
    rig.create();
    rig.answer(99 as CorrelationId);
    rig.answer(0 as CorrelationId);
    expect([rig.outcomes, rig.gateway.pendingCount]).toEqual([[], 1]);
  });

  it('refuses at once while the shard is down', () => {
    const rig = new GatewayRig(false);
    rig.create();
    rig.ask('PauseParent');
    const refusal = { kind: 'refused', rejection: { code: 'EMS_INSTANCES_DOWN' } };
    expect(rig.outcomes).toMatchObject([refusal, refusal]);
    expect(rig.outcomes[0]).not.toHaveProperty('unresolvedOrderId');
    expect(rig.gateway.pendingCount).toBe(0);
  });

  it('refuses at once while the ring of the shard is full', () => {
    const rig = new GatewayRig();
    while (rig.outcomes.length === 0) rig.ask('CancelParent');
    const waitingCount = rig.gateway.pendingCount;
    expect(rig.outcomes).toMatchObject([{ kind: 'refused', rejection: { code: 'SYSTEM_BUSY' } }]);
    expect(rig.sentTo(1)).toHaveLength(waitingCount);
  });

  it('gives up after the wait and names the order that may still be placed', () => {
    const rig = new GatewayRig();
    rig.create();
    rig.nowMs = ANSWER_WAIT_MS - 1;
    rig.gateway.sweep();
    expect(rig.outcomes).toEqual([]);
    rig.nowMs = ANSWER_WAIT_MS;
    rig.gateway.sweep();
    expect(rig.outcomes).toMatchObject([{ kind: 'refused', rejection: { code: 'SYSTEM_BUSY' }, unresolvedOrderId: 1 }]);
  });

  it('gives up on a change without naming an order that may still be placed', () => {
    const rig = new GatewayRig();
    rig.ask('CancelParent');
    rig.nowMs = ANSWER_WAIT_MS;
    rig.gateway.sweep();
    expect(rig.outcomes).toMatchObject([{ kind: 'refused', rejection: { code: 'SYSTEM_BUSY' } }]);
    expect(rig.outcomes[0]).not.toHaveProperty('unresolvedOrderId');
  });

  it('marks a change that its shard may still carry out, and no other refused change', () => {
    const rig = new GatewayRig();
    rig.change({ kind: 'AmendParent', order: orderOf(1, { account: ALICE, revision: 1 }) });
    rig.giveUp();
    rig.ask('CancelParent');
    rig.refuse(rig.sentTo(1)[1]!.correlationId);
    expect(rig.outcomes).toMatchObject([{ kind: 'refused', isUnresolved: true }, { kind: 'refused' }]);
    expect(rig.outcomes[1]).not.toHaveProperty('isUnresolved');
  });

  it('settles the changes of a shard that died from the store, and no create', () => {
    const rig = new GatewayRig();
    rig.create();
    rig.ask('CancelParent', 5);
    rig.ask('PauseParent', 3);
    rig.ask('PauseParent', 2);
    rig.store(5, 'PENDING_CANCEL');
    rig.store(3, 'ACCEPTED');
    rig.settleAll(1);
    expect(rig.outcomes).toMatchObject([
      { kind: 'pending', orderId: 5 },
      { kind: 'refused', rejection: { code: 'EMS_INSTANCES_DOWN' } },
    ]);
    // The create and the change of the other shard still wait.
    expect(rig.gateway.pendingCount).toBe(2);
  });

  it('leaves a change waiting that the answer to a lost one sends', () => {
    const rig = new GatewayRig();
    const named = { account: ALICE, orderId: 1 as OrderId };
    const cancel = { kind: 'CancelParent', ...named, cancelCause: KILL_SWITCH_CAUSE } as const;
    rig.gateway.change(cancel, () => rig.ask('CancelParent'));
    rig.settleAll(1);
    expect([rig.outcomes, rig.gateway.pendingCount]).toEqual([[], 1]);
  });

  it('answers an expired change once when the answer to an earlier one settles it', () => {
    const rig = new GatewayRig();
    const named = { account: ALICE, orderId: 1 as OrderId };
    const cancel = { kind: 'CancelParent', ...named, cancelCause: KILL_SWITCH_CAUSE } as const;
    rig.gateway.change(cancel, () => rig.answer(rig.sentTo(1)[1]!.correlationId));
    rig.ask('CancelParent', 3);
    rig.giveUp();
    expect(rig.outcomes).toEqual([{ kind: 'pending', orderId: 3 }]);
    expect(rig.gateway.pendingCount).toBe(0);
  });

  it('keeps changes waiting that the store does not show while the shard runs', () => {
    const rig = new GatewayRig();
    rig.ask('CancelParent');
    rig.gateway.settleShown(1);
    expect([rig.outcomes, rig.gateway.pendingCount]).toEqual([[], 1]);
    rig.store(1, 'CANCELLED');
    rig.gateway.settleShown(1);
    expect(rig.outcomes).toMatchObject([{ kind: 'pending', orderId: 1 }]);
  });

  it('settles from a store that is behind when it shows what was durable, and no change that was sent later', () => {
    const rig = new GatewayRig();
    rig.reads.hold();
    rig.ask('CancelParent', 1);
    rig.ask('ResumeParent', 3);
    rig.store(1, 'PENDING_CANCEL');
    rig.store(3, 'PAUSED');
    rig.store(5, 'ACCEPTED');
    rig.gateway.settleShown(1);
    expect(rig.outcomes).toEqual([]);
    // Its order is paused meanwhile. The snapshot shows what it was before.
    rig.ask('ResumeParent', 5);
    rig.reads.run();
    expect(rig.outcomes).toEqual([{ kind: 'pending', orderId: 1 }]);
    expect(rig.gateway.pendingCount).toBe(2);
  });

  it('leaves changes to their deadline when the store is behind for too long', () => {
    const rig = new GatewayRig();
    rig.reads.hold();
    rig.ask('CancelParent');
    rig.store(1, 'CANCELLED');
    rig.gateway.settleShown(1);
    rig.reads.fail();
    expect([rig.outcomes, rig.gateway.pendingCount]).toEqual([[], 1]);
    rig.giveUp();
    expect(rig.outcomes).toMatchObject([{ kind: 'refused', isUnresolved: true }]);
  });

  it('reads nothing while no change waits', () => {
    const rig = new GatewayRig();
    rig.reads.hold();
    rig.create();
    rig.gateway.settleShown(1);
    expect(rig.reads.count).toBe(0);
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
    const rig = new GatewayRig();
    rig.ask(kind);
    rig.store(1, status);
    rig.settleAll(1);
    expect(rig.outcomes).toMatchObject([{ kind: expected }]);
  });

  describe('when the answer to an amendment is lost', () => {
    const terms = orderOf(1, { account: ALICE, revision: 2, quantity: 70 as Lots });
    const before = orderOf(1, { account: ALICE, revision: 1, quantity: 50 as Lots });
    const other = withTerms(terms, { quantity: 60 as Lots });

    it.each([
      ['hold', { order: terms, amendment: null }, 'pending'],
      ['wait for children to end', { order: before, amendment: terms }, 'pending'],
      ['are those from before', { order: before, amendment: null }, 'refused'],
      ['are those of another request with the same revision', { order: other, amendment: null }, 'refused'],
    ] as const)('reads the outcome from the store when the stored terms %s', (_title, stored, expected) => {
      const rig = new GatewayRig();
      rig.change({ kind: 'AmendParent', order: terms });
      rig.store(1, 'ACCEPTED', stored);
      rig.gateway.settleShown(1);
      expect(rig.gateway.pendingCount).toBe(expected === 'pending' ? 0 : 1);
      rig.settleAll(1);
      expect(rig.outcomes).toMatchObject([{ kind: expected }]);
    });
  });

  it('lists the orders of an account whose commands wait for an answer', () => {
    const rig = new GatewayRig();
    rig.create();
    rig.change({ kind: 'AmendParent', order: orderOf(7, { account: ALICE, revision: 1 }) });
    rig.ask('CancelParent', 9);
    const pending = [...rig.gateway.pendingOrders(ALICE)].map(({ kind, order }) => [kind, order.orderId]);
    expect(pending).toEqual([
      ['CreateParent', 1],
      ['AmendParent', 7],
    ]);
    expect([...rig.gateway.pendingOrders('bob' as AccountId)]).toEqual([]);
  });

  describe('after a wait without an answer', () => {
    it('still lists creates and amendments, which the shard may carry out', () => {
      expect(givenUp().rig.pendingOrderIds).toEqual([1, 3]);
    });

    it('does not list a create that became durable since, or an amendment that the shard has answered', () => {
      const { rig, amend } = givenUp();
      rig.gateway.releaseDurable();
      expect([rig.pendingOrderIds, rig.lateNoEffectCount]).toEqual([[3], 0]);
      rig.refuse(amend);
      expect([rig.pendingOrderIds, rig.lateNoEffectCount]).toEqual([[], 1]);
      expect(rig.outcomes.length).toBe(3);
    });

    it('reports that the amendment may have changed nothing, unless its event shows the change', () => {
      const { rig, amend } = givenUp();
      rig.publish(amend);
      expect(rig.lateNoEffectCount).toBe(0);
      const { rig: unchanged, amend: same } = givenUp();
      unchanged.answer(same);
      expect([unchanged.lateNoEffectCount, unchanged.pendingOrderIds]).toEqual([1, [1]]);
    });

    it('does not list changes before one whose event the same shard has published', () => {
      const { rig } = givenUp();
      rig.ask('CancelParent', 2);
      rig.ask('CancelParent', 7);
      rig.publish(rig.sentTo(0)[0]!.correlationId);
      expect(rig.pendingOrderIds).toEqual([1, 3]);
      rig.publish(rig.sentTo(1)[0]!.correlationId);
      expect([rig.pendingOrderIds, rig.lateNoEffectCount]).toEqual([[1], 1]);
    });

    it('lists changes that the store does not show until the store is complete', () => {
      const { rig } = givenUp();
      rig.gateway.settleShown(1);
      expect(rig.pendingOrderIds).toEqual([1, 3]);
      rig.settleAll(0);
      expect(rig.pendingOrderIds).toEqual([1, 3]);
      expect(rig.lateNoEffectCount).toBe(0);
      rig.settleAll(1);
      expect([rig.pendingOrderIds, rig.lateNoEffectCount]).toEqual([[1], 1]);
    });
  });
});
