import { OrderStory } from '../analytics/order-story.js';
import { Tape } from '../analytics/tape.js';
import { legCost, type LegCost } from '../analytics/leg-cost.js';
import { MARKOUT_HORIZONS_MS } from '../analytics/markout.js';
import type { WorkedLeg } from '../analytics/worked-leg.js';
import type { StateReader, TapeReader } from '../journal/port.js';
import type { OrderId, Seq } from '../model/ids.js';
import { COST_EVENTS_PER_PAGE, COST_OBSERVATIONS_MAX, TAPE_HOLD_MS, TAPE_INTERVAL_MS } from '../model/limits.js';
import type { ParentOrder } from '../model/order.js';
import type { EpochMs } from '../model/time.js';

/** The journal as far as reports need it. */
export type CostReader = Pick<StateReader, 'events'> & TapeReader;

/** A leg and what it cost; null when it could not trade yet. */
export interface MeasuredLeg {
  readonly leg: WorkedLeg;
  readonly cost: LegCost | null;
}

export interface MeasuredOrder {
  readonly order: ParentOrder;
  readonly legs: readonly MeasuredLeg[];
}

const LONGEST_HORIZON_MS = Math.max(...MARKOUT_HORIZONS_MS);

/** Reads an order's events and its markets from the journal and measures it as of an instant; null when there is none. */
export function measureOrder(reader: CostReader, orderId: OrderId, asOfMs: EpochMs): MeasuredOrder | null {
  const story = new OrderStory();
  let after: Seq | 0 = 0;
  for (;;) {
    const page = reader.events(orderId, after, COST_EVENTS_PER_PAGE);
    for (const envelope of page) story.append(envelope);
    const last = page.at(-1);
    if (last === undefined || page.length < COST_EVENTS_PER_PAGE) break;
    after = last.seq;
  }
  const { order } = story;
  if (order === null) return null;
  return { order, legs: story.legs().map((leg) => measureLeg(reader, leg, asOfMs)) };
}

function measureLeg(reader: CostReader, told: WorkedLeg, asOfMs: EpochMs): MeasuredLeg {
  const tape = tapeOf(reader, told, asOfMs);
  const leg = { ...told, arrivalTwiceMid: told.arrivalTwiceMid ?? twiceMidAtStart(told, tape) };
  return { leg, cost: legCost(leg, tape, asOfMs) };
}

/** Of the leg that does not lead: its own order tells only what the leading one was worth. */
function twiceMidAtStart({ startedAtMs }: WorkedLeg, tape: Tape): number | null {
  // Its market may first be told of a moment after the order has begun.
  const quote = startedAtMs === null ? null : tape.quoteFrom(startedAtMs);
  return quote === null ? null : 2 * quote.mid;
}

/** From the leg's start until the markouts of its last fill and the end of its schedule are known. */
function tapeOf(reader: CostReader, leg: WorkedLeg, asOfMs: EpochMs): Tape {
  const tape = new Tape();
  const { startedAtMs, endedAtMs, fills, instrument } = leg;
  if (startedAtMs === null) return tape;
  const endMs = endedAtMs ?? asOfMs;
  const lastFillMs = fills.at(-1)?.atMs ?? endMs;
  const wantedMs = Math.max(endMs, lastFillMs + LONGEST_HORIZON_MS, courseEndOf(leg) ?? endMs);
  const untilMs = Math.min(asOfMs, wantedMs + TAPE_HOLD_MS) as EpochMs;
  // Nobody needs each second of an order that was worked for a week.
  const eachMs = Math.floor((untilMs - startedAtMs) / COST_OBSERVATIONS_MAX / TAPE_INTERVAL_MS) * TAPE_INTERVAL_MS;
  let nextMs = -Infinity;
  for (const seen of reader.tape(instrument, startedAtMs, untilMs)) {
    if (seen.atMs < nextMs) continue;
    tape.append(seen);
    if (eachMs > 0) nextMs = seen.atMs + eachMs;
  }
  return tape;
}

/** Until when the market has a say in the leg's schedule, even when the leg is over before; null: no longer than it works. */
export function courseEndOf({ strategy, dueAtMs }: WorkedLeg): EpochMs | null {
  return strategy === 'VWAP' ? dueAtMs : null;
}
