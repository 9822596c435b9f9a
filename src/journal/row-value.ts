import type { OrderId } from '../model/ids.js';
import type { ClientIdEntry } from './port.js';

/** A row whose key says all. */
export const PRESENT = Buffer.from([1]);

/** Positions in the journal, and numbers of frames. */
export function encodeNumber(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeDoubleLE(value, 0);
  return bytes;
}

export function decodeNumber(bytes: Buffer): number {
  return bytes.readDoubleLE(0);
}

export function encodeClientIdEntry(entry: ClientIdEntry): Buffer {
  return Buffer.concat([encodeNumber(entry.orderId), Buffer.from(entry.requestDigest, 'utf8')]);
}

export function decodeClientIdEntry(bytes: Buffer): ClientIdEntry {
  return { orderId: decodeNumber(bytes) as OrderId, requestDigest: bytes.toString('utf8', 8) };
}
