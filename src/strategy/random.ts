import type { OrderId } from '../domain/ids.js';
const TWO_POW_32 = 2 ** 32;
/** 2^32 divided by the golden ratio. It spreads consecutive counters over the whole range. */
const GOLDEN_STEP = 0x9e3779b9;

/**
 * Returns the random sequence of an order: number k, uniform in [0, 1) with 32 bits. The same k gives the same number
 * live, after a restart and in a journal replay.
 */
export function randomOf(orderId: OrderId): (k: number) => number {
  const low = orderId % TWO_POW_32;
  const high = Math.floor(orderId / TWO_POW_32);
  const seed = mix(mix(low) ^ high);
  return (k) => (mix(seed ^ mix(Math.imul(k + 1, GOLDEN_STEP))) >>> 0) / TWO_POW_32;
}

/** The finaliser of MurmurHash3: each input bit changes half of the output bits on average. */
function mix(value: number): number {
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
