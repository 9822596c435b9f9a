import { describe, expect, it } from 'vitest';
import {
  ANSWER_SILENCE_MS_MAX,
  PASSING_REFUSALS_MAX,
  RESTING_SILENCE_MS_MAX,
} from '../../../src/domain/limits/trading.js';
import type { ParentState } from '../../../src/domain/order-state.js';
import type { EpochMs } from '../../../src/domain/time.js';
import { isPassing, REJECTION_CODES, type RejectionCode } from '../../../src/domain/rejection.js';
import { AT_ONCE, START_MS, TradingDay } from './trading-day.js';
import { spread } from '../../runs.js';

/** Expects a complete fill, and the same traded quantity at the venue. */
function expectFilled(day: TradingDay, state: ParentState): void {
  expect(state).toMatchObject({ status: 'FILLED', legs: [{ progress: { filled: state.order.legs[0].quantity } }] });
  expect(day.tradedAtVenue).toBe(state.order.legs[0].quantity);
}

function submittedAtMs(day: TradingDay): number[] {
  const [first] = day.events('ParentCreated');
  return day.events('ChildSubmitted').map(({ recordedAtMs }) => recordedAtMs - (first?.recordedAtMs ?? 0));
}

describe('an order without faults', () => {
  it('fills', () => {
    const day = new TradingDay([]);
    expectFilled(day, day.work());
  });

  it('fills at distant venues', () => {
    const day = new TradingDay([], { kind: 'lognormal', medianUs: 40_000, sigma: 0.5 });
    expectFilled(day, day.work());
  });
});

describe('an order during a pause of the service', () => {
  it.each([
    ['AGGRESSIVE', 20_000, 59_000],
    ['HYBRID', 20_000, 59_000],
    ['PASSIVE', 20_000, 59_000],
    ['AGGRESSIVE', 52_000, 59_900],
    ['PASSIVE', 52_000, 59_900],
  ] as const)('%s: fills by its end after a pause from %i to %i of 60,000 ms', (style, fromMs, untilMs) => {
    const day = new TradingDay([]);
    day.work({ style }, fromMs);
    day.starve(untilMs - fromMs);
    expectFilled(day, day.run(10_000));
    expect(day.atMs).toBeLessThanOrEqual(60_000);
  });
});

function isTriedAgain(code: RejectionCode): boolean {
  return isPassing({ code, message: '' });
}

describe('a refused child', () => {
  it.each(spread(REJECTION_CODES, 8))('is replaced by the next children when %s comes once', (code) => {
    const day = new TradingDay([{ fault: 'reject', code, count: 1 }]);
    expectFilled(day, day.work());
    const [first, ...later] = day.events('ChildRejected');
    expect(first).toMatchObject({ event: { rejection: { code } } });
    // A joining child is refused when the market has moved to its price meanwhile.
    for (const { event } of later)
      expect(event).toMatchObject({ rejection: { code: 'INVALID_ORDER', retryAfterMs: 200 } });
  });

  it.each(
    spread(
      REJECTION_CODES.filter((code) => !isTriedAgain(code)),
      5,
    ),
  )('ends its order with the code when %s always comes', (code) => {
    const day = new TradingDay([{ fault: 'reject', code }]);
    expect(day.work()).toMatchObject({ status: 'REJECTED', outcome: { code }, legs: [{ progress: { filled: 0 } }] });
    expect(day.tradedAtVenue).toBe(0);
  });

  it.each(spread(REJECTION_CODES.filter(isTriedAgain), 5))(
    'is tried again until the end of the order when %s always comes',
    (code) => {
      const day = new TradingDay([{ fault: 'reject', code }]);
      expect(day.work()).toMatchObject({
        status: 'EXPIRED',
        outcome: { code: 'EXPIRY_REACHED' },
        legs: [{ lastRefusal: { code } }],
      });
      expect(day.events('ChildRejected').length).toBeGreaterThan(5);
    },
  );

  it('ends an order without an end time after many attempts with a temporary failure', () => {
    const day = new TradingDay([{ fault: 'reject', code: 'NETWORK_ERROR' }]);
    expect(day.work(AT_ONCE, 1_000_000)).toMatchObject({ status: 'REJECTED', outcome: { code: 'NETWORK_ERROR' } });
    expect(day.events('ChildRejected')).toHaveLength(PASSING_REFUSALS_MAX);
  });
});

describe('a rate limit of the venue', () => {
  it('delays every request until the time that the venue named', () => {
    const day = new TradingDay([{ fault: 'rate-limit', retryAfterMs: 7_000, count: 1 }]);
    expectFilled(day, day.work(AT_ONCE));
    const [first = NaN, second = NaN] = submittedAtMs(day);
    expect(second - first).toBeGreaterThanOrEqual(7_000);
    expect(day.events('ChildRejected')).toMatchObject([{ event: { rejection: { code: 'RATE_LIMIT_EXCEEDED' } } }]);
  });

  it('delays the cancel of an order', () => {
    const day = new TradingDay([{ fault: 'rate-limit', retryAfterMs: 3_000, after: 1, count: 2 }]);
    day.work(day.limited(-100), 2_000);
    day.cancel();
    expect(day.run(60_000)).toMatchObject({ status: 'CANCELLED', outcome: null });
    expect(day.events('ChildCancelRefused').length).toBeGreaterThan(0);
    expect(day.tradedAtVenue).toBe(0);
  });
});

describe('a submission without an answer', () => {
  it('is placed again when the venue never received it', () => {
    const day = new TradingDay([{ fault: 'unsent', count: 1 }]);
    expectFilled(day, day.work(AT_ONCE));
    expect(day.events('ChildNeverPlaced')).toMatchObject([{ child: { outcome: { code: 'NETWORK_ERROR' } } }]);
    expect(submittedAtMs(day)[1]).toBeGreaterThanOrEqual(ANSWER_SILENCE_MS_MAX);
  });

  it('is found live, and trades once', () => {
    const day = new TradingDay([{ fault: 'lost', report: 'any', after: 0, untilMs: 4_000 }]);
    expectFilled(day, day.work(AT_ONCE));
    expect(day.events('ChildSubmitted')).toHaveLength(1);
    expect(day.events('ChildUnknown')).toHaveLength(1);
  });

  it('is found open when it rests', () => {
    const day = new TradingDay([{ fault: 'lost', report: 'acknowledgement', count: 1 }]);
    const state = day.work(day.limited(-100), 3 * ANSWER_SILENCE_MS_MAX);
    expect(state).toMatchObject({ legs: [{ childCount: 1, children: [{ state: 'OPEN' }] }] });
  });

  it('is repeated for a cancel until the venue accepts it', () => {
    const day = new TradingDay([{ fault: 'unsent', request: 'cancel', count: 2 }]);
    day.work(day.limited(-100), 2_000);
    day.cancel();
    expect(day.run(60_000).status).toBe('CANCELLED');
    expect(day.tradedAtVenue).toBe(0);
  });
});

describe('a fill', () => {
  it.each([1, 3, Infinity])('is found after %s lost reports', (count) => {
    const aim = count === Infinity ? {} : { count };
    const day = new TradingDay([{ fault: 'lost', report: 'fill', ...aim }]);
    expectFilled(day, day.work());
  });

  it('is found by a status request when its order rests on', () => {
    const day = new TradingDay([{ fault: 'lost', report: 'any', fromMs: 1_000 }]);
    const state = day.work(day.limited(-2), 10 * RESTING_SILENCE_MS_MAX);
    expectFilled(day, state);
  });

  it('counts once when it comes twice', () => {
    const day = new TradingDay([{ fault: 'duplicated' }, { fault: 'duplicated', byMs: 10_000 }]);
    expectFilled(day, day.work());
    expect(day.state.lateFills).toBe(0);
  });

  it.each([
    ['late', { byMs: 1_500 }],
    ['late', { byMs: 30_000 }],
    ['reordered', {}],
  ])('counts normally and not as late when it comes %s %j', (fault, detail) => {
    const day = new TradingDay([{ fault, ...detail }]);
    expectFilled(day, day.work());
    expect(day.state.lateFills).toBe(0);
  });

  it('counts correctly among lost, late, repeated and reordered reports', () => {
    // A report that is late at the end time would come after the order's.
    const untilMs = 50_000;
    const day = new TradingDay([
      { fault: 'reordered', report: 'any', probability: 0.3, untilMs },
      { fault: 'late', report: 'any', byMs: 2_000, probability: 0.3, untilMs },
      { fault: 'duplicated', report: 'any', byMs: 5_000, probability: 0.3, untilMs },
      { fault: 'lost', report: 'any', probability: 0.3, untilMs },
    ]);
    expectFilled(day, day.work());
  });
});

describe('an outage during an order', () => {
  const span = { fromMs: 10_000, untilMs: 25_000 };

  it.each(['ban', 'disconnect', 'maintenance', 'restart', 'stale-book', 'sequence-gap', 'crossed-book'])(
    '%s: places nothing during the outage and fills afterwards',
    (fault) => {
      const day = new TradingDay([{ fault, ...span }]);
      expectFilled(day, day.work({ style: 'AGGRESSIVE' }));
      const taken = day.events('ChildAccepted').map(({ eventAtMs, recordedAtMs }) => Math.min(eventAtMs, recordedAtMs));
      const startMs = day.state.order.createdAtMs;
      // A gap is detected at once; a stale book only after some time.
      const seenMs = startMs + span.fromMs + (fault === 'stale-book' ? 5_000 : 0);
      expect(taken.filter((atMs) => atMs > seenMs && atMs < startMs + span.untilMs)).toEqual([]);
    },
  );

  it.each([
    ['ban', 'DDOS_PROTECTION'],
    ['maintenance', 'EXCHANGE_NOT_AVAILABLE'],
  ])('%s: refuses with %s and its remaining time, and the next child waits that long', (fault, code) => {
    // The outage starts just before the order, whose market row is older.
    const day = new TradingDay([{ fault, fromMs: 1_900, untilMs: 10_000 }]);
    day.keepMarketAwake();
    expectFilled(day, day.work({ ...AT_ONCE, startAtMs: (START_MS + 2_000) as EpochMs }));
    expect(day.events('ChildRejected')).toMatchObject([{ event: { rejection: { code, retryAfterMs: 8_000 } } }]);
    const [first, second = NaN, ...more] = submittedAtMs(day);
    expect([first, more]).toEqual([2_000, []]);
    expect(Math.abs(second - 10_050)).toBeLessThanOrEqual(50);
  });

  it('maintenance: an order that starts during it waits for a market row from after it, and sends nothing before', () => {
    const day = new TradingDay([{ fault: 'maintenance', fromMs: 1_000, untilMs: 10_000 }]);
    expectFilled(day, day.work({ ...AT_ONCE, startAtMs: (START_MS + 2_000) as EpochMs }));
    expect(day.events('ChildRejected')).toEqual([]);
    const [first = NaN, ...more] = submittedAtMs(day);
    expect(more).toEqual([]);
    expect(first).toBeGreaterThanOrEqual(10_000);
    expect(first).toBeLessThanOrEqual(10_100);
  });

  it.each(['disconnect', 'restart'])('%s: fills during the outage are found after it', (fault) => {
    const day = new TradingDay([{ fault, ...span }], { kind: 'constant', delayUs: 20_000 });
    expectFilled(day, day.work({ style: 'PASSIVE' }));
  });

  it.each(['disconnect', 'restart'])('%s: refuses a new order with EXCHANGE_NOT_AVAILABLE', (fault) => {
    const day = new TradingDay([{ fault, untilMs: 25_000 }]);
    expect(day.work()).toMatchObject({ status: 'REJECTED', outcome: { code: 'EXCHANGE_NOT_AVAILABLE' } });
  });

  it('disconnect: an order past its end ends after the venue has returned its state', () => {
    const day = new TradingDay([{ fault: 'disconnect', fromMs: 10_000, untilMs: 100_000 }]);
    const state = day.work({ ...day.limited(-100), endAtMs: (START_MS + 60_000) as EpochMs });
    expect(state.status).toBe('EXPIRED');
    expect(state.legs[0].progress.filled).toBe(day.tradedAtVenue);
    expect(day.atMs).toBeGreaterThanOrEqual(100_000);
  });
});
