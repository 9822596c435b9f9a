import { describe, expect, it } from 'vitest';
import { ANSWER_SILENCE_MS_MAX, PASSING_REFUSALS_MAX, RESTING_SILENCE_MS_MAX } from '../../../src/model/limits.js';
import type { ParentState } from '../../../src/model/order.js';
import type { EpochMs } from '../../../src/model/time.js';
import { isPassing, REJECTION_CODES, type RejectionCode } from '../../../src/model/rejection.js';
import { AT_ONCE, START_MS, TradingDay } from './trading-day.js';

/** Filled whole, and the venue traded no more and no less. */
function expectFilled(day: TradingDay, state: ParentState): void {
  expect(state).toMatchObject({ status: 'FILLED', progress: { filled: state.order.quantity } });
  expect(day.tradedAtVenue).toBe(state.order.quantity);
}

function submittedAtMs(day: TradingDay): number[] {
  const [first] = day.events('ParentCreated');
  return day.events('ChildSubmitted').map(({ recordedAtMs }) => recordedAtMs - (first?.recordedAtMs ?? 0));
}

describe('Without faults', () => {
  it('an order is filled', () => {
    const day = new TradingDay([]);
    expectFilled(day, day.work());
  });

  it('and far from the venue too', () => {
    const day = new TradingDay([], { kind: 'lognormal', medianUs: 40_000, sigma: 0.5 });
    expectFilled(day, day.work());
  });
});

function isTriedAgain(code: RejectionCode): boolean {
  return isPassing({ code, message: '' });
}

describe('A child that is refused', () => {
  it.each(REJECTION_CODES)('once, with %s, is made good for by the next ones', (code) => {
    const day = new TradingDay([{ fault: 'reject', code, count: 1 }]);
    expectFilled(day, day.work());
    const [first, ...later] = day.events('ChildRejected');
    expect(first).toMatchObject({ event: { rejection: { code } } });
    // What joins the book is refused when the market has come to meet it meanwhile.
    for (const { event } of later)
      expect(event).toMatchObject({ rejection: { code: 'INVALID_ORDER', retryAfterMs: 200 } });
  });

  it.each(REJECTION_CODES.filter((code) => !isTriedAgain(code)))(
    'always, with %s, ends its order with that code',
    (code) => {
      const day = new TradingDay([{ fault: 'reject', code }]);
      expect(day.work()).toMatchObject({ status: 'REJECTED', outcome: { code }, progress: { filled: 0 } });
      expect(day.tradedAtVenue).toBe(0);
    },
  );

  it.each(REJECTION_CODES.filter(isTriedAgain))('always, with %s, is tried until time is over', (code) => {
    const day = new TradingDay([{ fault: 'reject', code }]);
    expect(day.work()).toMatchObject({ status: 'EXPIRED', outcome: { code: 'EXPIRY_REACHED' }, lastRefusal: { code } });
    expect(day.events('ChildRejected').length).toBeGreaterThan(5);
  });

  it('always, by a passing failure and without an end time, ends the order after many attempts', () => {
    const day = new TradingDay([{ fault: 'reject', code: 'NETWORK_ERROR' }]);
    expect(day.work(AT_ONCE, 1_000_000)).toMatchObject({ status: 'REJECTED', outcome: { code: 'NETWORK_ERROR' } });
    expect(day.events('ChildRejected')).toHaveLength(PASSING_REFUSALS_MAX);
  });
});

describe('A rate limit', () => {
  it('is kept: nothing is sent before the time that the venue named', () => {
    const day = new TradingDay([{ fault: 'rate-limit', retryAfterMs: 7_000, count: 1 }]);
    expectFilled(day, day.work(AT_ONCE));
    const [first = NaN, second = NaN] = submittedAtMs(day);
    expect(second - first).toBeGreaterThanOrEqual(7_000);
    expect(day.events('ChildRejected')).toMatchObject([{ event: { rejection: { code: 'RATE_LIMIT_EXCEEDED' } } }]);
  });

  it('on a cancel leaves the order to be cancelled later', () => {
    const day = new TradingDay([{ fault: 'rate-limit', retryAfterMs: 3_000, after: 1, count: 2 }]);
    day.work(day.limited(-100), 2_000);
    day.cancel();
    expect(day.run(60_000)).toMatchObject({ status: 'CANCELLED', outcome: null });
    expect(day.events('ChildCancelRefused').length).toBeGreaterThan(0);
    expect(day.tradedAtVenue).toBe(0);
  });
});

describe('A submission without an answer', () => {
  it('that was lost on its way is placed anew when the venue says that it never had it', () => {
    const day = new TradingDay([{ fault: 'unsent', count: 1 }]);
    expectFilled(day, day.work(AT_ONCE));
    expect(day.events('ChildNeverPlaced')).toMatchObject([{ child: { outcome: { code: 'NETWORK_ERROR' } } }]);
    expect(submittedAtMs(day)[1]).toBeGreaterThanOrEqual(ANSWER_SILENCE_MS_MAX);
  });

  it('whose order is live is found to be so, and trades once', () => {
    const day = new TradingDay([{ fault: 'lost', report: 'any', after: 0, untilMs: 4_000 }]);
    expectFilled(day, day.work(AT_ONCE));
    expect(day.events('ChildSubmitted')).toHaveLength(1);
    expect(day.events('ChildUnknown')).toHaveLength(1);
  });

  it('that rests is found to be open', () => {
    const day = new TradingDay([{ fault: 'lost', report: 'acknowledgement', count: 1 }]);
    const state = day.work(day.limited(-100), 3 * ANSWER_SILENCE_MS_MAX);
    expect(state).toMatchObject({ childCount: 1, children: [{ state: 'OPEN' }] });
  });

  it('to a cancel is repeated until the venue takes it', () => {
    const day = new TradingDay([{ fault: 'unsent', request: 'cancel', count: 2 }]);
    day.work(day.limited(-100), 2_000);
    day.cancel();
    expect(day.run(60_000).status).toBe('CANCELLED');
    expect(day.tradedAtVenue).toBe(0);
  });
});

describe('A fill', () => {
  it.each([1, 3, Infinity])('that is lost %s times is found', (count) => {
    const aim = count === Infinity ? {} : { count };
    const day = new TradingDay([{ fault: 'lost', report: 'fill', ...aim }]);
    expectFilled(day, day.work());
  });

  it('that is lost while its order goes on resting is found by asking', () => {
    const day = new TradingDay([{ fault: 'lost', report: 'any', fromMs: 1_000 }]);
    const state = day.work(day.limited(-2), 10 * RESTING_SILENCE_MS_MAX);
    expectFilled(day, state);
  });

  it('that comes twice counts once', () => {
    const day = new TradingDay([{ fault: 'duplicated' }, { fault: 'duplicated', byMs: 10_000 }]);
    expectFilled(day, day.work());
    expect(day.state.lateFills).toBe(0);
  });

  it.each([
    ['late', { byMs: 1_500 }],
    ['late', { byMs: 30_000 }],
    ['reordered', {}],
  ])('that comes %s %j is no less counted, and never as late', (fault, detail) => {
    const day = new TradingDay([{ fault, ...detail }]);
    expectFilled(day, day.work());
    expect(day.state.lateFills).toBe(0);
  });

  it('and everything else that comes in any order leaves the order right', () => {
    const day = new TradingDay([
      { fault: 'reordered', report: 'any', probability: 0.3 },
      { fault: 'late', report: 'any', byMs: 2_000, probability: 0.3 },
      { fault: 'duplicated', report: 'any', byMs: 5_000, probability: 0.3 },
      { fault: 'lost', report: 'any', probability: 0.3 },
    ]);
    expectFilled(day, day.work());
  });
});

describe('An outage in the middle of an order', () => {
  const span = { fromMs: 10_000, untilMs: 25_000 };

  it.each(['ban', 'disconnect', 'maintenance', 'restart', 'stale-book', 'sequence-gap', 'crossed-book'])(
    '%s: nothing is placed meanwhile, and it is filled in the end',
    (fault) => {
      const day = new TradingDay([{ fault, ...span }]);
      expectFilled(day, day.work({ style: 'AGGRESSIVE' }));
      const taken = day.events('ChildAccepted').map(({ eventAtMs, recordedAtMs }) => Math.min(eventAtMs, recordedAtMs));
      const startMs = day.state.order.createdAtMs;
      // A gap is known at once; what is stale is known to be so after a while.
      const seenMs = startMs + span.fromMs + (fault === 'stale-book' ? 5_000 : 0);
      expect(taken.filter((atMs) => atMs > seenMs && atMs < startMs + span.untilMs)).toEqual([]);
    },
  );

  it.each([
    ['ban', 'DDOS_PROTECTION'],
    ['maintenance', 'EXCHANGE_NOT_AVAILABLE'],
  ])('%s: the refusal names %s and the time it lasts, which is kept', (fault, code) => {
    const day = new TradingDay([{ fault, fromMs: 1_000, untilMs: 10_000 }]);
    expectFilled(day, day.work({ ...AT_ONCE, startAtMs: (START_MS + 2_000) as EpochMs }));
    expect(day.events('ChildRejected')).toMatchObject([{ event: { rejection: { code, retryAfterMs: 8_000 } } }]);
    const [first, second = NaN, ...more] = submittedAtMs(day);
    expect([first, more]).toEqual([2_000, []]);
    expect(Math.abs(second - 10_050)).toBeLessThanOrEqual(50);
  });

  it.each(['disconnect', 'restart'])('%s: fills of the time are learnt when it is over', (fault) => {
    const day = new TradingDay([{ fault, ...span }], { kind: 'constant', delayUs: 20_000 });
    expectFilled(day, day.work({ style: 'PASSIVE' }));
  });

  it.each(['disconnect', 'restart'])('%s: a new order is refused with EXCHANGE_NOT_AVAILABLE', (fault) => {
    const day = new TradingDay([{ fault, untilMs: 25_000 }]);
    expect(day.work()).toMatchObject({ status: 'REJECTED', outcome: { code: 'EXCHANGE_NOT_AVAILABLE' } });
  });

  it('disconnect: an order whose time is over meanwhile ends when the venue has told what became of it', () => {
    const day = new TradingDay([{ fault: 'disconnect', fromMs: 10_000, untilMs: 100_000 }]);
    const state = day.work({ ...day.limited(-100), endAtMs: (START_MS + 60_000) as EpochMs });
    expect(state.status).toBe('EXPIRED');
    expect(state.progress.filled).toBe(day.tradedAtVenue);
    expect(day.atMs).toBeGreaterThanOrEqual(100_000);
  });
});
