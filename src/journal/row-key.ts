import { assert } from '../model/assert.js';
import { EXCHANGE_IDS, type Venue } from '../model/exchange.js';
import { ACCOUNT_TOPICS, type AccountTopic } from '../model/feed.js';
import type { AccountId, ChildNumber, ClientOrderId, OrderId, Seq, VenueTradeId } from '../model/ids.js';
import type { InstrumentIndex } from '../model/instrument.js';
import type { EpochMs } from '../model/time.js';

/*
 * Keys are bytes written by hand, numbers big-endian so that they sort: a third faster than lmdb's own key encoding,
 * and smaller. An account is its length and its UTF-8 bytes, so that no account's keys are a prefix of another's.
 */
const INTEGER_BYTES = 8;
const ACCOUNT_BYTES_MAX = 255;
const HIGH = 2 ** 32;

export function orderKey(orderId: OrderId): Buffer {
  return integerKey(orderId);
}

export function orderSeqKey(orderId: OrderId, seq: Seq): Buffer {
  return integersKey(orderId, seq);
}

export function tradeKey(orderId: OrderId, child: ChildNumber, tradeId: VenueTradeId): Buffer {
  const key = Buffer.allocUnsafe(3 * INTEGER_BYTES);
  writeInteger(key, orderId, 0);
  writeInteger(key, child, INTEGER_BYTES);
  writeInteger(key, tradeId, 2 * INTEGER_BYTES);
  return key;
}

/** The child and the trade that a trade's key ends with. */
export function childTradeOf(key: Buffer): { readonly child: ChildNumber; readonly tradeId: VenueTradeId } {
  const child = readInteger(key, INTEGER_BYTES) as ChildNumber;
  return { child, tradeId: readInteger(key, 2 * INTEGER_BYTES) as VenueTradeId };
}

export function accountKey(account: AccountId): Buffer {
  return withAccount(account, 0);
}

export function accountOrderKey(account: AccountId, orderId: OrderId): Buffer {
  const key = withAccount(account, INTEGER_BYTES);
  writeInteger(key, orderId, key.length - INTEGER_BYTES);
  return key;
}

export function accountTimeKey(account: AccountId, createdAtMs: EpochMs, orderId: OrderId): Buffer {
  const key = withAccount(account, 2 * INTEGER_BYTES);
  writeInteger(key, createdAtMs, key.length - 2 * INTEGER_BYTES);
  writeInteger(key, orderId, key.length - INTEGER_BYTES);
  return key;
}

export function clientIdKey(account: AccountId, clientOrderId: ClientOrderId): Buffer {
  return Buffer.concat([accountKey(account), Buffer.from(clientOrderId, 'utf8')]);
}

export function feedKey(account: AccountId, topic: AccountTopic, venue: Venue): Buffer {
  const key = withAccount(account, 2);
  writeFeed(key, topic, venue, key.length - 2);
  return key;
}

export function feedFrameKey(account: AccountId, topic: AccountTopic, venue: Venue, n: number): Buffer {
  const key = withAccount(account, 2 + INTEGER_BYTES);
  writeFeed(key, topic, venue, key.length - 2 - INTEGER_BYTES);
  writeInteger(key, n, key.length - INTEGER_BYTES);
  return key;
}

/** What the keys of an instrument's observations begin with. */
export function instrumentKey(instrument: InstrumentIndex): Buffer {
  return integerKey(instrument);
}

export function observationKey(instrument: InstrumentIndex, atMs: EpochMs): Buffer {
  return integersKey(instrument, atMs);
}

/** The keys that begin with a prefix and go on with one integer of [from, to]. */
export function integersAfter(prefix: Buffer, from: number, to: number): { start: Buffer; end: Buffer } {
  return { start: withInteger(prefix, from), end: withInteger(prefix, to + 1) };
}

function integerKey(value: number): Buffer {
  const key = Buffer.allocUnsafe(INTEGER_BYTES);
  writeInteger(key, value, 0);
  return key;
}

function integersKey(first: number, second: number): Buffer {
  const key = Buffer.allocUnsafe(2 * INTEGER_BYTES);
  writeInteger(key, first, 0);
  writeInteger(key, second, INTEGER_BYTES);
  return key;
}

function withInteger(prefix: Buffer, value: number): Buffer {
  const key = Buffer.allocUnsafe(prefix.length + INTEGER_BYTES);
  key.set(prefix);
  writeInteger(key, value, prefix.length);
  return key;
}

/** The account that a key begins with. */
export function firstAccount(key: Buffer): AccountId {
  return key.toString('utf8', 1, 1 + (key[0] ?? 0)) as AccountId;
}

/** The integer a key begins with: an order id or an instrument. */
export function firstInteger(key: Buffer): number {
  return readInteger(key, 0);
}

/** The integer a key ends with: an order id, a seq or the number of a frame. */
export function lastInteger(key: Buffer): number {
  return readInteger(key, key.length - INTEGER_BYTES);
}

/** The key in `feed_heads` of the feed that a frame's key belongs to. */
export function feedOf(frameKey: Buffer): Buffer {
  return frameKey.subarray(0, frameKey.length - INTEGER_BYTES);
}

function withAccount(account: AccountId, moreBytes: number): Buffer {
  const bytes = Buffer.byteLength(account, 'utf8');
  assert(bytes > 0 && bytes <= ACCOUNT_BYTES_MAX, `an account id of ${bytes} bytes`);
  const key = Buffer.allocUnsafe(1 + bytes + moreBytes);
  key[0] = bytes;
  key.write(account, 1, 'utf8');
  return key;
}

function writeFeed(key: Buffer, topic: AccountTopic, venue: Venue, offset: number): void {
  key[offset] = ACCOUNT_TOPICS.indexOf(topic);
  key[offset + 1] = EXCHANGE_IDS[venue];
}

function writeInteger(key: Buffer, value: number, offset: number): void {
  key.writeUInt32BE(Math.floor(value / HIGH), offset);
  key.writeUInt32BE(value % HIGH, offset + 4);
}

function readInteger(key: Buffer, offset: number): number {
  return key.readUInt32BE(offset) * HIGH + key.readUInt32BE(offset + 4);
}
