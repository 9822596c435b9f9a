import { describe, expect, it } from 'vitest';
import type { AccountId } from '../../src/domain/ids.js';
import { ACCOUNT_CHARACTERS_MAX } from '../../src/domain/limits/process.js';
import { OpenOrderCounts } from '../../src/intake/open-order-counts.js';
import { OrderGateway } from '../../src/intake/order-gateway.js';
import { IdAllocator } from '../../src/intake/order-ids.js';
import { ShardClient } from '../../src/intake/shard-client.js';
import { createMemory } from '../../src/runtime/shared-memory.js';
import { accountOrdersOf } from '../../src/shard/ring-ports.js';
import type { AccountOrders } from '../../src/shard/port.js';
import type { EpochMs } from '../../src/domain/time.js';
import {
  AccountCounts,
  AccountNumbering,
  AccountNumbers,
  COUNTED_ACCOUNTS_MAX,
  createAccountMemory,
} from '../../src/wire/account-counts.js';
import { CATALOGUE, orderOf } from '../shard/sample-orders.js';
import { HeldJournal } from './held-journal.js';

const [ALICE, BOB] = ['alice', 'bob'] as [AccountId, AccountId];
const SHARD_COUNT = 2;

/** A gateway with counts, and the side of the shards that counts. */
class CountingRig {
  readonly journal = new HeldJournal();
  readonly links: ShardClient[];
  readonly counts: OpenOrderCounts;
  readonly gateway: OrderGateway;

  constructor(known: readonly AccountId[] = []) {
    const memory = createMemory(SHARD_COUNT, CATALOGUE);
    this.links = memory.shards.map((shardMemory, shard) => new ShardClient(shard, shardMemory));
    const numbers = new AccountNumbering(memory.accounts);
    for (const account of known) numbers.give(account);
    this.counts = new OpenOrderCounts(numbers, this.links);
    this.gateway = new OrderGateway({
      links: this.links,
      ids: new IdAllocator({ reserveOrderIds: (count: number) => ({ from: 1, to: 1 + count }) }, () => 0),
      nowRealMs: () => 0,
      clock: { nowMs: () => 0 as EpochMs },
      journal: this.journal,
      openOrders: this.counts,
      onDurable: () => undefined,
      onCreated: () => undefined,
      whenComplete: (read) => read(null),
      onLateNoEffect: () => undefined,
    });
    for (const link of this.links) link.setUp(true);
  }

  /** The shard with the number, as its thread starts now. */
  shard(number: number): AccountOrders {
    return accountOrdersOf(this.links[number]!.memory);
  }

  create(account = ALICE): void {
    this.gateway.create(orderOf(0, { account }), () => undefined);
  }
}

describe('the number of open orders of an account', () => {
  it('includes a create before it is durable, and no refused one', () => {
    const rig = new CountingRig();
    rig.create();
    rig.create(BOB);
    expect([rig.counts.of(ALICE), rig.counts.of(BOB)]).toEqual([1, 1]);
    rig.journal.isFull = true;
    rig.create();
    for (const link of rig.links) link.setUp(false);
    rig.create();
    expect(rig.counts.of(ALICE)).toBe(1);
  });

  it('falls when orders end, in any shard', () => {
    const rig = new CountingRig();
    for (let count = 0; count < 6; count += 1) rig.create();
    rig.gateway.releaseDurable();
    const shards = [rig.shard(0), rig.shard(1)];
    for (const shard of [...shards, ...shards]) shard.left(ALICE);
    expect([rig.counts.of(ALICE), rig.counts.largest(10)]).toEqual([2, [{ account: ALICE, openOrders: 2 }]]);
  });

  it('is counted again when the thread of a shard starts again, with the orders of each way', () => {
    const rig = new CountingRig([ALICE]);
    const [link, other] = rig.links as [ShardClient, ShardClient];
    // Three durable orders and one pending one in each shard.
    for (let count = 0; count < 6; count += 1) rig.create();
    rig.gateway.releaseDurable();
    rig.create();
    rig.create();
    link.setUp(false);
    link.renewMemory();
    rig.gateway.recount(link);
    expect(rig.counts.of(ALICE)).toBe(other.openOrders.at(0) + 1);
    // The pending create of this shard becomes durable before the new thread reads the journal, and is also sent to it.
    rig.gateway.releaseDurable();
    const shard = rig.shard(0);
    for (let count = 0; count < 4; count += 1) shard.loaded(ALICE);
    shard.left(ALICE);
    expect(rig.counts.of(ALICE)).toBe(8);
  });

  it('shows the accounts with the most, and none without an open order', () => {
    const rig = new CountingRig(['idle' as AccountId]);
    rig.create(ALICE);
    rig.create(BOB);
    rig.create(BOB);
    expect(rig.counts.largest(2)).toEqual([
      { account: BOB, openOrders: 2 },
      { account: ALICE, openOrders: 1 },
    ]);
    expect(rig.counts.largest(1)).toHaveLength(1);
  });
});

describe('the numbers of accounts', () => {
  it('are the same in all threads, also for names that come later', () => {
    const memory = createAccountMemory();
    const [main, shard] = [new AccountNumbering(memory), new AccountNumbers(memory)];
    const longest = 'x'.repeat(ACCOUNT_CHARACTERS_MAX) as AccountId;
    expect(shard.of(ALICE)).toBe(-1);
    expect([main.give(ALICE), main.give(longest), main.give(ALICE)]).toEqual([0, 1, 0]);
    expect([shard.of(longest), shard.of(ALICE), shard.of(BOB)]).toEqual([1, 0, -1]);
    expect(shard.all).toEqual([ALICE, longest]);
  });

  it('end at a bound: a further account is not counted', () => {
    const memory = createAccountMemory();
    const numbers = new AccountNumbering(memory);
    for (let count = 0; count < COUNTED_ACCOUNTS_MAX; count += 1) numbers.give(`a${count}` as AccountId);
    expect(numbers.give(ALICE)).toBe(-1);
    const counts = new AccountCounts(memory.written);
    counts.add(-1, 5);
    expect([counts.at(-1), counts.at(0)]).toEqual([0, 0]);
  });
});
