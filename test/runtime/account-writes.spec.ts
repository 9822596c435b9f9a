import { expect, it } from 'vitest';
import type { AccountId } from '../../src/domain/ids.js';
import { AccountWrites } from '../../src/runtime/account-writes.js';
import { AccountCounts, AccountNumbering, createAccountMemory } from '../../src/wire/account-counts.js';

function rig() {
  const memory = createAccountMemory();
  const numbers = new AccountNumbering(memory);
  const written = new AccountCounts(memory.written);
  const time = { nowMs: 0 };
  const writes = new AccountWrites({ numbers, written, monotonicMs: () => time.nowMs });
  const pass = (seconds: number, rates: Readonly<Record<string, number>>): void => {
    for (let second = 0; second < seconds; second += 1) {
      for (const [account, bytes] of Object.entries(rates)) written.add(numbers.give(account as AccountId), bytes);
      time.nowMs += 1_000;
      writes.check();
    }
  };
  return { writes, pass };
}

it('shows what each account writes, as a mean of about a minute, the heaviest first', () => {
  const { writes, pass } = rig();
  pass(600, { modest: 20_000, greedy: 5_000_000, idle: 0 });
  expect(
    writes.heaviest(10).map(({ account, bytesPerSecond }) => [account, Math.round(bytesPerSecond / 1_000)]),
  ).toEqual([
    ['greedy', 5_000],
    ['modest', 20],
  ]);
  expect(writes.total / 5_020_000).toBeCloseTo(1, 3);
  pass(60, { modest: 20_000 });
  expect(writes.heaviest(1)[0]!.bytesPerSecond / 5_000_000).toBeCloseTo(Math.exp(-1), 2);
  pass(900, { modest: 20_000 });
  expect(writes.heaviest(10).map(({ account }) => account)[0]).toBe('modest');
});

it('counts on when the word of 32 bits begins again', () => {
  const { writes, pass } = rig();
  pass(120, { greedy: 2 ** 30 });
  const [{ bytesPerSecond } = { bytesPerSecond: 0 }] = writes.heaviest(1);
  expect(bytesPerSecond / 2 ** 30).toBeGreaterThan(0.8);
  expect(bytesPerSecond / 2 ** 30).toBeLessThanOrEqual(1);
});
