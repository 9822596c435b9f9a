import { createHmac, type KeyObject, sign } from 'node:crypto';
import type { Fields } from '../dialect/binance-orders.js';
import { queryText } from './rest-form.js';

/** A key that signs requests at Binance. */
export interface BinanceKey {
  readonly kind: 'HMAC' | 'RSA' | 'ED25519';
  readonly apiKey: string;
  readonly secret: KeyObject;
}

/** Parameters of a request on a socket. The exchange wants integers as JSON numbers there. */
export type SocketParameters = Readonly<Record<string, string | number>>;

const INTEGERS: ReadonlySet<string> = new Set(['timestamp', 'recvWindow', 'orderId', 'limit', 'startTime', 'endTime']);

/** The fields of a request as parameters on a socket that has logged on: it needs a time and no signature. */
export function timedParameters(fields: Fields, timestampMs: number): SocketParameters {
  const all = { ...fields, timestamp: String(timestampMs) };
  return Object.fromEntries(
    Object.entries(all).map(([name, text]) => [name, INTEGERS.has(name) ? Number(text) : text]),
  );
}

/**
 * Adds key, time and signature to the fields of a request on a socket: the signed text has the fields in order of their
 * names.
 */
export function signedParameters(
  fields: Fields,
  { apiKey, kind, secret }: BinanceKey,
  timestampMs: number,
): SocketParameters {
  const all = timedParameters({ ...fields, apiKey }, timestampMs);
  const text = Object.keys(all)
    .sort()
    .map((name) => `${name}=${String(all[name])}`)
    .join('&');
  return { ...all, signature: signatureOf(text, kind, secret) };
}

/** Adds time and signature to the fields of a request by REST: its query, or its body as a form. */
export function signedText(fields: Fields, { kind, secret }: BinanceKey, timestampMs: number): string {
  const text = queryText({ ...fields, timestamp: timestampMs });
  return `${text}&signature=${encodeURIComponent(signatureOf(text, kind, secret))}`;
}

function signatureOf(text: string, kind: BinanceKey['kind'], secret: KeyObject): string {
  if (kind === 'HMAC') return createHmac('sha256', secret).update(text).digest('hex');
  return sign(kind === 'RSA' ? 'sha256' : null, Buffer.from(text), secret).toString('base64');
}
