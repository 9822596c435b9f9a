import type { TimelineEntry } from '../client/wire.js';

/** What an order began with: told by its timeline, and by nothing else of the API. */
export interface OrderOrigin {
  /** Service time. */
  readonly createdAtMs: number | null;
  /** Mid price when it first could trade; null as long as it could not. */
  readonly arrivalPrice: number | null;
  /** As the latest terms have it. */
  readonly limitPrice: number | null;
}

export const UNKNOWN_ORIGIN: OrderOrigin = { createdAtMs: null, arrivalPrice: null, limitPrice: null };

const TERMS = new Set(['ParentCreated', 'ParentAmended']);

/** The origin as known before, with what further entries tell. */
export function originAfter(origin: OrderOrigin, entries: readonly TimelineEntry[]): OrderOrigin {
  let { createdAtMs, arrivalPrice, limitPrice } = origin;
  for (const entry of entries) {
    if (entry.event === 'ParentCreated') createdAtMs = entry.time;
    if (TERMS.has(entry.event)) limitPrice = entry.price ?? null;
    if (entry.arrival_price !== undefined) arrivalPrice = entry.arrival_price;
  }
  return { createdAtMs, arrivalPrice, limitPrice };
}

/** Average against arrival in basis points, positive is cost; null before the first fill or without an arrival. */
export function costBps(side: string, averagePrice: number, arrivalPrice: number | null): number | null {
  if (arrivalPrice === null || arrivalPrice <= 0 || averagePrice <= 0) return null;
  const paidMore = (averagePrice - arrivalPrice) / arrivalPrice;
  return (side === 'SELL' ? -paidMore : paidMore) * 10_000;
}
