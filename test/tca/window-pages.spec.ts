import { expect, it } from 'vitest';
import type { OrderId } from '../../src/domain/ids.js';
import { COST_ORDERS_MAX } from '../../src/domain/limits/clients.js';
import type { EpochMs } from '../../src/domain/time.js';
import { windowCostText } from '../../src/tca/window-report.js';
import { DEMO, parentState } from '../http/orders.js';

/** Orders of these instants, of which a report reads the latest first. Returns the measured orders of a report. */
function reportOf(createdAtMs: readonly number[], toMs: number): { measured: number[]; nextTo: number | undefined } {
  const states = createdAtMs.map((atMs, index) =>
    parentState({ orderId: (index + 1) as OrderId, createdAtMs: atMs as EpochMs }),
  );
  const measured: number[] = [];
  const reader = {
    find: (_account: unknown, _fromMs: number, lastMs: number, limit: number) =>
      states
        .filter(({ order }) => order.createdAtMs <= lastMs)
        .sort((one, other) => other.order.createdAtMs - one.order.createdAtMs)
        .slice(0, limit),
    events: (orderId: OrderId) => {
      measured.push(orderId);
      return [];
    },
    quoteHistory: () => [],
  };
  const question = {
    kind: 'window',
    account: DEMO,
    fromMs: 0,
    toMs,
    by: [],
    asOfMs: toMs,
    venue: null,
    symbol: null,
    strategy: null,
  };
  const { next_to: nextTo } = JSON.parse(windowCostText(reader, question as never)) as { next_to?: number };
  return { measured, nextTo };
}

it('measures each order in one of the reports of a window', () => {
  // Four orders of one instant are at the border.
  const createdAtMs = Array.from({ length: COST_ORDERS_MAX + 20 }, (_, index) => 1_000 + index);
  for (const index of [18, 19, 20, 21]) createdAtMs[index] = 1_020;
  const first = reportOf(createdAtMs, 1e6);
  const second = reportOf(createdAtMs, first.nextTo!);
  expect(second.nextTo).toBeUndefined();
  expect([...first.measured, ...second.measured].sort((one, other) => one - other)).toEqual(
    createdAtMs.map((_, index) => index + 1),
  );
});

it('does not offer a next report that would repeat or skip orders of one millisecond', () => {
  const { measured, nextTo } = reportOf(
    Array.from({ length: COST_ORDERS_MAX + 1 }, () => 5),
    1e6,
  );
  expect([measured.length, nextTo]).toEqual([COST_ORDERS_MAX, undefined]);
});
