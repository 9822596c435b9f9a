import type { OrderId } from '../domain/ids.js';
import type { InstrumentIndex } from '../domain/instrument.js';
import type { Leg, Side } from '../domain/order.js';

/** Furthest price of an own open order. */
export interface OwnQuote {
  readonly orderId: OrderId;
  /**
   * Larger is further. For a buy its highest price in ticks, for a sell its lowest price negated; Infinity: any price.
   */
  readonly reach: number;
}

export function reachOf(leg: Leg): number {
  const { side, limitPrice } = leg;
  const ladder = leg.ladder;
  const sign = side === 'BUY' ? 1 : -1;
  const ends = ladder === null ? [] : [sign * ladder.start, sign * ladder.end];
  return Math.min(limitPrice === null ? Infinity : sign * limitPrice, ladder === null ? Infinity : Math.max(...ends));
}

/** True when two orders on opposite sides may trade with each other. */
export function mayMeet(reach: number, opposite: number): boolean {
  return reach + opposite >= 0;
}

/**
 * The furthest prices of an account's open orders by instrument and side, the furthest one last. The order that another
 * order would meet first is the last entry.
 */
export class OwnQuotes {
  readonly #rows = new Map<string, OwnQuote[]>();

  add(orderId: OrderId, leg: Leg): void {
    const key = rowKey(leg.instrument, leg.side);
    const quote = { orderId, reach: reachOf(leg) };
    const row = this.#rows.get(key);
    if (row === undefined) this.#rows.set(key, [quote]);
    else row.splice(placeOf(row, quote), 0, quote);
  }

  remove(orderId: OrderId, leg: Leg): void {
    const key = rowKey(leg.instrument, leg.side);
    const row = this.#rows.get(key) ?? [];
    const place = placeOf(row, { orderId, reach: reachOf(leg) });
    if (row[place]?.orderId !== orderId) return;
    row.splice(place, 1);
    if (row.length === 0) this.#rows.delete(key);
  }

  /** The own open order on the other side with the furthest price; null: there is none. */
  opposite({ instrument, side }: Leg): OwnQuote | null {
    return this.#rows.get(rowKey(instrument, side === 'BUY' ? 'SELL' : 'BUY'))?.at(-1) ?? null;
  }
}

function rowKey(instrument: InstrumentIndex, side: Side): string {
  return `${instrument}${side}`;
}

/** Index of the quote in its sorted row, or the index where it belongs. */
function placeOf(row: readonly OwnQuote[], { orderId, reach }: OwnQuote): number {
  let [from, to] = [0, row.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const other = row[middle] as OwnQuote;
    const isBefore = other.reach < reach || (other.reach === reach && other.orderId < orderId);
    if (isBefore) from = middle + 1;
    else to = middle;
  }
  return from;
}
