import type { Market } from '../src/model/market.js';
import type { Lots, Ticks } from '../src/model/quantity.js';
import type { EpochMs } from '../src/model/time.js';

/**
 * A market whose bid quantity is the moment it was written, in microseconds, so that whoever receives the ticker of it
 * knows how old it is: the frame's own time stamp is too coarse. The last digit is no zero, for a decimal text drops those.
 */
export function stampedMarket(stampUs: number): Market {
  return {
    bid: 6_400_000 as Ticks,
    ask: 6_400_100 as Ticks,
    bidQuantity: (Math.floor(stampUs) * 10 + 1) as Lots,
    askQuantity: 123_456 as Lots,
    last: 6_400_050 as Ticks,
    volume: 0 as Lots,
    volatility: 0,
    atMs: Math.floor(stampUs / 1000) as EpochMs,
  };
}

const FIELD = Buffer.from('"bid_qty":');
const POINT = '.'.charCodeAt(0);
const ZERO = '0'.charCodeAt(0);
const NINE = '9'.charCodeAt(0);

/** The stamp in the ticker frame between two places of a buffer; null when there is no such frame. */
export function stampUsIn(bytes: Buffer, from: number, to: number): number | null {
  const field = bytes.indexOf(FIELD, from);
  if (field === -1 || field >= to) return null;
  let digits = 0;
  for (let at = field + FIELD.length; at < to; at += 1) {
    const byte = bytes[at] as number;
    if (byte === POINT) continue;
    if (byte < ZERO || byte > NINE) break;
    digits = digits * 10 + (byte - ZERO);
  }
  return Math.floor(digits / 10);
}
