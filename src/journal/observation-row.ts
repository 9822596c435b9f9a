import type { MarketObservation } from '../model/market.js';
import type { Lots, Notional, Ticks } from '../model/quantity.js';
import type { EpochMs } from '../model/time.js';
import { lastInteger } from './row-key.js';
import type { Row } from './table-difference.js';

const FIELD_BYTES = 8;
const ROW_BYTES = 6 * FIELD_BYTES;
const WORD_BITS = 64n;

/** Whole in the table, for reports read thousands of them; the position says when retention may take the row. */
export function encodeObservation(seen: Omit<MarketObservation, 'atMs'>, position: number): Buffer {
  const bytes = Buffer.allocUnsafe(ROW_BYTES);
  bytes.writeDoubleLE(position, 0);
  bytes.writeDoubleLE(seen.bid, FIELD_BYTES);
  bytes.writeDoubleLE(seen.ask, 2 * FIELD_BYTES);
  bytes.writeDoubleLE(seen.volume, 3 * FIELD_BYTES);
  bytes.writeBigUInt64LE(BigInt.asUintN(64, seen.turnover), 4 * FIELD_BYTES);
  bytes.writeBigInt64LE(seen.turnover >> WORD_BITS, 5 * FIELD_BYTES);
  return bytes;
}

export function decodeObservation({ key, value }: Row): MarketObservation {
  const low = value.readBigUInt64LE(4 * FIELD_BYTES);
  return {
    bid: value.readDoubleLE(FIELD_BYTES) as Ticks,
    ask: value.readDoubleLE(2 * FIELD_BYTES) as Ticks,
    volume: value.readDoubleLE(3 * FIELD_BYTES) as Lots,
    turnover: ((value.readBigInt64LE(5 * FIELD_BYTES) << WORD_BITS) + low) as Notional,
    atMs: lastInteger(key) as EpochMs,
  };
}

/** Where in the journal the observation lies. */
export function positionOf({ value }: Row): number {
  return value.readDoubleLE(0);
}
