import { ExecutedOrder } from './executed-order.js';
import { ObservedMarket } from './quote-history.js';
import { legCost, type LegCost } from './leg-cost.js';
import { MARKOUT_HORIZONS_MS } from './execution-cost.js';
import type { WorkedLeg } from './worked-leg.js';
import type { StateSnapshot, QuoteHistoryReader } from '../journal/port.js';
import type { OrderId, Seq } from '../domain/ids.js';
import { COST_EVENTS_PER_PAGE, COST_OBSERVATIONS_MAX } from '../domain/limits/clients.js';
import { QUOTE_HOLD_MS, QUOTE_INTERVAL_MS } from '../domain/limits/trading.js';
import type { ParentOrder } from '../domain/order.js';
import type { EpochMs } from '../domain/time.js';

/** The part of the journal that reports need. */
export type CostReader = Pick<StateSnapshot, 'events'> & QuoteHistoryReader;

/** A leg and its cost; null when it could not trade yet. */
export interface MeasuredLeg {
  readonly leg: WorkedLeg;
  readonly cost: LegCost | null;
}

export interface MeasuredOrder {
  readonly order: ParentOrder;
  readonly legs: readonly MeasuredLeg[];
}

const LONGEST_HORIZON_MS = Math.max(...MARKOUT_HORIZONS_MS);

/**
 * Reads an order's events and quote history from the journal and measures it as of an instant; null for an unknown
 * order.
 */
export function measureOrder(reader: CostReader, orderId: OrderId, asOfMs: EpochMs): MeasuredOrder | null {
  const executed = new ExecutedOrder();
  let after: Seq | 0 = 0;
  for (;;) {
    const page = reader.events(orderId, after, COST_EVENTS_PER_PAGE);
    for (const envelope of page) executed.append(envelope);
    const last = page.at(-1);
    if (last === undefined || page.length < COST_EVENTS_PER_PAGE) break;
    after = last.seq;
  }
  const { order } = executed;
  if (order === null) return null;
  return { order, legs: executed.legs().map((leg) => measureLeg(reader, leg, asOfMs)) };
}

function measureLeg(reader: CostReader, leg: WorkedLeg, asOfMs: EpochMs): MeasuredLeg {
  return { leg, cost: legCost(leg, marketOf(reader, leg, asOfMs), asOfMs) };
}

/** Reads the quote history from the leg's start to the last markout and the end of the schedule. */
function marketOf(reader: CostReader, leg: WorkedLeg, asOfMs: EpochMs): ObservedMarket {
  const market = new ObservedMarket();
  const { startedAtMs, endedAtMs, fills, instrument } = leg;
  if (startedAtMs === null) return market;
  const endMs = endedAtMs ?? asOfMs;
  const lastFillMs = fills.at(-1)?.atMs ?? endMs;
  const wantedMs = Math.max(endMs, lastFillMs + LONGEST_HORIZON_MS, courseEndOf(leg) ?? endMs);
  const untilMs = Math.min(asOfMs, wantedMs + QUOTE_HOLD_MS) as EpochMs;
  // Thins out the observations of a long order.
  const eachMs = Math.floor((untilMs - startedAtMs) / COST_OBSERVATIONS_MAX / QUOTE_INTERVAL_MS) * QUOTE_INTERVAL_MS;
  let nextMs = -Infinity;
  for (const seen of reader.quoteHistory(instrument, startedAtMs, untilMs)) {
    if (seen.atMs < nextMs) continue;
    market.append(seen);
    if (eachMs > 0) nextMs = seen.atMs + eachMs;
  }
  return market;
}

/**
 * Returns how long the market counts for the leg's schedule, even after the leg has ended; null: until the leg ends.
 */
export function courseEndOf({ strategy, dueAtMs }: WorkedLeg): EpochMs | null {
  return strategy === 'VWAP' ? dueAtMs : null;
}
