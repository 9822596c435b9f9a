import { describe, expect, it } from 'vitest';
import { createFeedHeads, FeedHeads } from '../../src/journal/feed-heads.js';
import { FEEDS_PER_ACCOUNT } from '../../src/journal/turn/turn-record.js';
import { randomFrom } from '../wire/random.js';

const ACCOUNTS = 20_000;

/** Names of 1 to 64 characters, so that rows of all lengths follow one another. */
function nameOf(account: number): Uint8Array {
  const text = `a${account}`;
  return Buffer.from(text.padEnd(text.length + (account % (65 - text.length)), '-'));
}

describe('the numbers of frames in shared memory', () => {
  it('continue without a gap for many accounts and several users, which take turns while the memory grows', () => {
    const memory = createFeedHeads();
    const { byteLength } = memory;
    const users = [new FeedHeads(memory), new FeedHeads(memory), new FeedHeads(memory)];
    const expected = new Map<number, number>();
    const below = randomFrom(7);
    for (let step = 0; step < 100_000; step += 1) {
      const account = below(2) === 0 ? below(100) : below(ACCOUNTS);
      const feeds = Array.from({ length: 1 + below(3) }, () => below(FEEDS_PER_ACCOUNT));
      const numbers: number[] = [];
      users[below(users.length)]!.number(nameOf(account), feeds, numbers);
      const right = feeds.map((feed) => {
        const key = account * FEEDS_PER_ACCOUNT + feed;
        const n = (expected.get(key) ?? 0) + 1;
        expected.set(key, n);
        return n;
      });
      if (numbers.join() !== right.join()) expect(numbers).toEqual(right);
    }
    expect(memory.byteLength).toBeGreaterThan(byteLength);
  });

  it('begin after the number that was set', () => {
    const memory = createFeedHeads();
    new FeedHeads(memory).set(Buffer.from('alice'), 3, 41);
    const numbers: number[] = [];
    new FeedHeads(memory).number(Buffer.from('alice'), [3, 2, 3], numbers);
    expect(numbers).toEqual([42, 1, 43]);
  });

  it('do not change with the bytes of a record that is overwritten later', () => {
    const heads = new FeedHeads(createFeedHeads());
    const account = Buffer.from('alice');
    const numbers: number[] = [];
    heads.number(account, [0], numbers);
    account.write('bobby');
    heads.number(account, [0], numbers);
    heads.number(Buffer.from('alice'), [0], numbers);
    expect(numbers).toEqual([1, 1, 2]);
  });
});
