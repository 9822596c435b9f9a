import { describe, expect, it } from 'vitest';
import type { TimelineEntry } from '../../src/client/wire.js';
import { foldChildren, shortId, type ChildRow } from '../../src/console/child-row.js';
import { fillChart } from '../../src/console/fill-chart.js';
import { foldHistory, type FillHistory } from '../../src/console/fill-history.js';
import { OrderStudy } from '../../src/console/order-study.js';
import { BEGINNING, details, entry, STARTED_MS } from './orders.js';

const LOT = 0.00001;

function historyOf(entries: readonly TimelineEntry[]): FillHistory {
  const history: FillHistory = { fills: [], targets: [] };
  foldHistory(history, entries, LOT);
  return history;
}

describe('the children of an order', () => {
  it('are folded from its timeline: what was sent, why, and where each stands', () => {
    const children = new Map<string, ChildRow>();
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
        detail: BEGINNING[3]?.detail,
        status: 'REJECTED',
        filled: 0.25,
        trouble: 'EXCHANGE_ERROR: no',
      },
    ]);
    expect(shortId('65537-12')).toBe('#12');
  });
});

describe('the course of an order', () => {
  it('has each fill with what was filled after it, and what the strategy meant to have', () => {
    const { fills, targets } = historyOf(BEGINNING);
    expect(fills).toEqual([{ atMs: STARTED_MS + 5_000, quantity: 0.25, price: 60_000, liquidity: 'MAKER' }]);
    expect(targets).toEqual([{ atMs: STARTED_MS + 10, quantity: 0.5 }]);
  });

  it('takes the distance of a strategy that has begun anew, not its count', () => {
    const anew = entry(9, 9, 'ChildSubmitted', { detail: 'target=20000 filled=0 working=0', filled_quantity: 1 });
    expect(historyOf([anew]).targets[0]?.quantity).toBeCloseTo(1.2, 10);
  });

  it('is drawn within its frame: steps over time, a dot for each fill, the arrival among the prices', () => {
    const order = {
      side: 'BUY',
      quantity: 2,
      startAtMs: STARTED_MS,
      endAtMs: STARTED_MS + 600_000,
      arrivalPrice: 60_000.5,
      limitPrice: 61_000,
    };
    const chart = fillChart(order, historyOf(BEGINNING), STARTED_MS + 300_000);
    const { left, right, top, base, priceTop, priceBase } = chart.frame;
    const middle = (left + right) / 2;
    expect(chart.filledPath).toBe(`M${left} ${base}H${left + 5.3}V167.8H${middle}`);
    expect(chart.pacePath).toBe(`M${left} ${base}L${right} ${top}`);
    expect(chart.nowX).toBe(middle);
    expect(chart.arrivalY).toBe(priceTop);
    expect(chart.limitY).toBeNull();
    expect(chart.dots).toEqual([{ x: left + 5.3, y: priceBase, isMaker: true, hint: '08:00:05 maker at 60,000' }]);
    expect(chart.quantityMarks.map(({ text }) => text)).toEqual(['0', '1', '2']);
    expect(chart.description).toBe('0.25 of 2 filled in 1 fills');
  });

  it('is drawn without fills, arrival or end too', () => {
    const order = {
      side: 'BUY',
      quantity: 2,
      startAtMs: STARTED_MS,
      endAtMs: null,
      arrivalPrice: null,
      limitPrice: null,
    };
    const chart = fillChart(order, { fills: [], targets: [] }, STARTED_MS);
    expect(JSON.stringify(chart)).not.toMatch(/NaN|Infinity/);
    expect([chart.targetPath, chart.pacePath, chart.priceMarks]).toEqual(['', '', []]);
  });
});

describe('the study of an order', () => {
  it('reads page by page, and later only what is new', async () => {
    const asked: number[] = [];
    const pages = new Map([
      [0, { order_id: 7, events: BEGINNING.slice(0, 3), next_after: 3 }],
      [3, { order_id: 7, events: BEGINNING.slice(3) }],
    ]);
    const study = new OrderStudy(7, {
      timeline: (_id, after) => {
        asked.push(after);
        return Promise.resolve(pages.get(after) ?? { order_id: 7, events: [] });
      },
      details: () => Promise.resolve(details(7)),
      lotOf: () => Promise.resolve(LOT),
      onChange: () => undefined,
    });
    await Promise.all([study.look(), study.look()]);
    expect(asked).toEqual([0, 3, 5]);
    expect(study.children.size).toBe(1);
    expect(study.history.targets).toHaveLength(1);
    expect(study.terms).toBe('duration seconds 600');
    expect(study.failure).toBeNull();
  });

  it('tells what it could not read', async () => {
    const study = new OrderStudy(7, {
      timeline: () => Promise.reject(new Error('not now')),
      details: () => Promise.resolve(null),
      lotOf: () => Promise.resolve(null),
      onChange: () => undefined,
    });
    await study.look();
    expect(study.failure).toBe('not now');
  });
});
