import type { EventEnvelope, OrderEvent } from '../../src/model/event.js';
import type { ParentOrder } from '../../src/model/order.js';

/*
 * What an order cost, once more, from nothing but the entries of the journal: the definitions of the textbook written out
 * as they stand, by looking at every fill, every observation and every millisecond. Nothing of src/analytics is used.
 */

const HOLD_MS = 5_000;

interface Seen {
  readonly atMs: number;
  readonly bid: number;
  readonly ask: number;
  readonly volume: number;
  readonly turnover: bigint;
}

interface Trade {
  readonly atMs: number;
  readonly quantity: number;
  readonly price: number;
  readonly isMaker: boolean;
  readonly fee: bigint;
}

type Point = readonly [atMs: number, share: number];

export type Figures = Readonly<Record<string, number | boolean | null>>;

/** The journal of one order: its own entries, and the observations of its market. */
class Course {
  readonly order: ParentOrder;
  readonly entries: readonly { readonly event: OrderEvent; readonly atMs: number }[];
  readonly trades: readonly Trade[];
  readonly seen: readonly Seen[];
  readonly status: string;
  readonly startMs: number;
  readonly twiceArrival: number;
  readonly endMs: number;

  constructor(journal: readonly EventEnvelope[], orderId: number, asOfMs: number) {
    const own = journal.filter((one) => one.orderId === orderId && one.parent !== null);
    this.entries = own.map(({ event, eventAtMs }) => ({ event: event as OrderEvent, atMs: eventAtMs }));
    const terms = this.#all('ParentAmended').at(-1) ?? this.#all('ParentCreated')[0]!;
    this.order = terms.event.order;
    this.status = own.at(-1)!.parent!.status;
    const [started] = this.#all('ParentStarted');
    this.startMs = started!.atMs;
    this.twiceArrival = started!.event.arrivalTwiceMid;
    const end = own.find(({ parent }) => ['FILLED', 'CANCELLED', 'REJECTED', 'EXPIRED'].includes(parent!.status));
    this.endMs = end?.eventAtMs ?? asOfMs;
    this.trades = this.#all('ChildFilled')
      .map(({ event: { fill }, atMs }) => ({
        atMs,
        quantity: fill.quantity,
        price: fill.price,
        isMaker: fill.liquidity === 'MAKER',
        fee: fill.fee,
      }))
      .sort((one, other) => one.atMs - other.atMs);
    const rows = new Map<number, Seen>();
    for (const { event, eventAtMs: atMs } of journal) {
      if (event.kind !== 'MarketObserved' || event.instrument !== this.order.instrument) continue;
      const { bid, ask, volume, turnover } = event;
      rows.set(atMs, { atMs, bid, ask, volume, turnover });
    }
    this.seen = [...rows.values()].filter(({ atMs }) => atMs <= asOfMs).sort((one, other) => one.atMs - other.atMs);
  }

  count(kind: OrderEvent['kind']): number {
    return this.entries.filter(({ event }) => event.kind === kind).length;
  }

  /** The market at an instant: the last that was seen at or before it, no longer than 5 s ago. */
  marketAt(atMs: number): Seen | null {
    const seen = this.seen.findLast((one) => one.atMs <= atMs);
    return seen !== undefined && atMs - seen.atMs <= HOLD_MS ? seen : null;
  }

  midAt(atMs: number): number | null {
    const seen = this.marketAt(atMs);
    return seen === null ? null : (seen.bid + seen.ask) / 2;
  }

  /** The observations around a stretch of time. */
  around(fromMs: number, toMs: number): readonly Seen[] {
    const before = this.seen.findLast(({ atMs }) => atMs <= fromMs && fromMs - atMs <= HOLD_MS);
    const first = before ?? this.seen.find(({ atMs }) => atMs > fromMs);
    const after = this.seen.find(({ atMs }) => atMs >= toMs && atMs - toMs <= HOLD_MS);
    const last = after ?? this.seen.findLast(({ atMs }) => atMs <= toMs);
    if (first === undefined || last === undefined || last.atMs <= first.atMs) return [];
    return this.seen.filter(({ atMs }) => atMs >= first.atMs && atMs <= last.atMs);
  }

  #all<Kind extends OrderEvent['kind']>(kind: Kind) {
    return this.entries.filter(
      (one): one is { event: Extract<OrderEvent, { kind: Kind }>; atMs: number } => one.event.kind === kind,
    );
  }
}

/** Every figure of the report, under the names of the report. */
export function textbookFigures(journal: readonly EventEnvelope[], orderId: number, asOfMs: number): Figures {
  const course = new Course(journal, orderId, asOfMs);
  const { order, trades } = course;
  const filled = sum(trades.map(({ quantity }) => quantity));
  const sent = course.entries.flatMap(({ event }) => (event.kind === 'ChildSubmitted' ? [event.order.quantity] : []));
  const childrenFilled = new Set(course.entries.map(({ event }) => (event.kind === 'ChildFilled' ? event.child : 0)));
  childrenFilled.delete(0 as never);
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

/** Fees in lots × ticks, the unit of a notional here. */
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

/** The mean of the mid over every millisecond in which it is known. */
function timeWeightedMid({ seen, startMs, endMs, ...course }: Course): number | null {
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
  void course;
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

/** Memory of a slotted strategy: slots at 0, end at 6; of an IS the urgency κ per day at 9. */
const [SLOTS_AT, END_AT, KAPPA_AT] = [0, 6, 9];
const DAY_MS = 86_400_000;

function schedule(course: Course, asOfMs: number): Figures {
  const none = { 'cost.schedule_deviation.largest': null, 'cost.schedule_deviation.rms': null };
  let terms = course.order;
  let [largest, squares, spanMs, isAny] = [0, 0, 0, false];
  for (const [index, { event, atMs }] of course.entries.entries()) {
    if (event.kind === 'ParentCreated' || event.kind === 'ParentAmended') terms = event.order;
    if (event.kind !== 'ParentStarted' && event.kind !== 'ParentPlanned') continue;
    const breaks = ['ParentPauseRequested', 'ParentAmendRequested', 'ParentCancelRequested', 'ParentPlanned'];
    const stop = course.entries.slice(index + 1).find((one) => breaks.includes(one.event.kind));
    const untilMs = Math.min(stop?.atMs ?? Infinity, course.endMs);
    if (!['TWAP', 'IS', 'VWAP', 'POV'].includes(terms.strategy)) return none;
    const endMs = course.order.strategy === 'POV' ? untilMs : Math.min(untilMs, event.memory[END_AT]!);
    if (endMs <= atMs) continue;
    const before = sum(
      course.entries.slice(0, index).map((one) => (one.event.kind === 'ChildFilled' ? one.event.fill.quantity : 0)),
    );
    const points = planPoints(course, { terms, memory: event.memory, atMs, untilMs }, asOfMs);
    if (points === null) return none;
    const scaled = points.map(([ms, share]): Point => [
      ms,
      (before + share * (terms.quantity - before)) / course.order.quantity,
    ]);
    if (scaled[0]![0] >= endMs) continue;
    isAny = true;
    const found = deviation(scaled, course, endMs);
    largest = Math.max(largest, found.largest);
    squares += found.squares;
    spanMs += endMs - scaled[0]![0];
  }
  if (!isAny) return none;
  return {
    'cost.schedule_deviation.largest': largest,
    'cost.schedule_deviation.rms': spanMs > 0 ? Math.sqrt(squares / spanMs) : largest,
  };
}

interface Plan {
  readonly terms: ParentOrder;
  readonly memory: readonly number[];
  readonly atMs: number;
  readonly untilMs: number;
}

function planPoints(course: Course, { terms, memory, atMs, untilMs }: Plan, asOfMs: number): Point[] | null {
  const before = sum(course.trades.filter((one) => one.atMs < atMs).map(({ quantity }) => quantity));
  const endMs = memory[END_AT]!;
  switch (terms.strategy) {
    case 'TWAP':
      return [
        [atMs, 0],
        [endMs, 1],
      ];
    case 'IS': {
      const [count, days] = [memory[SLOTS_AT]!, (endMs - atMs) / DAY_MS];
      const whole = memory[KAPPA_AT]! * days;
      const heldAt = (part: number) => (whole < 1e-6 ? 1 - part : Math.sinh(whole * (1 - part)) / Math.sinh(whole));
      return Array.from({ length: count + 1 }, (_, slot): Point => [
        atMs + ((endMs - atMs) * slot) / count,
        slot === count ? 1 : 1 - heldAt(slot / count),
      ]);
    }
    case 'VWAP': {
      if (asOfMs < endMs || course.midAt(endMs) === null) return null;
      const others = volumesOfOthers(course, atMs, endMs);
      const all = others.at(-1)?.[1] ?? 0;
      return all === 0 ? null : others.map(([ms, volume]): Point => [ms, volume / all]);
    }
    case 'POV': {
      const others = volumesOfOthers(course, atMs, untilMs);
      const rate = terms.clip.type === 'PERCENTAGE' ? terms.clip.ppmOfPercent / 1e8 : 0.1;
      const left = terms.quantity - before;
      const wanted = others.map(([ms, volume]): Point => [ms, Math.min(1, ((rate / (1 - rate)) * volume) / left)]);
      return wanted.length === 0 ? null : wanted;
    }
    default:
      return null;
  }
}

function volumesOfOthers(course: Course, fromMs: number, toMs: number): Point[] {
  const rows = course.around(fromMs, toMs);
  return rows.map(({ atMs }, index) => {
    let highest = 0;
    // Never falling: what was traded by then, at any observation so far.
    for (let last = 0; last <= index; last += 1) {
      let traded = 0;
      for (let step = 1; step <= last; step += 1) {
        const [one, next] = [rows[step - 1]!, rows[step]!];
        if (next.volume >= one.volume && next.turnover >= one.turnover) traded += next.volume - one.volume;
      }
      const own = course.trades.filter((trade) => trade.atMs > rows[0]!.atMs && trade.atMs <= rows[last]!.atMs);
      highest = Math.max(highest, traded - sum(own.map(({ quantity }) => quantity)));
    }
    return [atMs, highest];
  });
}

/** By Simpson's rule between all instants at which anything bends or jumps, which is exact for squares of lines. */
function deviation(points: readonly Point[], { trades, order }: Course, untilMs: number) {
  const startMs = points[0]![0];
  const instants = [startMs, untilMs, ...points.map(([ms]) => ms), ...trades.map(({ atMs }) => atMs)];
  const cuts = [...new Set(instants)].filter((ms) => ms >= startMs && ms <= untilMs).sort((one, other) => one - other);
  const planned = (ms: number): number => {
    const before = points.findLastIndex(([at]) => at <= ms);
    const [one, next] = [points[before]!, points[before + 1]];
    return next === undefined ? one[1] : one[1] + ((next[1] - one[1]) * (ms - one[0])) / (next[0] - one[0]);
  };
  let [largest, squares] = [0, 0];
  for (const [index, from] of cuts.entries()) {
    const to = cuts[index + 1] ?? from;
    const done = sum(trades.filter(({ atMs }) => atMs <= from).map(({ quantity }) => quantity)) / order.quantity;
    const [a, m, b] = [planned(from), planned((from + to) / 2), planned(to)].map((wanted) => done - wanted);
    largest = Math.max(largest, Math.abs(a!), Math.abs(b!));
    squares += ((to - from) / 6) * (a! ** 2 + 4 * m! ** 2 + b! ** 2);
  }
  return { largest, squares };
}

function onTime({ order, status, trades, startMs, entries }: Course, asOfMs: number): boolean | null {
  const ends = [order.endAtMs ?? Infinity];
  if (order.trigger !== null && order.durationMs !== null) ends.push(startMs + order.durationMs);
  const plans = entries.flatMap(({ event }) =>
    event.kind === 'ParentStarted' || event.kind === 'ParentPlanned' ? [event.memory[END_AT]] : [],
  );
  const given = Math.min(...ends);
  const due = given < Infinity ? given : order.strategy === 'IS' ? (plans.at(-1) ?? Infinity) : Infinity;
  if (due === Infinity) return null;
  if (status === 'FILLED') return trades.at(-1)!.atMs <= due;
  if (status === 'CANCELLED' || status === 'REJECTED') return null;
  return asOfMs >= due ? false : null;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
