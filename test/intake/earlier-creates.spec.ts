import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AccountId } from '../../src/domain/ids.js';
import { ANSWER_WAIT_MS, EARLIER_CREATES_WAIT_MS } from '../../src/domain/limits/clients.js';
import type { Rejection } from '../../src/domain/rejection.js';
import { EarlierCreates } from '../../src/intake/earlier-creates.js';

const ALICE = 'alice' as AccountId;
const BOB = 'bob' as AccountId;

function fail(): never {
  throw new Error('a bug');
}

describe('a change of an account', () => {
  let earlier: EarlierCreates;
  let ran: (string | Rejection)[];
  /** Waits for creates that are not durable; null: all are. */
  let pending: (() => void)[] | null;
  /** Time that passed without a turn of the event loop. */
  let standstillMs: number;
  beforeEach(() => {
    vi.useFakeTimers();
    pending = null;
    standstillMs = 0;
    earlier = new EarlierCreates({
      monotonicMs: () => performance.now() + standstillMs,
      afterPending: (_account, run) => pending !== null && pending.push(run) > 0,
    });
    ran = [];
  });
  afterEach(() => vi.useRealTimers());

  const after = (name: string, account = ALICE): void => earlier.after(account, (refusal) => ran.push(refusal ?? name));

  const afterDurable = (name: string): boolean => earlier.afterDurable(ALICE, (refusal) => ran.push(refusal ?? name));

  it('runs at once when the account has no create without an id', () => {
    earlier.begin(BOB);
    const end = earlier.begin(ALICE);
    end();
    expect([earlier.isAny(ALICE), earlier.isAny(BOB)]).toEqual([false, true]);
    after('cancel');
    expect(ran).toEqual(['cancel']);
  });

  it('waits for all creates before it, in any order of their ends, and for none after it', () => {
    const [first, second] = [earlier.begin(ALICE), earlier.begin(ALICE)];
    after('cancel');
    const third = earlier.begin(ALICE);
    after('cancelAll');
    second();
    second();
    expect(ran).toEqual([]);
    first();
    expect(ran).toEqual(['cancel']);
    third();
    expect(ran).toEqual(['cancel', 'cancelAll']);
    expect(earlier.isAny(ALICE)).toBe(false);
    vi.advanceTimersByTime(EARLIER_CREATES_WAIT_MS);
    expect(ran).toHaveLength(2);
  });

  it('waits for the creates of an earlier request that makes them later', () => {
    const make = earlier.defer(ALICE);
    after('cancel');
    const later = earlier.begin(ALICE);
    const ends: (() => void)[] = [];
    make(() => ends.push(earlier.begin(ALICE)));
    expect(ran).toEqual([]);
    ends[0]?.();
    expect(ran).toEqual(['cancel']);
    after('cancelAll');
    later();
    expect(ran).toEqual(['cancel', 'cancelAll']);
    expect(() => earlier.defer(ALICE)(fail)).toThrow('a bug');
    expect(earlier.isAny(ALICE)).toBe(false);
  });

  it('is refused after its own longest wait, and the others wait on', () => {
    const end = earlier.begin(ALICE);
    after('early');
    vi.advanceTimersByTime(EARLIER_CREATES_WAIT_MS / 2);
    after('late');
    vi.advanceTimersByTime(EARLIER_CREATES_WAIT_MS / 2);
    expect(ran).toMatchObject([{ code: 'SYSTEM_BUSY' }]);
    end();
    expect(ran.slice(1)).toEqual(['late']);
  });

  it('is refused when the service closes', () => {
    const end = earlier.begin(ALICE);
    after('cancel');
    earlier.close();
    end();
    expect(ran).toMatchObject([{ code: 'SYSTEM_BUSY' }]);
  });

  it('does not wait for durable orders when there are none', () => {
    expect(afterDurable('pause')).toBe(false);
    vi.advanceTimersByTime(EARLIER_CREATES_WAIT_MS);
    expect(ran).toEqual([]);
  });

  it('waits until orders that have an id are durable', () => {
    pending = [];
    expect(afterDurable('pause')).toBe(true);
    expect(ran).toEqual([]);
    pending[0]!();
    expect(ran).toEqual(['pause']);
  });

  it('waits for an id and then until the order is durable, both together no longer than the longest wait', () => {
    const end = earlier.begin(ALICE);
    for (const name of ['pause', 'resume']) expect(afterDurable(name)).toBe(true);
    vi.advanceTimersByTime(EARLIER_CREATES_WAIT_MS - 1);
    pending = [];
    end();
    expect([ran, pending.length]).toEqual([[], 2]);
    pending[0]!();
    vi.advanceTimersByTime(1);
    expect(ran).toMatchObject(['pause', { code: 'SYSTEM_BUSY' }]);
    pending[1]!();
    expect(ran).toHaveLength(2);
  });

  it('waits once for a create that an error has left without an end', () => {
    earlier.begin(ALICE);
    vi.advanceTimersByTime(ANSWER_WAIT_MS);
    after('cancel');
    expect(ran).toEqual([]);
    vi.advanceTimersByTime(EARLIER_CREATES_WAIT_MS);
    after('cancelAll');
    expect(ran).toEqual(['cancel', 'cancelAll']);
  });

  it('waits for an old create after a standstill of the thread', () => {
    const make = earlier.defer(ALICE);
    standstillMs = 2 * ANSWER_WAIT_MS;
    after('cancel');
    expect(ran).toEqual([]);
    make(() => undefined);
    expect(ran).toEqual(['cancel']);
  });
});
