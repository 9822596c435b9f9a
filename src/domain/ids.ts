import type { Venue } from './exchange.js';
declare const brand: unique symbol;

/** A primitive whose type carries its unit or meaning. No bare string or number crosses a module. */
export type Brand<Primitive, Name extends string> = Primitive & { readonly [brand]: Name };

/** Identifier of a parent order: an integer in [1, 2^53), increasing in time, unique for ever. */
export type OrderId = Brand<number, 'OrderId'>;
/** Number of a child within its parent, from 1; never used twice. */
export type ChildNumber = Brand<number, 'ChildNumber'>;
/** Identifier of a child at the venue: `<parent id>-<child number>`. */
type ChildClientId = Brand<string, 'ChildClientId'>;
/** The caller's own identifier of a parent order: 1 to 128 printable characters, no comma. */
export type ClientOrderId = Brand<string, 'ClientOrderId'>;
/** Identifier the venue gave to a child order. */
export type VenueOrderId = Brand<string, 'VenueOrderId'>;
/**
 * Number of one fill, unique for its child: the exchange's id where that is an integer below 2^52, else a number made
 * from the exchange's text (trade-id.ts).
 */
export type VenueTradeId = Brand<number, 'VenueTradeId'>;
export type AccountId = Brand<string, 'AccountId'>;
export type ApiKeyId = Brand<string, 'ApiKeyId'>;
/** Number of a session of order entry that cancels its orders at its end; each once, for ever. */
export type SessionNumber = Brand<number, 'SessionNumber'>;
/** Position of an event in the journal, from 1 without a gap. */
export type Seq = Brand<number, 'Seq'>;
/** Number of a command on the main thread. The events that the command causes carry it. 0: no command. */
export type CorrelationId = Brand<number, 'CorrelationId'>;

/** Fixed for ever. The number of workers that own the slots is configuration. */
const SLOT_COUNT = 256;

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

/** FNV-1a offset basis and prime, 32 bits. */
const FNV_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * The slot of an account at a venue. One shard records its balances and positions, so they keep the order of the venue.
 */
export function accountSlot(account: AccountId, venue: Venue): number {
  let hash = FNV_BASIS;
  const text = `${account}/${venue}`;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME);
  }
  return (hash >>> 0) % SLOT_COUNT;
}

const SEPARATOR = '/';

/**
 * The account that trades at a venue: the client's own account, or the sub-account `<account>/<subaccount>`. Each has
 * its own balances and positions. The name of an account contains no slash; the name of a sub-account may contain one.
 */
export function tradingAccount(account: AccountId, subaccount: string | null): AccountId {
  return subaccount === null ? account : (`${account}${SEPARATOR}${subaccount}` as AccountId);
}

/** The client's account that a trading account belongs to. Returns an account that is no sub-account unchanged. */
export function masterOf(trading: AccountId): AccountId {
  const end = trading.indexOf(SEPARATOR);
  return end === -1 ? trading : (trading.slice(0, end) as AccountId);
}
