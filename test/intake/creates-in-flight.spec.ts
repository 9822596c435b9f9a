import { expect, it } from 'vitest';
import type { AccountId, ClientOrderId } from '../../src/domain/ids.js';
import type { EpochMs } from '../../src/domain/time.js';
import { createKey, CreatesInFlight } from '../../src/intake/idempotency.js';

const KEY = createKey('demo' as AccountId, 'rebalance-1' as ClientOrderId);
const CREATED = {
  orderId: null,
  clientOrderId: null,
  status: 'PENDING_NEW',
  createdAtMs: 0 as EpochMs,
  outcome: null,
} as const;

it('remembers an answered id until two different commits have shown its order', () => {
  const creates = new CreatesInFlight();
  creates.settle(KEY, CREATED);
  creates.forgetShown({ shownSeq: 8, durableSeq: 10 });
  creates.forgetShown({ shownSeq: 10, durableSeq: 10 });
  expect(creates.mayBeNew(KEY), 'the commit with event 10 may be hidden').toBe(true);
  creates.forgetShown({ shownSeq: 10, durableSeq: 12 });
  expect(creates.mayBeNew(KEY), 'the same commit again').toBe(true);
  creates.forgetShown({ shownSeq: 12, durableSeq: 12 });
  expect(creates.mayBeNew(KEY)).toBe(false);
  expect(creates.settledCount).toBe(0);
});

it('answers every repetition of a create once, and then takes the id for another order', () => {
  const creates = new CreatesInFlight();
  const answers: string[] = [];
  creates.begin(KEY, 'digest 1');
  expect(creates.join(KEY, 'digest 2', () => answers.push('different order'))).toBe('conflict');
  for (const name of ['first', 'second']) {
    expect(creates.join(KEY, 'digest 1', () => answers.push(name))).toBe('joined');
  }
  creates.settle(KEY, CREATED);
  creates.settle(KEY, CREATED);
  expect(answers).toEqual(['first', 'second']);
  expect(creates.join(KEY, 'digest 1', () => answers.push('late'))).toBe('free');
  creates.begin(KEY, 'digest 2');
  expect(creates.join(KEY, 'digest 2', () => answers.push('third'))).toBe('joined');
  creates.settle(KEY, CREATED);
  expect(answers).toEqual(['first', 'second', 'third']);
});
