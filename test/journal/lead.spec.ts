import { describe, expect, it } from 'vitest';
import { LEAD_SYNC_US_MAX, LEAD_SYNCS_JUDGED } from '../../src/domain/limits/process.js';
import { createLead, JOURNAL_LEADER, Lead, MAIN_LEADER, shardLeader } from '../../src/journal/lead.js';

describe('the word of the leader', () => {
  it('is taken by one thread at a time', () => {
    const memory = createLead();
    const [main, shard] = [new Lead(memory), new Lead(memory)];
    expect([main.tryTake(MAIN_LEADER), shard.tryTake(shardLeader(0)), main.tryTake(MAIN_LEADER)]).toEqual([
      true,
      false,
      false,
    ]);
    expect([shard.isHeldBy(MAIN_LEADER), shard.isHeldBy(shardLeader(0))]).toEqual([true, false]);
    expect(main.free()).toBe(false);
    expect(shard.tryTake(shardLeader(0))).toBe(true);
  });

  it('stays with the journal thread until it frees it', () => {
    const lead = new Lead(createLead());
    expect([lead.claim(), lead.claim(), lead.tryTake(MAIN_LEADER)]).toEqual([true, true, false]);
    expect(lead.free()).toBe(false);
    expect(lead.tryTake(MAIN_LEADER)).toBe(true);
  });

  it('goes to the journal thread when that wants it', () => {
    const lead = new Lead(createLead());
    expect(lead.tryTake(shardLeader(3))).toBe(true);
    expect([lead.claim(), lead.claim()]).toEqual([false, false]);
    expect([lead.isHeldBy(shardLeader(3)), lead.isHeldBy(JOURNAL_LEADER)]).toEqual([true, false]);
    expect(lead.free()).toBe(true);
    expect(lead.tryTake(MAIN_LEADER), 'no other thread comes first').toBe(false);
    expect([lead.isHeldBy(JOURNAL_LEADER), lead.claim(), lead.free()]).toEqual([true, true, false]);
  });
});

const FAST_MS = LEAD_SYNC_US_MAX / 1_000;
const MOST = Math.ceil(LEAD_SYNCS_JUDGED / 2);

function isFastAfter(times: readonly number[]): boolean {
  const lead = new Lead(createLead());
  for (const ms of times) lead.noteSync(ms);
  return lead.isFast;
}

function of(count: number, ms: number): number[] {
  return Array.from({ length: count }, () => ms);
}

describe('the disk', () => {
  it('is fast when most of the latest syncs were, and not before there are enough of them', () => {
    expect(isFastAfter(of(LEAD_SYNCS_JUDGED - 1, 0.1))).toBe(false);
    expect(isFastAfter(of(LEAD_SYNCS_JUDGED, FAST_MS))).toBe(true);
    expect(isFastAfter([...of(MOST, FAST_MS), ...of(LEAD_SYNCS_JUDGED - MOST, 50)])).toBe(true);
    expect(isFastAfter([...of(MOST - 1, FAST_MS), ...of(LEAD_SYNCS_JUDGED - MOST + 1, 5)])).toBe(false);
  });

  it('is judged by the latest syncs alone', () => {
    expect(isFastAfter([...of(100, 5), ...of(LEAD_SYNCS_JUDGED, 0.3)])).toBe(true);
    expect(isFastAfter([...of(100, 0.3), ...of(MOST, 5)])).toBe(false);
  });
});
