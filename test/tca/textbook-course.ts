import type { AnyEvent, EventEnvelope, OrderEvent } from '../../src/model/event.js';
import type { ParentOrder } from '../../src/model/order.js';

/** An observation holds no longer. */
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

/** The journal of one order: its own entries, and the observations of its market. */
export class Course {
  readonly order: ParentOrder;
  readonly entries: readonly { readonly event: OrderEvent; readonly atMs: number }[];
  readonly trades: readonly Trade[];
  readonly seen: readonly Seen[];
  readonly status: string;
  readonly startMs: number;
  readonly twiceArrival: number;
  readonly endMs: number;

  constructor(journal: readonly EventEnvelope[], orderId: number, asOfMs: number, leg: Leg) {
    const all = journal.filter((one) => one.orderId === orderId && one.parent !== null);
    const own = all.filter(({ event }) => isOf(leg, event));
    this.entries = own.map(({ event, eventAtMs }) => ({ event: event as OrderEvent, atMs: eventAtMs }));
    const terms = this.#all('ParentAmended').at(-1) ?? this.#all('ParentCreated')[0]!;
    const { pair } = terms.event.order;
    const other = pair?.legs[pair.leadingIndex === 0 ? 1 : 0];
    this.order = leg === 'following' ? { ...terms.event.order, ...other, strategy: 'LIMIT' } : terms.event.order;
    this.status = all.at(-1)!.parent!.status;
    const [started] = this.#all('ParentStarted');
    this.startMs = started!.atMs;
    // A leg ends with its order, whichever leg's event that is.
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
    // The other leg of a pair arrives with it, at the mid that its own market showed then, or first within 5 s.
    const next = this.seen.find(({ atMs }) => atMs > this.startMs && atMs - this.startMs <= HOLD_MS);
    const seen = this.marketAt(this.startMs) ?? next;
    const following = seen === undefined ? Number.NaN : seen.bid + seen.ask;
    this.twiceArrival = leg === 'following' ? following : started!.event.arrivalTwiceMid;
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

/** A pair numbers the children of its legs apart: odd those of the leading one, even those of the other. */
export type Leg = 'only' | 'leading' | 'following';

function isOf(leg: Leg, event: AnyEvent): boolean {
  const child = event.kind === 'ChildSubmitted' ? event.order.child : 'child' in event ? event.child : null;
  return leg === 'only' || child === null || (child % 2 === 0) === (leg === 'following');
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
