import { describe, expect, it } from 'vitest';
import type { CorrelationId } from '../../../src/domain/ids.js';
import {
  ANSWER_SILENCE_MS_MAX,
  THROTTLED_NOTICE_MS,
  RESTING_WAIT_MS_MAX,
  TAKING_WAIT_MS_MAX,
  WAITING_REQUESTS_MAX,
} from '../../../src/domain/limits/trading.js';
import { OKX_BTC, submitOf } from '../gateway/scripted-gateway.js';
import { ThrottleRig, evenRates, refOf } from './throttle-rig.js';

/** One request at once, then one every 100 ms; no reserve. */
const SLOW = evenRates(5, 400);

/** Order 1 has used up the throttle. */
function exhausted(rates = SLOW): ThrottleRig {
  const rig = new ThrottleRig(rates);
  rig.submit(1);
  return rig;
}

describe('a throttle within its rate', () => {
  it('passes every request at once and in order', () => {
    const rig = new ThrottleRig(evenRates(100, 1_000));
    rig.submit(1);
    rig.cancel(1);
    rig.ask(1);
    rig.submit(2, 'TAKING');
    expect(rig.seen).toEqual(['Submit 1@0', 'Cancel 1@0', 'QueryStatus 1@0', 'Submit 2@0']);
    expect(rig.figures('BINANCE', 'RESTING')).toMatchObject({ sent: 1, delayed: 0, waiting: 0 });
  });

  it('counts neither funds queries nor requests to a venue without a rate', () => {
    const rig = exhausted({ ...SLOW, OKX: null });
    const correlationId = 1 as CorrelationId;
    rig.handle({ kind: 'QueryFunds', correlationId, account: refOf(1).account, venue: 'BINANCE' });
    for (const orderId of [2, 3, 4]) rig.handle(submitOf(orderId, 'alice', OKX_BTC));
    expect(rig.seen.slice(1)).toEqual(['QueryFunds 0@0', 'Submit 2@0', 'Submit 3@0', 'Submit 4@0']);
  });

  it('limits each account at each venue separately', () => {
    const rig = exhausted();
    rig.submit(2, 'RESTING', 'bob');
    rig.handle(submitOf(3, 'alice', OKX_BTC));
    rig.submit(4);
    expect(rig.seen).toEqual(['Submit 1@0', 'Submit 2@0', 'Submit 3@0']);
  });
});

describe('a throttle above its rate', () => {
  it('sends by urgency, and in order of arrival within a class', () => {
    const rig = exhausted();
    rig.ask(90, 'ROUTINE');
    rig.submit(2);
    rig.submit(3);
    rig.submit(4, 'TAKING');
    rig.ask(5);
    rig.submit(6, 'DEADLINE');
    rig.submit(7, 'HEDGE');
    rig.ask(8, 'CANCEL');
    rig.cancel(9);
    rig.runUntil(1_000);
    const order = [
      'QueryStatus 8',
      'Cancel 9',
      'Submit 7',
      'QueryStatus 5',
      'Submit 6',
      'Submit 4',
      'Submit 2',
      'Submit 3',
    ];
    expect(rig.seen.slice(1)).toEqual(
      [...order, 'QueryStatus 90'].map((name, index) => `${name}@${100 * (index + 1)}`),
    );
    expect(rig.venues.nextWakeMs()).toBe(Infinity);
  });

  it('keeps a new request after waiting ones of its class', () => {
    const rig = exhausted();
    rig.submit(2);
    rig.nowMs = 100;
    rig.submit(3);
    rig.runUntil(300);
    expect(rig.seen).toEqual(['Submit 1@0', 'Submit 2@100', 'Submit 3@200']);
  });

  it('lets cancels and hedges use the reserve', () => {
    const rig = new ThrottleRig(evenRates(20, 1_000));
    for (const orderId of [1, 2, 3, 4, 5]) rig.submit(orderId);
    rig.cancel(1);
    rig.submit(6, 'HEDGE');
    rig.advance(0);
    expect(rig.seen).toEqual(['Submit 1@0', 'Submit 2@0', 'Submit 3@0', 'Cancel 1@0']);
    rig.runUntil(200);
    expect(rig.seen.slice(4)).toEqual(['Submit 6@63', 'Submit 4@188']);
  });

  it('sends each request as of its own time when the worker advances late', () => {
    const rig = exhausted();
    for (const orderId of [2, 3]) rig.submit(orderId);
    rig.nowMs = 350;
    rig.submit(4, 'HEDGE');
    expect(rig.seen).toEqual(['Submit 1@0', 'Submit 2@100', 'Submit 3@200', 'Submit 4@350']);
  });

  it('counts delayed and waiting requests', () => {
    const rig = exhausted();
    for (const orderId of [2, 3, 4]) rig.submit(orderId);
    rig.runUntil(100);
    expect(rig.figures('BINANCE', 'RESTING')).toMatchObject({ sent: 2, delayed: 3, waiting: 2, refused: 0 });
  });
});

describe('a waiting placement', () => {
  it('is never sent after a cancel and ends with nothing filled', () => {
    const rig = exhausted();
    rig.submit(2);
    rig.cancel(2, 3);
    rig.runUntil(500);
    expect(rig.seen).toEqual(['Submit 1@0']);
    const [{ report, destination } = { report: null, destination: 0 }] = rig.reports.slice(-1);
    expect(report).toMatchObject({ ...refOf(2), kind: 'Cancelled', cause: null, filled: 0 });
    expect(destination).toBe(3);
    expect(rig.figures('BINANCE', 'RESTING')).toMatchObject({ withdrawn: 1, waiting: 0 });
    expect(rig.figures('BINANCE', 'CANCEL')).toEqual({});
  });

  it('is never sent after a status request, which is answered as UNKNOWN', () => {
    const rig = exhausted();
    rig.submit(2, 'TAKING');
    rig.ask(2);
    rig.runUntil(500);
    expect(rig.seen).toEqual(['Submit 1@0']);
    expect(rig.reports.at(-1)?.report).toMatchObject({
      kind: 'StatusAnswered',
      answer: { state: 'UNKNOWN' },
      filled: 0,
    });
  });

  it.each([
    ['RESTING', RESTING_WAIT_MS_MAX],
    ['TAKING', TAKING_WAIT_MS_MAX],
    ['DEADLINE', TAKING_WAIT_MS_MAX],
    ['HEDGE', TAKING_WAIT_MS_MAX],
  ] as const)('is refused before the acknowledgement timeout when it waits too long in class %s', (name, waitMs) => {
    const rig = exhausted(evenRates(1, 60_000));
    rig.submit(2, name);
    rig.runUntil(waitMs - 1);
    expect(rig.answers).toEqual([]);
    rig.runUntil(waitMs);
    expect(rig.answers).toEqual([`Rejected 2@${waitMs}`]);
    expect(waitMs).toBeLessThan(ANSWER_SILENCE_MS_MAX);
    expect(rig.reports.at(-1)?.report).toMatchObject({
      rejection: {
        code: 'SYSTEM_BUSY',
        message: `BINANCE takes 1 requests in 60 s of an account, and this one has waited ${waitMs} ms`,
        retryAfterMs: 10_000,
      },
    });
    expect(rig.figures('BINANCE', name)).toMatchObject({ refused: 1, waiting: 0 });
  });
});

describe('a waiting cancel', () => {
  it('is reported as throttled at intervals to the thread that asked', () => {
    const rig = exhausted(evenRates(1, 7_000));
    rig.cancel(1);
    rig.runUntil(7_000);
    expect(rig.answers).toEqual([1, 2, 3].map((notice) => `Throttled 1@${notice * THROTTLED_NOTICE_MS}`));
    expect(rig.seen.at(-1)).toBe('Cancel 1@7000');
    expect(2 * THROTTLED_NOTICE_MS).toBeLessThan(ANSWER_SILENCE_MS_MAX);
  });

  it('is sent once for many requests, and before the status request', () => {
    const rig = exhausted();
    rig.ask(1);
    rig.cancel(1);
    rig.cancel(1, 2);
    rig.ask(1, 'STATUS', 2);
    rig.runUntil(1_000);
    expect(rig.seen.slice(1)).toEqual(['Cancel 1@100', 'QueryStatus 1@200']);
  });
});

describe('a waiting status request', () => {
  it('is replaced by a more urgent one', () => {
    const rig = exhausted();
    rig.ask(1, 'ROUTINE');
    rig.submit(2, 'TAKING');
    rig.ask(1, 'CANCEL');
    rig.ask(1, 'ROUTINE');
    rig.runUntil(1_000);
    expect(rig.seen.slice(1)).toEqual(['QueryStatus 1@100', 'Submit 2@200']);
  });
});

describe('a waiting routine status request', () => {
  it('is dropped when the child is cancelled', () => {
    const rig = exhausted();
    rig.ask(1, 'ROUTINE');
    rig.cancel(1);
    rig.runUntil(1_000);
    expect(rig.seen.slice(1)).toEqual(['Cancel 1@100']);
    expect(rig.figures('BINANCE', 'ROUTINE')).toMatchObject({ withdrawn: 1, waiting: 0 });
  });
});

describe('a full request queue', () => {
  it('refuses the newest request of the least urgent class', () => {
    const rig = exhausted(evenRates(1, 60_000));
    for (let count = 0; count < WAITING_REQUESTS_MAX; count += 1) rig.submit(10 + count);
    rig.submit(5);
    rig.advance(0);
    expect(rig.answers).toEqual(['Rejected 5@0']);
    rig.submit(6, 'TAKING');
    rig.advance(0);
    expect(rig.answers.slice(1)).toEqual([`Rejected ${9 + WAITING_REQUESTS_MAX}@0`]);
    expect(rig.figures('BINANCE', 'RESTING')).toMatchObject({ refused: 2, waiting: WAITING_REQUESTS_MAX - 1 });
  });
});
