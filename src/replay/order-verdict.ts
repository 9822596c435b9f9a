import type { ExecutedFill, Execution } from '../analytics/execution.js';
import { executionCost, type ExecutionCost } from '../analytics/execution-cost.js';
import { markouts, type Markout } from '../analytics/markout.js';
import { scheduleDeviation, scheduleOf, type ScheduleDeviation } from '../analytics/schedule-deviation.js';
import type { NumberedEvent } from '../journal/port.js';
import { assert } from '../model/assert.js';
import type { ParentState } from '../model/order.js';
import type { EpochMs } from '../model/time.js';
import type { MarketRecord } from './market-record.js';

/** An order that could trade, when its replay is over. */
export interface WorkedOrder {
  readonly state: ParentState;
  readonly events: readonly NumberedEvent[];
  readonly market: MarketRecord;
  /** When it ended, or the recording did. */
  readonly endMs: EpochMs;
  /** The market is known up to here. */
  readonly knownUntilMs: EpochMs;
}

export interface OrderVerdict {
  readonly execution: Execution;
  readonly cost: ExecutionCost;
  readonly markouts: readonly Markout[];
  /** null for a strategy that follows no schedule. */
  readonly deviation: ScheduleDeviation | null;
}

/** What the order cost, against the market as others made it. */
export function judge({ state, events, market, endMs, knownUntilMs }: WorkedOrder): OrderVerdict {
  const { order, startedAtMs, arrivalTwiceMid } = state;
  assert(startedAtMs !== null && arrivalTwiceMid !== null, 'an order that could trade has an arrival price');
  const { side, quantity, quantityPrecision, pricePrecision } = order;
  const fills = fillsOf(events);
  const execution: Execution = {
    side,
    quantity,
    quantityPrecision,
    pricePrecision,
    arrivalMid: arrivalTwiceMid / 2,
    startMs: startedAtMs,
    endMs,
    fills,
  };
  const others = market.trades.between(startedAtMs, endMs);
  const schedule = scheduleOf(order, startedAtMs);
  const untilMs = Math.min(order.endAtMs ?? endMs, knownUntilMs) as EpochMs;
  return {
    execution,
    cost: executionCost(execution, { mids: market.mids, others }),
    markouts: markouts(execution, market.mids, knownUntilMs),
    deviation: schedule === null ? null : scheduleDeviation(schedule, fills, { quantity, untilMs }),
  };
}

function fillsOf(events: readonly NumberedEvent[]): ExecutedFill[] {
  return events.flatMap(({ envelope: { event, eventAtMs } }) => {
    if (event.kind !== 'ChildFilled') return [];
    const { quantity, price, liquidity, fee } = event.fill;
    return [{ atMs: eventAtMs, quantity, price, liquidity, fee }];
  });
}
