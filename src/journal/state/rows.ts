import { assert } from '../../domain/rejection.js';
import { EXCHANGE_IDS, type Venue, VENUES } from '../../domain/exchange.js';
import { ACCOUNT_TOPICS, type AccountTopic } from '../../domain/event.js';
import type { AccountId, ChildNumber, ClientOrderId, OrderId, Seq, VenueTradeId } from '../../domain/ids.js';
import type { InstrumentIndex } from '../../domain/instrument.js';
import type { MarketObservation } from '../../domain/market.js';
import type { Lots, Notional, Ticks } from '../../domain/quantity.js';
import type { EpochMs } from '../../domain/time.js';
import type { ClientIdEntry } from '../port.js';

/** One row of a table. */
export interface StateRow {
  readonly key: Buffer;
  readonly value: Buffer;
}

/*
 * Keys are encoded by hand, with big-endian numbers so that they sort. This is a third faster than lmdb's own key
 * encoding, and smaller. An account is encoded as its length and its UTF-8 bytes, so no account's keys are a prefix
 * of another's.
 */
const INTEGER_BYTES = 8;
const ACCOUNT_BYTES_MAX = 255;
const HIGH = 2 ** 32;

/** Returns memory for a key or a value of a number of bytes. */
type RowMemory = (bytes: number) => Buffer;

const newMemory: RowMemory = (bytes) => Buffer.allocUnsafe(bytes);

/**
 * Memory for puts of a transaction: lmdb copies their keys and values before it returns. A key or value in it is valid
 * until the next one of the same length.
 */
export function reusedMemory(): RowMemory {
  const buffers: Buffer[] = [];
  return (bytes) => (buffers[bytes] ??= Buffer.allocUnsafeSlow(bytes));
}

export function orderKey(orderId: OrderId, memory = newMemory): Buffer {
  return integerKey(orderId, memory);
}

export function orderSeqKey(orderId: OrderId, seq: Seq, memory = newMemory): Buffer {
  return integersKey(orderId, seq, memory);
}

export function tradeKey(orderId: OrderId, child: ChildNumber, tradeId: VenueTradeId, memory = newMemory): Buffer {
  const key = memory(3 * INTEGER_BYTES);
  writeInteger(key, orderId, 0);
  writeInteger(key, child, INTEGER_BYTES);
  writeInteger(key, tradeId, 2 * INTEGER_BYTES);
  return key;
}

/** The child and the trade at the end of a trade's key. */
export function childTradeOf(key: Buffer): { readonly child: ChildNumber; readonly tradeId: VenueTradeId } {
  const child = readInteger(key, INTEGER_BYTES) as ChildNumber;
  return { child, tradeId: readInteger(key, 2 * INTEGER_BYTES) as VenueTradeId };
}

export function accountKey(account: AccountId): Buffer {
  return withAccount(account, 0);
}

export function accountTimeKey(account: AccountId, createdAtMs: EpochMs, orderId: OrderId, memory = newMemory): Buffer {
  const key = withAccount(account, 2 * INTEGER_BYTES, memory);
  writeInteger(key, createdAtMs, key.length - 2 * INTEGER_BYTES);
  writeInteger(key, orderId, key.length - INTEGER_BYTES);
  return key;
}

export function clientIdKey(account: AccountId, clientOrderId: ClientOrderId, memory = newMemory): Buffer {
  const bytes = Buffer.byteLength(clientOrderId, 'utf8');
  const key = withAccount(account, bytes, memory);
  key.write(clientOrderId, key.length - bytes, 'utf8');
  return key;
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

/** Key of the journal entry at a position. */
export function positionKey(position: number): Buffer {
  return integerKey(position);
}

/** Prefix of the keys of an instrument's observations. */
export function instrumentKey(instrument: InstrumentIndex): Buffer {
  return integerKey(instrument);
}

export function observationKey(instrument: InstrumentIndex, atMs: EpochMs, memory = newMemory): Buffer {
  return integersKey(instrument, atMs, memory);
}

/** Range of the keys that consist of a prefix and one integer of [from, to]. */
export function integersAfter(prefix: Buffer, from: number, to: number): { start: Buffer; end: Buffer } {
  return { start: withInteger(prefix, from), end: withInteger(prefix, to + 1) };
}

function integerKey(value: number, memory = newMemory): Buffer {
  const key = memory(INTEGER_BYTES);
  writeInteger(key, value, 0);
  return key;
}

function integersKey(first: number, second: number, memory: RowMemory): Buffer {
  const key = memory(2 * INTEGER_BYTES);
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

/** The account at the start of a key. */
export function firstAccount(key: Buffer): AccountId {
  return key.toString('utf8', 1, 1 + (key[0] ?? 0)) as AccountId;
}

/** The feed of a key in `feed_heads`. */
export function feedOfKey(key: Buffer): { account: AccountId; topic: AccountTopic; venue: Venue } {
  const topic = ACCOUNT_TOPICS[key[key.length - 2]!];
  const venue = VENUES.find((code) => EXCHANGE_IDS[code] === key.at(-1));
  assert(topic !== undefined && venue !== undefined, 'the key of a feed names a topic and a venue');
  return { account: firstAccount(key), topic, venue };
}

/** The integer at the start of a key: an order id or an instrument. */
export function firstInteger(key: Buffer): number {
  return readInteger(key, 0);
}

/** The integer at the end of a key: an order id, a seq or a frame number. */
export function lastInteger(key: Buffer): number {
  return readInteger(key, key.length - INTEGER_BYTES);
}

/** Key in `feed_heads` of the feed of a frame's key. */
export function feedOf(frameKey: Buffer): Buffer {
  return frameKey.subarray(0, frameKey.length - INTEGER_BYTES);
}

/** The latest account and its bytes in a key: most rows in a row have the same one. */
let latestAccount = '';
let latestBytes = Buffer.alloc(0);

function withAccount(account: AccountId, moreBytes: number, memory = newMemory): Buffer {
  if (account !== latestAccount) {
    const bytes = Buffer.byteLength(account, 'utf8');
    assert(bytes > 0 && bytes <= ACCOUNT_BYTES_MAX, `an account id of ${bytes} bytes`);
    latestBytes = Buffer.concat([Buffer.of(bytes), Buffer.from(account, 'utf8')]);
    latestAccount = account;
  }
  const key = memory(latestBytes.length + moreBytes);
  key.set(latestBytes);
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

/** Value of a row whose key contains all data. */
export const PRESENT = Buffer.from([1]);

/** Encodes a journal position or a frame number. */
export function encodeNumber(value: number, memory = newMemory): Buffer {
  const bytes = memory(INTEGER_BYTES);
  bytes.writeDoubleLE(value, 0);
  return bytes;
}

export function decodeNumber(bytes: Buffer): number {
  return bytes.readDoubleLE(0);
}

export function encodeClientIdEntry(entry: ClientIdEntry, memory = newMemory): Buffer {
  const bytes = memory(INTEGER_BYTES + Buffer.byteLength(entry.requestDigest, 'utf8'));
  bytes.writeDoubleLE(entry.orderId, 0);
  bytes.write(entry.requestDigest, INTEGER_BYTES, 'utf8');
  return bytes;
}

export function decodeClientIdEntry(bytes: Buffer): ClientIdEntry {
  return { orderId: decodeNumber(bytes) as OrderId, requestDigest: bytes.toString('utf8', 8) };
}

const FIELD_BYTES = 8;
const ROW_BYTES = 6 * FIELD_BYTES;
const WORD_BITS = 64n;

/** Encodes the whole observation, because reports read thousands of them. Retention removes the row by its position. */
export function encodeObservation(seen: Omit<MarketObservation, 'atMs'>, position: number, memory = newMemory): Buffer {
  const bytes = memory(ROW_BYTES);
  bytes.writeDoubleLE(position, 0);
  bytes.writeDoubleLE(seen.bid, FIELD_BYTES);
  bytes.writeDoubleLE(seen.ask, 2 * FIELD_BYTES);
  bytes.writeDoubleLE(seen.volume, 3 * FIELD_BYTES);
  bytes.writeBigUInt64LE(BigInt.asUintN(64, seen.turnover), 4 * FIELD_BYTES);
  bytes.writeBigInt64LE(seen.turnover >> WORD_BITS, 5 * FIELD_BYTES);
  return bytes;
}

export function decodeObservation({ key, value }: StateRow): MarketObservation {
  const low = value.readBigUInt64LE(4 * FIELD_BYTES);
  return {
    bid: value.readDoubleLE(FIELD_BYTES) as Ticks,
    ask: value.readDoubleLE(2 * FIELD_BYTES) as Ticks,
    volume: value.readDoubleLE(3 * FIELD_BYTES) as Lots,
    turnover: ((value.readBigInt64LE(5 * FIELD_BYTES) << WORD_BITS) + low) as Notional,
    atMs: lastInteger(key) as EpochMs,
  };
}

/** Position of the observation in the journal. */
export function positionOf({ value }: StateRow): number {
  return value.readDoubleLE(0);
}
