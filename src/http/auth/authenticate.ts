import { RECV_WINDOW_MS_DEFAULT, RECV_WINDOW_MS_MAX, TIMESTAMP_AHEAD_MS_MAX } from '../../model/limits.js';
import { reject, type OrRejection } from '../../model/rejection.js';
import type { ApiKeyRecord, KeyDirectory, Permission } from '../port.js';
import { isHmac, isRsaSignature } from './signature.js';

/** The authentication headers as they came; '' when absent. */
export interface Credentials {
  readonly apiKey: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly recvWindow: string;
}

/** What the client has signed besides the headers: the raw query string of a GET, the bytes of a POST's body. */
export type SignedPayload =
  { readonly kind: 'query'; readonly text: string } | { readonly kind: 'body'; readonly bytes: Buffer };

/** 15 digits reach beyond the year 30000 and stay exact. */
const TIMESTAMP = /^\d{1,15}$/;
const RECV_WINDOW = /^\d{1,5}$/;
const DEFAULT_RECV_WINDOW_TEXT = String(RECV_WINDOW_MS_DEFAULT);

/**
 * Proves who sent a request, or says which step failed: the key is known, the signature is there, the time stamp and
 * receive window are readable and around `nowMs` (real time), the signature fits. The first failing step is told.
 */
export function authenticate(
  credentials: Credentials,
  payload: SignedPayload,
  keys: KeyDirectory,
  nowMs: number,
): OrRejection<ApiKeyRecord> {
  const { apiKey, timestamp, signature } = credentials;
  if (apiKey === '') return reject('INVALID_API_KEY', 'X-API-KEY is missing');
  const record = keys.find(apiKey);
  if (record === null) return reject('INVALID_API_KEY', 'X-API-KEY is not a known key');
  if (signature === '') return reject('INVALID_SIGNATURE', 'X-SIGN is missing');
  const recvWindow = credentials.recvWindow === '' ? DEFAULT_RECV_WINDOW_TEXT : credentials.recvWindow;
  const untimely = timeFailure(timestamp, recvWindow, nowMs);
  if (untimely !== null) return reject('INVALID_TIMESTAMP', untimely);
  if (isSigned(record, timestamp + apiKey + recvWindow, payload, signature)) return record;
  return reject('INVALID_SIGNATURE', mismatchMessage(record, payload));
}

/** Why a key may not do something; null when it may. */
export function permissionFailure(record: ApiKeyRecord, needed: Permission): string | null {
  return record.permissions.includes(needed) ? null : `the API key has no permission to ${needed}`;
}

/** The request is good from `timestamp - TIMESTAMP_AHEAD_MS_MAX` until `timestamp + recvWindow`, both included. */
function timeFailure(timestamp: string, recvWindow: string, nowMs: number): string | null {
  if (timestamp === '') return `X-TIMESTAMP is missing; server time is ${nowMs}`;
  if (!TIMESTAMP.test(timestamp)) return `X-TIMESTAMP is not an integer of milliseconds; server time is ${nowMs}`;
  const windowMs = RECV_WINDOW.test(recvWindow) ? Number(recvWindow) : 0;
  if (windowMs < 1 || windowMs > RECV_WINDOW_MS_MAX) {
    return `X-RECV-WINDOW is not an integer from 1 to ${RECV_WINDOW_MS_MAX} milliseconds`;
  }
  const atMs = Number(timestamp);
  if (atMs < nowMs - windowMs) {
    return `X-TIMESTAMP ${atMs} lies ${nowMs - atMs} ms in the past, more than the receive window of ${windowMs} ms; server time is ${nowMs}`;
  }
  if (atMs > nowMs + TIMESTAMP_AHEAD_MS_MAX) {
    return `X-TIMESTAMP ${atMs} lies ${atMs - nowMs} ms ahead, more than ${TIMESTAMP_AHEAD_MS_MAX} ms; server time is ${nowMs}`;
  }
  return null;
}

function isSigned(record: ApiKeyRecord, head: string, payload: SignedPayload, signature: string): boolean {
  if (payload.kind === 'body') return fits(record, head, payload.bytes, signature);
  if (fits(record, head, payload.text, signature)) return true;
  // Some clients sign the query before they encode it.
  const decoded = decodeQuery(payload.text);
  return decoded !== null && decoded !== payload.text && fits(record, head, decoded, signature);
}

function fits(record: ApiKeyRecord, head: string, payload: string | Buffer, signature: string): boolean {
  return record.kind === 'HMAC'
    ? isHmac(record.secret, head, payload, signature)
    : isRsaSignature(record.publicKey, head, payload, signature);
}

function decodeQuery(query: string): string | null {
  try {
    return decodeURIComponent(query);
  } catch {
    return null;
  }
}

function mismatchMessage(record: ApiKeyRecord, payload: SignedPayload): string {
  const scheme = record.kind === 'HMAC' ? 'HMAC-SHA256' : 'RSA-SHA256';
  const signed = payload.kind === 'body' ? 'the exact body' : 'the raw query string';
  return `X-SIGN is not the Base64 of ${scheme} over X-TIMESTAMP, X-API-KEY, receive window (5000 without the header) and ${signed}`;
}
