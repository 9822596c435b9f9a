import type { EventEnvelope } from '../../src/domain/event.js';
import { Course, HOLD_MS, plannedMemory, sum, type Leg, type Trade } from './textbook-course.js';
import { endOf, schedule } from './textbook-schedule.js';

/*
 * Recomputes the cost of an order from the journal entries alone. Implements the textbook definitions directly, over
 * every fill, observation and millisecond. Does not use src/tca.
 */

export type Figures = Readonly<Record<string, number | boolean | null>>;

/** Returns every figure of the report, under the names of the report. */
export function textbookFigures(
  journal: readonly EventEnvelope[],
  orderId: number,
  asOfMs: number,
  leg: Leg = 'only',
): Figures {
  const course = new Course(journal, orderId, asOfMs, leg);
  const { order, trades } = course;
  const filled = sum(trades.map(({ quantity }) => quantity));
  const sent = course.entries.flatMap(({ event }) => (event.kind === 'ChildSubmitted' ? [event.order.quantity] : []));
  const childrenFilled = new Set(
    course.entries.flatMap(({ event }) => (event.kind === 'ChildFilled' ? [event.child] : [])),
  );
  const perFill = (count: number) => (trades.length === 0 ? null : count / trades.length);
  return {
    quantity: order.quantity / 10 ** order.quantityPrecision,
    filled_quantity: filled / 10 ** order.quantityPrecision,
    completion: filled / order.quantity,
    'children.sent': sent.length,
    'children.filled': childrenFilled.size,
    'children.rejected': course.count('ChildRejected'),
    'children.cancelled': course.count('ChildCancelled'),
    'children.fills': trades.length,
    'children.fill_rate': sent.length === 0 ? null : filled / sum(sent),
    'children.sent_per_fill': perFill(sent.length),
    'children.cancelled_per_fill': perFill(course.count('ChildCancelled')),
    'children.messages_per_fill': perFill(sent.length + course.count('ChildCancelRequested')),
    ...prices(course),
    ...shortfall(course),
    ...market(course),
    ...spread(course),
    ...markouts(course, asOfMs),
    ...schedule(course, asOfMs),
    'cost.start_time': course.startMs,
    'cost.end_time': course.endMs,
    'cost.on_time': onTime(course, asOfMs),
  };
}

function signOf({ order }: Course): number {
  return order.side === 'BUY' ? 1 : -1;
}

function averageOf(trades: readonly Trade[]): number | null {
  const quantity = sum(trades.map((one) => one.quantity));
  const money = trades.reduce((total, one) => total + BigInt(one.quantity) * BigInt(one.price), 0n);
  return quantity === 0 ? null : Number(money) / quantity;
}

function against(course: Course, reference: number | null): number | null {
  const average = averageOf(course.trades);
  return average === null || reference === null ? null : (1e4 * signOf(course) * (average - reference)) / reference;
}

/** Fees in the unit of the notional: lots × ticks. */
function feesOf({ order, trades }: Course): number {
  return (
    Number(trades.reduce((total, { fee }) => total + fee, 0n)) /
    10 ** (18 - order.quantityPrecision - order.pricePrecision)
  );
}

function prices(course: Course): Figures {
  const { order, trades, twiceArrival } = course;
  const tick = 10 ** -order.pricePrecision;
  const average = averageOf(trades);
  const arrival = twiceArrival / 2;
  const filled = sum(trades.map(({ quantity }) => quantity));
  const slippage = against(course, arrival);
  const maker = sum(trades.filter(({ isMaker }) => isMaker).map(({ quantity }) => quantity));
  return {
    'cost.arrival_price': arrival * tick,
    'cost.average_price': average === null ? null : average * tick,
    'cost.arrival_slippage_bps': slippage,
    'cost.all_in_slippage_bps': slippage === null ? null : slippage + (1e4 * feesOf(course)) / (filled * arrival),
    'cost.fees_bps': average === null ? null : (1e4 * feesOf(course)) / (filled * average),
    'cost.maker_share': filled === 0 ? null : maker / filled,
  };
}

function shortfall(course: Course): Figures {
  const { order, trades, twiceArrival, endMs } = course;
  const sign = signOf(course);
  const arrival = twiceArrival / 2;
  const filled = sum(trades.map(({ quantity }) => quantity));
  const done = sign * sum(trades.map(({ quantity, price }) => quantity * (price - arrival)));
  const endMid = course.midAt(endMs);
  const left = order.quantity - filled;
  const missed = left === 0 ? 0 : endMid === null ? null : sign * left * (endMid - arrival);
  const total = missed === null ? null : done + missed + feesOf(course);
  const unit = 10 ** -(order.quantityPrecision + order.pricePrecision);
  return {
    'cost.implementation_shortfall_bps': total === null ? null : (1e4 * total) / (order.quantity * arrival),
    'cost.implementation_shortfall.trading': done * unit,
    'cost.implementation_shortfall.missed': missed === null ? null : missed * unit,
    'cost.implementation_shortfall.fees': feesOf(course) * unit,
    'cost.implementation_shortfall.total': total === null ? null : total * unit,
  };
}

function market(course: Course): Figures {
  const { order, trades, startMs, endMs } = course;
  const rows = course.around(startMs, Math.max(endMs, trades.at(-1)?.atMs ?? 0));
  const tick = 10 ** -order.pricePrecision;
  const [first, last] = [rows[0], rows.at(-1)];
  let [volume, money] = [0, 0n];
  for (const [index, next] of rows.entries()) {
    const one = rows[index - 1];
    if (one === undefined || next.volume < one.volume || next.turnover < one.turnover) continue;
    volume += next.volume - one.volume;
    money += next.turnover - one.turnover;
  }
  for (const { atMs, quantity, price } of trades) {
    if (first === undefined || last === undefined || atMs <= first.atMs || atMs > last.atMs) continue;
    volume -= quantity;
    money -= BigInt(quantity) * BigInt(price);
  }
  if (volume <= 0) [volume, money] = [0, 0n];
  const filled = sum(trades.map(({ quantity }) => quantity));
  const paid = trades.reduce((total, one) => total + BigInt(one.quantity) * BigInt(one.price), 0n);
  const isSeen = first !== undefined;
  const vwap = isSeen && volume > 0 ? Number(money) / volume : null;
  const withOwn = volume + filled > 0 && isSeen ? Number(money + paid) / (volume + filled) : null;
  const twap = timeWeightedMid(course);
  return {
    'cost.market.observed_from': first?.atMs ?? null,
    'cost.market.observed_to': last?.atMs ?? null,
    'cost.market.volume': isSeen ? volume / 10 ** order.quantityPrecision : null,
    'cost.market.vwap': vwap === null ? null : vwap * tick,
    'cost.market.vwap_with_own': withOwn === null ? null : withOwn * tick,
    'cost.market.twap': twap === null ? null : twap * tick,
    'cost.vwap_slippage_bps': against(course, vwap),
    'cost.twap_slippage_bps': against(course, twap),
    'cost.participation': isSeen && volume + filled > 0 ? filled / (volume + filled) : null,
  };
}

/** Mean of the mid over every millisecond in which it is known. */
function timeWeightedMid({ seen, startMs, endMs }: Course): number | null {
  let [total, known, index] = [0, 0, -1];
  for (let ms = startMs; ms < endMs; ms += 1) {
    while (seen[index + 1] !== undefined && seen[index + 1]!.atMs <= ms) index += 1;
    const one = seen[index];
    if (one === undefined || ms - one.atMs >= HOLD_MS) continue;
    total += (one.bid + one.ask) / 2;
    known += 1;
  }
  if (known > 0) return total / known;
  const last = seen.findLast(({ atMs }) => atMs <= endMs);
  return last !== undefined && endMs - last.atMs <= HOLD_MS ? (last.bid + last.ask) / 2 : null;
}

function spread(course: Course): Figures {
  const sign = signOf(course);
  const known = course.trades.flatMap((trade) => {
    const seen = course.marketAt(trade.atMs);
    return seen === null ? [] : [{ ...trade, mid: (seen.bid + seen.ask) / 2, half: (seen.ask - seen.bid) / 2 }];
  });
  const quantity = sum(known.map((one) => one.quantity));
  const paid = sum(known.map((one) => (one.quantity * 2 * sign * (one.price - one.mid)) / one.mid));
  const earned = sum(known.map((one) => one.quantity * sign * (one.mid - one.price)));
  const offered = sum(known.map((one) => one.quantity * one.half));
  return {
    'cost.effective_spread_bps': quantity === 0 ? null : (1e4 * paid) / quantity,
    'cost.spread_capture': offered === 0 ? null : earned / offered,
  };
}

function markouts(course: Course, asOfMs: number): Figures {
  const sign = signOf(course);
  const filled = sum(course.trades.map(({ quantity }) => quantity));
  const figures: Record<string, number | null> = {};
  for (const [index, horizon] of [1_000, 5_000, 60_000].entries()) {
    const moved = course.trades.flatMap(({ atMs, quantity, price }) => {
      const mid = atMs + horizon <= asOfMs ? course.midAt(atMs + horizon) : null;
      return mid === null ? [] : [{ quantity, bps: (1e4 * sign * (mid - price)) / price }];
    });
    const covered = sum(moved.map(({ quantity }) => quantity));
    figures[`cost.markouts.${index}.bps`] =
      covered === 0 ? null : sum(moved.map(({ quantity, bps }) => quantity * bps)) / covered;
    figures[`cost.markouts.${index}.coverage`] = filled === 0 ? 0 : covered / filled;
  }
  return figures;
}

function onTime(course: Course, asOfMs: number): boolean | null {
  const { order, status, trades, startMs, entries } = course;
  const ends = [order.endAtMs ?? Infinity];
  if (order.trigger !== null && order.durationMs !== null) ends.push(startMs + order.durationMs);
  const plans = entries.flatMap(({ event }) =>
    event.kind === 'ParentStarted' || event.kind === 'ParentPlanned' ? [endOf(plannedMemory(course, event))] : [],
  );
  const given = Math.min(...ends);
  const due = given < Infinity ? given : order.strategy === 'IS' ? (plans.at(-1) ?? Infinity) : Infinity;
  if (due === Infinity) return null;
  if (status === 'FILLED') return trades.at(-1)!.atMs <= due;
  if (status === 'CANCELLED' || status === 'REJECTED') return null;
  return asOfMs >= due ? false : null;
}
