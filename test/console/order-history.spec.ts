import { describe, expect, it } from 'vitest';
import type { TimelineEntry } from '../../src/client/wire.js';
import {
  markoutColumns,
  priceColumns,
  progressColumns,
  scheduleColumns,
  timeRange,
} from '../../src/console/view/chart-data.js';
import { foldChildren, foldProgress, OrderHistory } from '../../src/console/order/order-history.js';
import type { ChildProgress, OrderHistoryParts, OrderProgress } from '../../src/console/order/order-history.js';
import { BEGINNING, COST_LEG, details, entry, STARTED_MS } from './orders.js';

const ORDER = { quantity: 2, startAtMs: STARTED_MS, endAtMs: STARTED_MS + 600_000 };
const NO_LEVELS = { arrival: null, vwap: null, average: null, limit: null };

function progressOf(entries: readonly TimelineEntry[], leadingLeg: number | null = null): OrderProgress {
  const progress: OrderProgress = { fills: [], targets: [] };
  foldProgress(progress, entries, leadingLeg);
  return progress;
}

describe('the children of an order', () => {
  it('have size, reason and latest state from the timeline', () => {
    const children = new Map<string, ChildProgress>();
    foldChildren(children, BEGINNING);
    foldChildren(children, [
      entry(6, 6_000, 'ChildRejected', {
        child_order_id: '7-1',
        child_status: 'REJECTED',
        error_code: 'EXCHANGE_ERROR',
        message: 'no',
      }),
      entry(7, 6_000, 'ChildFilled', { child_order_id: '7-9', child_status: 'FILLED' }),
    ]);
    expect([...children.values()]).toEqual([
      {
        id: '7-1',
        submittedAtMs: STARTED_MS + 10,
        side: 'BUY',
        quantity: 0.5,
        price: 60_000,
        kind: 'LIMIT GTC',
        reason: 'JOIN_TOUCH',
        detail: 'target=0.5 filled=0 working=0 bid=60000 ask=60001',
        status: 'REJECTED',
        filled: 0.25,
        problem: 'EXCHANGE_ERROR: no',
      },
    ]);
  });
});

describe('the progress of an order', () => {
  it('has each fill with the filled quantity after it, and the targets of the strategy', () => {
    const { fills, targets } = progressOf(BEGINNING);
    expect(fills).toEqual([{ atMs: STARTED_MS + 5_000, quantity: 0.25, price: 60_000, liquidity: 'MAKER', leg: 0 }]);
    expect(targets).toEqual([{ atMs: STARTED_MS + 10, quantity: 0.5 }]);
  });

  it('adds the earlier target when a strategy starts again from 0', () => {
    const anew = entry(9, 9, 'ChildSubmitted', { detail: { target: 0.2, filled: 0, working: 0 }, filled_quantity: 1 });
    expect(progressOf([anew]).targets[0]?.quantity).toBeCloseTo(1.2, 10);
  });

  it('separates the fills of two legs and takes targets from the leading leg only', () => {
    const fill = { price: 9, taker_or_maker: 'TAKER', filled_quantity: 1, other_filled_quantity: 0.5 } as const;
    const decision = { detail: { target: 10, filled: 0 }, filled_quantity: 0 };
    const { fills, targets } = progressOf(
      [
        entry(1, 1, 'ChildFilled', { ...fill, leg: 1 }),
        entry(2, 2, 'ChildFilled', { ...fill, leg: 0 }),
        entry(3, 3, 'ChildSubmitted', { ...decision, leg: 0 }),
      ],
      1,
    );
    expect(fills.map(({ leg, quantity }) => [leg, quantity])).toEqual([
      [1, 1],
      [0, 0.5],
    ]);
    expect(targets).toEqual([]);
  });
});

describe('the chart data', () => {
  it('have filled quantity and target as steps, and an even pace up to the end', () => {
    const columns = progressColumns(ORDER, progressOf(BEGINNING), STARTED_MS + 300_000);
    const [times = [], filled, target, pace] = columns;
    expect(times.map((time) => Number(time) - STARTED_MS)).toEqual([0, 10, 5_000, 300_000, 600_000]);
    expect(filled).toEqual([0, 0, 0.25, 0.25, null]);
    expect(target).toEqual([null, 0.5, 0.5, 0.5, null]);
    expect([pace?.[0], pace?.[3], pace?.[4]]).toEqual([0, 1, 2]);
  });

  it('have each fill at its price by liquidity, and the price levels over the whole width', () => {
    const { fills } = progressOf(BEGINNING);
    const range = timeRange(ORDER, progressOf(BEGINNING), STARTED_MS + 300_000);
    const levels = { arrival: 60_000.5, vwap: 60_001, average: 60_000, limit: 61_000 };
    const [times, maker, taker, arrival, vwap, average, limit] = priceColumns(fills, levels, range);
    expect(times).toEqual([STARTED_MS, STARTED_MS + 5_000, STARTED_MS + 600_000]);
    expect([maker, taker]).toEqual([
      [null, 60_000, null],
      [null, null, null],
    ]);
    expect([arrival, vwap, average].map((column) => new Set(column))).toEqual([
      new Set([60_000.5]),
      new Set([60_001]),
      new Set([60_000]),
    ]);
    // A level far from the other prices would flatten the chart.
    expect(limit).toEqual([null, null, null]);
    expect(priceColumns(fills, { ...levels, limit: 60_000.7 }, range)[6]?.[0]).toBe(60_000.7);
  });

  it('are finite without fills, arrival price or end time', () => {
    const order = { ...ORDER, endAtMs: null };
    const none: OrderProgress = { fills: [], targets: [] };
    const columns = progressColumns(order, none, STARTED_MS);
    const prices = priceColumns([], NO_LEVELS, timeRange(order, none, STARTED_MS));
    expect([...columns, ...prices].flat().every((value) => value === null || Number.isFinite(value))).toBe(true);
    const [, , target, pace] = columns;
    expect([...(target ?? []), ...(pace ?? [])].every((value) => value === null)).toBe(true);
  });

  it('have the planned schedule as a running sum, and markouts sorted by horizon', () => {
    const slices = [
      { time: 1, quantity: 0.25 },
      { time: 2, quantity: 0.5 },
    ];
    expect(scheduleColumns(slices)).toEqual([
      [1, 2],
      [0.25, 0.75],
    ]);
    expect(markoutColumns([{ bps: 1.5 }, { bps: null }])).toEqual([
      [0, 1],
      [1.5, null],
    ]);
  });
});

describe('the history of an order', () => {
  const REPORT = { order_id: 7, status: 'FILLED', as_of: STARTED_MS, legs: [COST_LEG] } as const;
  const parts: OrderHistoryParts = {
    timeline: () => Promise.resolve({ order_id: 7, events: [] }),
    details: () => Promise.resolve(details(7)),
    cost: () => Promise.resolve({ ...REPORT, is_final: false }),
    onChange: () => undefined,
  };

  it('reads page by page, and later only new entries', async () => {
    const asked: number[] = [];
    const pages = new Map([
      [0, { order_id: 7, events: BEGINNING.slice(0, 3), next_after: 3 }],
      [3, { order_id: 7, events: BEGINNING.slice(3) }],
    ]);
    const history = new OrderHistory(7, {
      ...parts,
      timeline: (_id, after) => {
        asked.push(after);
        return Promise.resolve(pages.get(after) ?? { order_id: 7, events: [] });
      },
    });
    await Promise.all([history.read(), history.read()]);
    expect(asked).toEqual([0, 3, 5]);
    expect([history.isRead, history.children.size]).toEqual([true, 1]);
    expect(history.progress.targets).toHaveLength(1);
    expect(history.terms).toBe('duration seconds 600');
    expect(history.failure).toBeNull();
  });

  it('reads the cost report once at a time, until it is final', async () => {
    const answers: ((isFinal: boolean) => void)[] = [];
    const history = new OrderHistory(7, {
      ...parts,
      cost: () =>
        new Promise((resolve) => {
          answers.push((isFinal) => resolve({ ...REPORT, is_final: isFinal }));
        }),
    });
    await history.read();
    const preliminary = history.readCost();
    expect(answers).toHaveLength(1);
    answers[0]?.(false);
    await preliminary;
    expect(history.cost?.is_final).toBe(false);
    const final = history.readCost();
    answers[1]?.(true);
    await final;
    await history.readCost();
    expect([answers.length, history.cost?.is_final]).toEqual([2, true]);
  });

  it('keeps the reason of a read that failed', async () => {
    const history = new OrderHistory(7, { ...parts, timeline: () => Promise.reject(new Error('not now')) });
    await history.read();
    expect([history.failure, history.isRead]).toEqual(['not now', false]);
  });
});
