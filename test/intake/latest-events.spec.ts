import { expect, it } from 'vitest';
import type { AccountId, Seq } from '../../src/domain/ids.js';
import { LatestEvents } from '../../src/intake/latest-events.js';
import {
  AccountEvents,
  AccountNumbering,
  createAccountCounts,
  createAccountMemory,
} from '../../src/wire/account-counts.js';

const [ALICE, BOB] = ['alice', 'bob'] as [AccountId, AccountId];

/** The events of a main thread and two shards. `durableSeq`: the latest durable event. */
class Rig {
  durableSeq = 10;
  readonly numbers = new AccountNumbering(createAccountMemory());
  readonly shards = [0, 1].map(() => new AccountEvents(createAccountCounts()));
  readonly latest: LatestEvents;

  constructor(known: readonly AccountId[] = []) {
    for (const account of known) this.numbers.give(account);
    this.latest = new LatestEvents({
      numbers: this.numbers,
      links: this.shards.map((latestEvents) => ({ latestEvents })),
      reader: this,
    });
  }

  noteInShard(shard: number, account: AccountId, seq: number): void {
    this.durableSeq = Math.max(this.durableSeq, seq);
    this.shards[shard]!.note(this.numbers.of(account), seq as Seq);
  }
}

it('is the latest of creates and of all shards, and not before the start', () => {
  const rig = new Rig([ALICE, BOB]);
  expect(rig.latest.of(ALICE)).toBe(10);
  rig.noteInShard(0, ALICE, 12);
  rig.noteInShard(1, ALICE, 15);
  rig.noteInShard(0, BOB, 20);
  expect([rig.latest.of(ALICE), rig.latest.of(BOB)]).toEqual([15, 20]);
  rig.latest.note(ALICE, 21 as Seq);
  expect([rig.latest.of(ALICE), rig.latest.of(BOB)]).toEqual([21, 20]);
});

it('is exact beyond 32 bits, and later rather than earlier after 2^32 events of others', () => {
  const rig = new Rig([ALICE]);
  const seq = 3 * 2 ** 32 + 2 ** 31 + 5;
  rig.noteInShard(0, ALICE, seq);
  rig.durableSeq = seq + 2 ** 31 - 10;
  expect(rig.latest.of(ALICE)).toBe(seq);
  rig.durableSeq = seq + 2 ** 32;
  expect(rig.latest.of(ALICE)).toBe(rig.durableSeq);
});

it('is the latest durable event for an account without a number', () => {
  const rig = new Rig();
  rig.noteInShard(0, ALICE, 12);
  rig.latest.note(ALICE, 13 as Seq);
  expect(rig.latest.of(ALICE)).toBe(12);
});

it('begins with all durable events, which no shard has noted for an account without a number', () => {
  const rig = new Rig();
  rig.durableSeq = 30;
  rig.latest.begin(ALICE);
  rig.durableSeq = 40;
  rig.latest.begin(ALICE);
  expect(rig.latest.of(ALICE)).toBe(30);
  rig.latest.note(ALICE, 41 as Seq);
  expect(rig.latest.of(ALICE)).toBe(41);
});
