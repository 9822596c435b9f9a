import type { Brand } from './brand.js';

/** Identifier of a parent order: an integer in [1, 2^53), increasing in time, unique for ever. */
export type OrderId = Brand<number, 'OrderId'>;
/** Number of a child within its parent, from 1; never used twice. */
export type ChildNumber = Brand<number, 'ChildNumber'>;
/** Identifier of a child at the venue: `<parent id>-<child number>`. */
export type ChildClientId = Brand<string, 'ChildClientId'>;
/** The caller's own identifier of a parent order: 1 to 128 printable characters, no comma. */
export type ClientOrderId = Brand<string, 'ClientOrderId'>;
/** Identifier the venue gave to a child order. */
export type VenueOrderId = Brand<string, 'VenueOrderId'>;
/** Identifier the venue gave to one fill; an integer, unique for (venue, instrument). */
export type VenueTradeId = Brand<number, 'VenueTradeId'>;
export type AccountId = Brand<string, 'AccountId'>;
export type ApiKeyId = Brand<string, 'ApiKeyId'>;
/** Position of an event in the journal's one order, from 1 without a gap. */
export type Seq = Brand<number, 'Seq'>;
/** Number of a command on the main thread; what it causes carries it. 0: not caused by a command. */
export type CorrelationId = Brand<number, 'CorrelationId'>;

/** Fixed for ever: how many workers own the slots is configuration. */
export const SLOT_COUNT = 256;

export function slotOf(orderId: OrderId): number {
  return orderId % SLOT_COUNT;
}

/** The shard that owns a slot when `shardCount` workers share them. */
export function ownerOf(slot: number, shardCount: number): number {
  return slot % shardCount;
}

/** The shard that owns an order. */
export function shardOf(orderId: OrderId, shardCount: number): number {
  return ownerOf(slotOf(orderId), shardCount);
}

export function childClientId(orderId: OrderId, child: ChildNumber): ChildClientId {
  return `${orderId}-${child}` as ChildClientId;
}

export function parseChildClientId(id: string): { orderId: OrderId; child: ChildNumber } | null {
  const match = /^([1-9]\d{0,15})-([1-9]\d{0,9})$/.exec(id);
  if (match === null) return null;
  return { orderId: Number(match[1]) as OrderId, child: Number(match[2]) as ChildNumber };
}
