import { describe, expect, it } from 'vitest';
import type { CorrelationId } from '../../../src/model/ids.js';
import {
  ANSWER_SILENCE_MS_MAX,
  HELD_NOTICE_MS,
  RESTING_WAIT_MS_MAX,
  TAKING_WAIT_MS_MAX,
  WAITING_REQUESTS_MAX,
} from '../../../src/model/limits.js';
import { OKX_BTC, submitOf } from '../gateway/scripted-gateway.js';
import { BudgetRig, evenRates, refOf } from './budget-rig.js';

/** One request at once, then one each 100 ms; nothing is kept in reserve. */
const SLOW = evenRates(5, 400);

/** The budget is used up, by order 1. */
function exhausted(rates = SLOW): BudgetRig {
  const rig = new BudgetRig(rates);
  rig.submit(1);
  return rig;
}

describe('While the budget lasts', () => {
  it('everything passes at once and in its order', () => {
    const rig = new BudgetRig(evenRates(100, 1_000));
    rig.submit(1);
    rig.cancel(1);
    rig.ask(1);
    rig.submit(2, 'TAKING');
    expect(rig.seen).toEqual(['Submit 1@0', 'Cancel 1@0', 'Query 1@0', 'Submit 2@0']);
    expect(rig.figures('BINANCE', 'RESTING')).toMatchObject({ sent: 1, delayed: 0, waiting: 0 });
  });

  it('a question about balances is not counted, nor is a venue without a rate', () => {
    const rig = exhausted({ ...SLOW, OKX: null });
    const correlationId = 1 as CorrelationId;
    rig.handle({ kind: 'QueryFunds', correlationId, account: refOf(1).account, venue: 'BINANCE' });
    for (const orderId of [2, 3, 4]) rig.handle(submitOf(orderId, 'alice', OKX_BTC));
    expect(rig.seen.slice(1)).toEqual(['QueryFunds 0@0', 'Submit 2@0', 'Submit 3@0', 'Submit 4@0']);
  });

  it('each account has its own at each venue', () => {
    const rig = exhausted();
    rig.submit(2, 'RESTING', 'bob');
    rig.handle(submitOf(3, 'alice', OKX_BTC));
    rig.submit(4);
    expect(rig.seen).toEqual(['Submit 1@0', 'Submit 2@0', 'Submit 3@0']);
  });
});

describe('Once it is used up', () => {
  it('the more urgent goes first, of one class who came first', () => {
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
    const order = ['Query 8', 'Cancel 9', 'Submit 7', 'Submit 6', 'Query 5', 'Submit 4', 'Submit 2', 'Submit 3'];
    expect(rig.seen.slice(1)).toEqual([...order, 'Query 90'].map((name, index) => `${name}@${100 * (index + 1)}`));
    expect(rig.venues.nextWakeMs()).toBe(Infinity);
  });

  it('a newcomer of a class that waits does not overtake those who wait', () => {
    const rig = exhausted();
    rig.submit(2);
    rig.nowMs = 100;
    rig.submit(3);
    rig.runUntil(300);
    expect(rig.seen).toEqual(['Submit 1@0', 'Submit 2@100', 'Submit 3@200']);
  });

  it('a cancel and a hedge use the reserve that placements must leave', () => {
    const rig = new BudgetRig(evenRates(20, 1_000));
    for (const orderId of [1, 2, 3, 4, 5]) rig.submit(orderId);
    rig.cancel(1);
    rig.submit(6, 'HEDGE');
    rig.advance(0);
    expect(rig.seen).toEqual(['Submit 1@0', 'Submit 2@0', 'Submit 3@0', 'Cancel 1@0']);
    rig.runUntil(200);
    expect(rig.seen.slice(4)).toEqual(['Submit 6@63', 'Submit 4@188']);
  });

  it('a worker that comes late sends everything as of its own time', () => {
    const rig = exhausted();
    for (const orderId of [2, 3]) rig.submit(orderId);
    rig.nowMs = 350;
    rig.submit(4, 'HEDGE');
    expect(rig.seen).toEqual(['Submit 1@0', 'Submit 2@100', 'Submit 3@200', 'Submit 4@350']);
  });

  it('counts what is delayed and what waits', () => {
    const rig = exhausted();
    for (const orderId of [2, 3, 4]) rig.submit(orderId);
    rig.runUntil(100);
    expect(rig.figures('BINANCE', 'RESTING')).toMatchObject({ sent: 2, delayed: 3, waiting: 2, refused: 0 });
  });
});

describe('A placement that still waits', () => {
  it('is never sent when it is cancelled: it ends with nothing filled', () => {
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

  it('is never sent when somebody asks for it: whoever asks does not know that it was to be', () => {
    const rig = exhausted();
    rig.submit(2, 'TAKING');
    rig.ask(2);
    rig.runUntil(500);
    expect(rig.seen).toEqual(['Submit 1@0']);
    expect(rig.reports.at(-1)?.report).toMatchObject({
      kind: 'QueryAnswered',
      answer: { state: 'UNKNOWN' },
      filled: 0,
    });
  });

  it('cannot be amended', () => {
    const rig = exhausted();
    rig.submit(2);
    rig.handle({ kind: 'Amend', ...refOf(2), quantity: 5 as never, limitPrice: null });
    rig.advance(0);
    expect(rig.told).toEqual(['AmendRejected 2@0']);
  });

  it.each([
    ['RESTING', RESTING_WAIT_MS_MAX],
    ['TAKING', TAKING_WAIT_MS_MAX],
    ['DEADLINE', TAKING_WAIT_MS_MAX],
    ['HEDGE', TAKING_WAIT_MS_MAX],
  ] as const)('%s is refused when it has waited too long, before its silence could mean anything', (name, waitMs) => {
    const rig = exhausted(evenRates(1, 60_000));
    rig.submit(2, name);
    rig.runUntil(waitMs - 1);
    expect(rig.told).toEqual([]);
    rig.runUntil(waitMs);
    expect(rig.told).toEqual([`Rejected 2@${waitMs}`]);
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

describe('A cancel that waits', () => {
  it('is told to be held back, again and again, to whoever waits for it', () => {
    const rig = exhausted(evenRates(1, 7_000));
    rig.cancel(1);
    rig.runUntil(7_000);
    expect(rig.told).toEqual([1, 2, 3].map((notice) => `Held 1@${notice * HELD_NOTICE_MS}`));
    expect(rig.seen.at(-1)).toBe('Cancel 1@7000');
    expect(2 * HELD_NOTICE_MS).toBeLessThan(ANSWER_SILENCE_MS_MAX);
  });

  it('is sent once, however often it is asked for, and goes before the question about it', () => {
    const rig = exhausted();
    rig.ask(1);
    rig.cancel(1);
    rig.cancel(1, 2);
    rig.ask(1, 'QUESTION', 2);
    rig.runUntil(1_000);
    expect(rig.seen.slice(1)).toEqual(['Cancel 1@100', 'Query 1@200']);
  });
});

describe('A question that waits', () => {
  it('takes the place of the more urgent one that is asked behind it', () => {
    const rig = exhausted();
    rig.ask(1, 'ROUTINE');
    rig.submit(2, 'TAKING');
    rig.ask(1, 'CANCEL');
    rig.ask(1, 'ROUTINE');
    rig.runUntil(1_000);
    expect(rig.seen.slice(1)).toEqual(['Query 1@100', 'Submit 2@200']);
  });
});

describe('A look at a child that rests', () => {
  it('is not taken any more when the child is cancelled', () => {
    const rig = exhausted();
    rig.ask(1, 'ROUTINE');
    rig.cancel(1);
    rig.runUntil(1_000);
    expect(rig.seen.slice(1)).toEqual(['Cancel 1@100']);
    expect(rig.figures('BINANCE', 'ROUTINE')).toMatchObject({ withdrawn: 1, waiting: 0 });
  });
});

describe('When too many wait', () => {
  it('the newest of the least urgent class gives way, be it the newcomer or not', () => {
    const rig = exhausted(evenRates(1, 60_000));
    for (let count = 0; count < WAITING_REQUESTS_MAX; count += 1) rig.submit(10 + count);
    rig.submit(5);
    rig.advance(0);
    expect(rig.told).toEqual(['Rejected 5@0']);
    rig.submit(6, 'TAKING');
    rig.advance(0);
    expect(rig.told.slice(1)).toEqual([`Rejected ${9 + WAITING_REQUESTS_MAX}@0`]);
    expect(rig.figures('BINANCE', 'RESTING')).toMatchObject({ refused: 2, waiting: WAITING_REQUESTS_MAX - 1 });
  });
});
