import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Instant, type SignatureUse, UsedSignatures } from '../../src/http/auth/used-signatures.js';
import type { AccountId } from '../../src/domain/ids.js';
import { SIGNATURE_MARGIN_MS } from '../../src/domain/limits/clients.js';

const START_MS = 1_800_000_000_000;
const WINDOW_MS = 5_000;
const CREATE = 'POST /create';
const PREVIEW = 'POST /preview';

const at = (realMs: number, monotonicMs = realMs): Instant => ({
  realMs: START_MS + realMs,
  monotonicMs,
});

/** The use of a signature by number. */
function use(number: number, fields: Partial<SignatureUse> = {}): SignatureUse {
  const mark = Buffer.from(String(number).padStart(12, '0')).toString('base64');
  return { account: 'a' as AccountId, mark, target: CREATE, validUntilMs: START_MS + WINDOW_MS, ...fields };
}

describe('UsedSignatures', () => {
  it('returns the target of the first use of a signature', () => {
    const used = new UsedSignatures();
    expect(used.note(use(1, { target: PREVIEW }), at(0))).toEqual({ kind: 'none' });
    expect(used.note(use(1), at(1))).toEqual({ kind: 'used', target: PREVIEW, isSpent: false });
    used.spend(use(1), at(2));
    expect(used.note(use(1), at(3))).toEqual({ kind: 'used', target: PREVIEW, isSpent: true });
    expect(used.note(use(2), at(3))).toEqual({ kind: 'none' });
  });

  it('keeps a signature until both clocks have passed its end by the margin', () => {
    const overMs = WINDOW_MS + 1_000 + SIGNATURE_MARGIN_MS;
    const isKept = (instant: Instant): boolean => {
      const used = new UsedSignatures();
      used.note(use(1), at(0));
      used.note(use(2, { validUntilMs: START_MS + 3_600_000 }), instant);
      return used.count === 2;
    };
    expect(isKept(at(overMs - 1, overMs - 1))).toBe(true);
    expect(isKept(at(overMs, overMs))).toBe(false);
    // The wall clock was set forward or back.
    expect(isKept(at(86_400_000, 1_500))).toBe(true);
    expect(isKept(at(-86_400_000, overMs))).toBe(true);
  });

  it('keeps signatures with future time stamps until that time has passed', () => {
    const used = new UsedSignatures();
    const dayMs = 86_400_000;
    const ahead = use(1, { validUntilMs: START_MS + dayMs + WINDOW_MS });
    used.spend(ahead, at(dayMs, 0));
    for (let hour = 1; hour <= 24; hour += 1) used.note(use(hour + 10), at(hour * 3_600_000));
    expect(used.note(ahead, at(dayMs))).toMatchObject({ kind: 'used', isSpent: true });
  });

  it('reports forgotten signatures when the clock is set back by more than the margin', () => {
    const used = new UsedSignatures();
    used.spend(use(1), at(0));
    used.note(use(2, { validUntilMs: START_MS + 25_000 }), at(20_000));
    expect(used.note(use(1), at(0, 20_001))).toEqual({ kind: 'forgotten' });
    expect(used.note(use(1), at(0, 20_002))).toEqual({ kind: 'forgotten' });
  });

  it('refuses an account that holds as many signatures as are free, and no other account', () => {
    const used = new UsedSignatures(100);
    const fill = (account: string, from: number): number => {
      let count = 0;
      while (used.note(use(from + count, { account: account as AccountId }), at(0)).kind === 'none') count += 1;
      return count;
    };
    expect(fill('a', 0)).toBe(50);
    expect(fill('b', 1_000)).toBe(25);
    expect(fill('c', 2_000)).toBeGreaterThan(0);
    expect(used.note(use(0), at(0)).kind).toBe('used');
    expect(used.note(use(999), at(0))).toEqual({ kind: 'full' });
    // All signatures have expired, so all of the memory is free.
    expect(used.note(use(999, { validUntilMs: START_MS + 60_000 }), at(30_000))).toEqual({ kind: 'none' });
    expect(used.count).toBe(1);
  });

  it('keeps each signature of one second with its note when the table of that second grows', () => {
    const used = new UsedSignatures();
    for (let number = 0; number < 1_000; number += 1) {
      const one = use(number, { target: number % 3 === 0 ? PREVIEW : CREATE });
      if (number % 2 === 0) used.note(one, at(0));
      else used.spend(one, at(0));
    }
    expect(used.count).toBe(1_000);
    for (let number = 0; number < 1_000; number += 1) {
      const target = number % 3 === 0 ? PREVIEW : CREATE;
      expect(used.note(use(number), at(1))).toEqual({ kind: 'used', target, isSpent: number % 2 === 1 });
    }
  });

  it('agrees with a plain map for any sequence of uses', () => {
    const step = fc.record({ number: fc.nat({ max: 400 }), isSpent: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { minLength: 500, maxLength: 900 }), (steps) => {
        const used = new UsedSignatures();
        const plain = new Map<number, boolean>();
        for (const { number, isSpent } of steps) {
          const one = use(number, { validUntilMs: START_MS + (number % 50) * 1_000 });
          const known = plain.get(number);
          const expected = known === undefined ? { kind: 'none' } : { kind: 'used', target: CREATE, isSpent: known };
          expect(used.note(one, at(0))).toEqual(expected);
          if (isSpent) used.spend(one, at(0));
          plain.set(number, isSpent || known === true);
        }
        expect(used.count).toBe(plain.size);
      }),
      { numRuns: 20 },
    );
  });
});
