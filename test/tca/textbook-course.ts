import type { EventEnvelope, OrderEvent } from '../../src/domain/event.js';
import type { Leg as OrderLeg, ParentOrder } from '../../src/domain/order.js';
import { legAt, otherLeg, type Pair, type LegIndex } from '../../src/domain/pair.js';
import { leadingIndexOf } from '../../src/domain/order-legs.js';
import type { LegMemory } from '../../src/domain/strategy-memory.js';

/** Validity of an observation. */
export const HOLD_MS = 5_000;

interface Seen {
  readonly atMs: number;
  readonly bid: number;
  readonly ask: number;
  readonly volume: number;
  readonly turnover: bigint;
}

export interface Trade {
  readonly atMs: number;
  readonly quantity: number;
  readonly price: number;
  readonly isMaker: boolean;
  readonly fee: bigint;
}

/** Terms of an order, with those of one leg. */
export type Terms = ParentOrder & OrderLeg;

/** The journal of one order: its own entries, and the observations of its market. */
export class Course {
  readonly order: Terms;
  readonly entries: readonly { readonly event: OrderEvent; readonly atMs: number }[];
  readonly trades: readonly Trade[];
  readonly seen: readonly Seen[];
  readonly status: string;
  readonly startMs: number;
  readonly twiceArrival: number;
  readonly endMs: number;

  constructor(journal: readonly EventEnvelope[], orderId: number, asOfMs: number, leg: Leg) {
    const all = journal.filter((one) => one.orderId === orderId && one.parent !== null);
    const { pair: legs } = all.flatMap(({ event }) => (event.kind === 'ParentCreated' ? event.order : []))[0]!;
    const own = all.filter(({ child }) => isOf(leg, child, legs));
    this.entries = own.map(({ event, eventAtMs }) => ({ event: event as OrderEvent, atMs: eventAtMs }));
    const terms = this.#all('ParentAmended').at(-1) ?? this.#all('ParentCreated')[0]!;
    const latest = termsOf(terms.event.order, leg);
    this.order = leg === 'following' ? { ...latest, strategy: 'LIMIT' } : latest;
    this.status = all.at(-1)!.parent!.status;
    const [started] = this.#all('ParentStarted');
    this.startMs = started!.atMs;
    // A leg ends with its order, even if the last event is of the other leg.
    const end = all.find(({ parent }) => ['FILLED', 'CANCELLED', 'REJECTED', 'EXPIRED'].includes(parent!.status));
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
    this.twiceArrival = started!.event.legs[indexOf(this.order, leg)]!.arrivalTwiceMid;
  }

  /**
   * Distance of the journalled arrival mid from the mid that the market observations give for the start: the latest one
   * before it, or the first one within 5 s, in basis points. null: the market was not observed then.
   */
  get arrivalErrorBps(): number | null {
    const next = this.seen.find(({ atMs }) => atMs > this.startMs && atMs - this.startMs <= HOLD_MS);
    const seen = this.marketAt(this.startMs) ?? next;
    return seen === undefined ? null : Math.abs(this.twiceArrival / (seen.bid + seen.ask) - 1) * 10_000;
  }

  count(kind: OrderEvent['kind']): number {
    return this.entries.filter(({ event }) => event.kind === kind).length;
  }

  /** Returns the latest observation at or before an instant, at most 5 s old. */
  marketAt(atMs: number): Seen | null {
    const seen = this.seen.findLast((one) => one.atMs <= atMs);
    return seen !== undefined && atMs - seen.atMs <= HOLD_MS ? seen : null;
  }

  midAt(atMs: number): number | null {
    const seen = this.marketAt(atMs);
    return seen === null ? null : (seen.bid + seen.ask) / 2;
  }

  /** Returns the observations around a period. */
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

export type Leg = 'only' | 'leading' | 'following';

function indexOf(order: ParentOrder, leg: Leg): LegIndex {
  const leading = leadingIndexOf(order);
  return leg === 'following' ? otherLeg(leading) : leading;
}

/** The order with the terms of a leg. */
export function termsOf(order: ParentOrder, leg: Leg): Terms {
  return { ...order, ...legAt(order.legs, indexOf(order, leg)) };
}

/** True for an event about the order or about a child of the leg. */
function isOf(leg: Leg, child: EventEnvelope['child'], pair: Pair | null): boolean {
  if (child === null || pair === null) return true;
  return (child.order.leg !== pair.leadingIndex) === (leg === 'following');
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Memory of the leading leg's strategy at a start or a plan. */
export function plannedMemory(
  { order }: Course,
  event: Extract<OrderEvent, { kind: 'ParentStarted' | 'ParentPlanned' }>,
): LegMemory {
  const leg = order.pair?.leadingIndex ?? 0;
  return (event.kind === 'ParentStarted' ? event.legs[leg]?.memory : event.memories[leg])!;
}
