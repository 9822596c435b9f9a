import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  COMMIT_READS_WAITING_MAX,
  COMMIT_WAIT_BLOCKING_MS,
  COMMIT_WAIT_MS_MAX,
} from '../../src/domain/limits/process.js';
import type { AccountId } from '../../src/domain/ids.js';
import type { ReadProgress } from '../../src/journal/port.js';
import { CompleteReads } from '../../src/journal/complete-reads.js';
import { FakeOrderBook } from '../intake/fake-order-book.js';

/** Reads of a store that has the events up to `shownSeq`, of `durableSeq` durable ones. */
class Rig {
  durableSeq = 1;
  shownSeq = 1;
  nowMs = 0;
  /** The latest event of each account. */
  readonly latest = new Map<AccountId, number>();
  /** How long each look at the store may block. */
  readonly waitsMs: (number | undefined)[] = [];
  readonly faults: unknown[] = [];
  readonly ran: string[] = [];
  readonly #book = new FakeOrderBook();
  readonly reads = new CompleteReads({
    reader: this,
    latestEventOf: (account) => this.latest.get(account) ?? this.durableSeq,
    monotonicMs: () => this.nowMs,
    onFault: (error) => this.faults.push(error),
  });

  complete(waitMs?: number, throughSeq = this.durableSeq): FakeOrderBook | null {
    this.waitsMs.push(waitMs);
    return this.shownSeq >= throughSeq ? this.#book : null;
  }

  recent(): FakeOrderBook {
    return this.#book;
  }

  progress(): ReadProgress {
    return { shownSeq: this.shownSeq, durableSeq: this.durableSeq };
  }

  read(name: string, account: AccountId | null = null): void {
    this.reads.when((snapshot) => this.ran.push(snapshot === null ? `${name}: behind` : name), { account });
  }

  pass(ms: number): void {
    this.nowMs += ms;
    vi.advanceTimersByTime(ms);
  }
}

const ALL = { account: null };
const [ALICE, BOB] = ['alice', 'bob'] as [AccountId, AccountId];

function failing(error: Error): () => never {
  return () => {
    throw error;
  };
}

describe('reads of every acknowledged turn', () => {
  let rig: Rig;
  beforeEach(() => {
    vi.useFakeTimers();
    rig = new Rig();
  });
  afterEach(() => vi.useRealTimers());

  it('run at once when the store shows them', () => {
    rig.read('one');
    expect(rig.ran).toEqual(['one']);
    rig.pass(10);
    expect(rig.waitsMs).toEqual([COMMIT_WAIT_BLOCKING_MS]);
  });

  it('block the thread for the first one only, and then wait for their own events, not for later ones', () => {
    rig.durableSeq = 5;
    rig.read('one');
    rig.durableSeq = 9;
    rig.read('two');
    expect([rig.ran, rig.waitsMs]).toEqual([[], [COMMIT_WAIT_BLOCKING_MS, 0]]);
    rig.shownSeq = 4;
    rig.pass(2);
    expect(rig.ran).toEqual([]);
    rig.shownSeq = 6;
    rig.pass(2);
    expect(rig.ran).toEqual(['one']);
    rig.durableSeq = 12;
    rig.shownSeq = 9;
    rig.pass(2);
    expect(rig.ran).toEqual(['one', 'two']);
    expect(rig.waitsMs.slice(1).every((waitMs) => waitMs === 0)).toBe(true);
  });

  it('run in the order in which they came, also when a later one finds the store complete', () => {
    rig.durableSeq = 5;
    rig.read('one');
    rig.read('two');
    rig.shownSeq = 5;
    rig.read('three');
    expect(rig.ran).toEqual(['one', 'two', 'three']);
  });

  it('do not block the thread when one that has waited asks for another', () => {
    rig.durableSeq = 5;
    rig.reads.when(() => {
      rig.durableSeq = 7;
      rig.read('inner');
    }, ALL);
    rig.shownSeq = 5;
    rig.pass(2);
    expect(rig.waitsMs.slice(1).every((waitMs) => waitMs === 0)).toBe(true);
    rig.shownSeq = 7;
    rig.pass(2);
    expect(rig.ran).toEqual(['inner']);
  });

  it('wait for the turns of their account only, and those of one account run in their order', () => {
    rig.durableSeq = 9;
    rig.shownSeq = 3;
    rig.latest.set(ALICE, 8).set(BOB, 3);
    rig.read('alice', ALICE);
    rig.read('bob', BOB);
    expect(rig.ran).toEqual(['bob']);
    rig.latest.set(BOB, 5);
    rig.read('bob again', BOB);
    rig.read('all');
    rig.read('unknown', 'carol' as AccountId);
    rig.shownSeq = 5;
    rig.read('bob at last', BOB);
    expect(rig.ran.slice(1)).toEqual(['bob again', 'bob at last']);
    rig.shownSeq = 8;
    rig.pass(2);
    expect(rig.ran.slice(3)).toEqual(['alice']);
    rig.shownSeq = 9;
    rig.pass(2);
    expect(rig.ran.slice(4)).toEqual(['all', 'unknown']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('run without a snapshot when the store lacks their events for too long', () => {
    rig.durableSeq = 5;
    rig.read('one');
    rig.pass(COMMIT_WAIT_MS_MAX - 1);
    expect(rig.ran).toEqual([]);
    rig.pass(2);
    expect(rig.ran).toEqual(['one: behind']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('wait up to a bound, and run without a snapshot beyond it', () => {
    rig.durableSeq = 5;
    for (let count = 0; count < COMMIT_READS_WAITING_MAX; count += 1) rig.read('one');
    rig.read('one too many');
    expect(rig.ran).toEqual(['one too many: behind']);
    rig.shownSeq = 5;
    rig.pass(2);
    expect(rig.ran).toHaveLength(COMMIT_READS_WAITING_MAX + 1);
  });

  it('go on after one that fails, and its client gets the error', () => {
    const [first, second] = [new Error('a damaged order'), new Error('another')];
    const failed: unknown[] = [];
    rig.durableSeq = 5;
    rig.reads.when(failing(first), { account: null, client: { fail: (error) => failed.push(error) } });
    rig.reads.when(failing(second), ALL);
    rig.read('three');
    rig.shownSeq = 5;
    rig.pass(2);
    expect([rig.ran, failed, rig.faults]).toEqual([['three'], [first], [second]]);
  });

  it('run without a snapshot at the end of the service', () => {
    rig.durableSeq = 5;
    rig.read('one');
    rig.reads.close();
    rig.read('two');
    expect(rig.ran).toEqual(['one: behind']);
    expect(vi.getTimerCount()).toBe(0);
  });
});
