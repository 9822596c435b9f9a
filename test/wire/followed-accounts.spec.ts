import { describe, expect, it } from 'vitest';
import type { AccountId } from '../../src/domain/ids.js';
import { createFollowedAccounts, FollowedAccounts, FollowedAccountsReader } from '../../src/wire/followed-accounts.js';

const ALICE = 'alice' as AccountId;
const BOB = 'bob' as AccountId;

describe('FollowedAccounts', () => {
  it('shows a shard the accounts with a follower', () => {
    const memory = createFollowedAccounts();
    const followed = new FollowedAccounts(memory);
    const shard = new FollowedAccountsReader(memory);
    expect(shard.mayHave(ALICE)).toBe(false);
    followed.add(ALICE);
    expect([shard.mayHave(ALICE), shard.mayHave(BOB)]).toEqual([true, false]);
    expect([followed.has(ALICE), followed.has(BOB)]).toEqual([true, false]);
  });

  it('keeps an account until its last follower is removed', () => {
    const memory = createFollowedAccounts();
    const followed = new FollowedAccounts(memory);
    const shard = new FollowedAccountsReader(memory);
    followed.add(ALICE);
    followed.add(ALICE);
    followed.remove(ALICE);
    expect([followed.has(ALICE), shard.mayHave(ALICE)]).toEqual([true, true]);
    followed.remove(ALICE);
    expect([followed.has(ALICE), shard.mayHave(ALICE)]).toEqual([false, false]);
  });

  it('shows a followed account also when another account of its slot loses its last follower', () => {
    const memory = createFollowedAccounts();
    const followed = new FollowedAccounts(memory);
    const shard = new FollowedAccountsReader(memory);
    followed.add(ALICE);
    const twin = Array.from({ length: 1_000_000 }, (_, n) => `account-${n}` as AccountId).find((one) =>
      shard.mayHave(one),
    );
    expect(twin).toBeDefined();
    expect(followed.has(twin!)).toBe(false);
    followed.add(twin!);
    followed.remove(twin!);
    expect(shard.mayHave(ALICE)).toBe(true);
  });
});
