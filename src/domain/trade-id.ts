import type { Fill } from './event.js';
import type { VenueTradeId } from './ids.js';

/** Integers from here are numbers made from texts. */
const MADE_FROM = 2 ** 52;
const DECIMAL_ID = /^(?:0|[1-9]\d{0,15})$/;

/**
 * The two ids of a fill, from the exchange's text. Some exchanges use UUIDs or integers beyond 2^53. Such a text gets a
 * number in [2^52, 2^53) from a hash of 52 bits. Two fills of one child with the same number would count as one. With a
 * thousand fills of a child this has a chance of 10^-10, and the exchange's total of the child then reveals it.
 */
export function tradeIdsOf(text: string): Pick<Fill, 'tradeId' | 'exchangeTradeId'> {
  const id = DECIMAL_ID.test(text) ? Number(text) : MADE_FROM;
  if (id < MADE_FROM) return { tradeId: id as VenueTradeId, exchangeTradeId: '' };
  return { tradeId: (MADE_FROM + hash52(text)) as VenueTradeId, exchangeTradeId: text };
}

/** The exchange's text of a fill's id. */
export function exchangeTradeId({ tradeId, exchangeTradeId: text }: Fill): string {
  return text === '' ? String(tradeId) : text;
}

/** FNV-1a over UTF-16 units, 32 bits of one run and 20 of another with a different basis, each mixed at its end. */
function hash52(text: string): number {
  let [one, other] = [0x811c9dc5, 0x1b873593];
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ unit, 0x85ebca6b);
  }
  return (mixed(other) >>> 12) * 2 ** 32 + (mixed(one) >>> 0);
}

/** The end of MurmurHash3: spreads each bit over all bits. */
function mixed(value: number): number {
  let bits = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
