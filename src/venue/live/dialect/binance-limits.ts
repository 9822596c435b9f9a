import type { RateLimit } from '../../throttle/rate-windows.js';
import { asObject, memberOf } from '../json/json-fields.js';

/*
 * Binance counts the weight of the requests of an address and the new orders of an account. It publishes the limits in
 * exchangeInfo, and its counts in the headers of each answer or in the answer on a socket.
 */

const INTERVALS: ReadonlyMap<unknown, readonly [letter: string, lengthMs: number]> = new Map([
  ['SECOND', ['s', 1_000] as const],
  ['MINUTE', ['m', 60_000] as const],
  ['HOUR', ['h', 3_600_000] as const],
  ['DAY', ['d', 86_400_000] as const],
]);

/** Prefixes of limit names. RAW_REQUESTS is far above the weight and is not stated in answers. */
export const WEIGHT_LIMIT = 'REQUEST_WEIGHT';
export const ORDER_LIMIT = 'ORDERS';

interface StatedLimit extends RateLimit {
  readonly type: string;
  /** null: the message does not state it. */
  readonly used: number | null;
}

/**
 * The member `rateLimits` of exchangeInfo or of an answer on a socket. Rows with unknown types or intervals are left
 * out.
 */
export function readRateLimits(answer: unknown): readonly StatedLimit[] {
  const rows = memberOf(asObject(answer), 'rateLimits');
  if (!Array.isArray(rows)) return [];
  return (rows as readonly unknown[]).flatMap((value) => {
    const row = asObject(value);
    const [type, count, max, used] = ['rateLimitType', 'intervalNum', 'limit', 'count'].map((name) =>
      memberOf(row, name),
    );
    const [letter, unitMs] = INTERVALS.get(memberOf(row, 'interval')) ?? [];
    const isKnown = (type === WEIGHT_LIMIT || type === ORDER_LIMIT) && unitMs !== undefined;
    if (!isKnown || typeof count !== 'number' || typeof max !== 'number' || !(count > 0) || !(max > 0)) return [];
    const name = `${type} ${count}${letter}`;
    return [{ type, name, lengthMs: count * unitMs, max, used: typeof used === 'number' ? used : null }];
  });
}

const HEADER = /^x-mbx-(used-weight|order-count)-(\d+[smhd])$/i;

/** Counts in the headers of an answer, by the names of `readRateLimits`. */
export function statedCounts(headers: Readonly<Record<string, string>>): readonly (readonly [string, number])[] {
  return Object.entries(headers).flatMap(([header, value]) => {
    const match = HEADER.exec(header);
    if (match === null) return [];
    const type = match[1]!.toLowerCase() === 'used-weight' ? WEIGHT_LIMIT : ORDER_LIMIT;
    return [[`${type} ${match[2]!.toLowerCase()}`, Number(value)] as const];
  });
}
