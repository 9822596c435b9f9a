import { createSecretKey } from 'node:crypto';
import { API_SECRET_BYTES, RECV_WINDOW_MS_DEFAULT } from '../../model/limits.js';
import { RECV_WINDOW_MS_MAX, TIMESTAMP_AHEAD_MS_MAX } from '../../model/limits.js';
import { reject, type OrRejection, type Rejection } from '../../model/rejection.js';
import type { ApiKeyId, AccountId } from '../../model/ids.js';
import type { ApiKeyRecord, KeyDirectory } from '../port.js';
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

/** Stands in for a key that is not known, so that its request costs what any other costs; nobody is let in by it. */
const STRANGER: ApiKeyRecord = {
  apiKey: '' as ApiKeyId,
  account: '' as AccountId,
  permissions: [],
  expiresAtMs: null,
  allowedFrom: null,
  kind: 'HMAC',
  secret: createSecretKey(Buffer.alloc(API_SECRET_BYTES)),
};

/**
 * Proves who sent a request, or says which step failed first and what time it is here:
 *
 *     key known → signature there → time stamp and receive window readable, around `nowMs` (real time)
 *               → signature fits → key not expired
 */
export function authenticate(
  credentials: Credentials,
  payload: SignedPayload,
  keys: KeyDirectory,
  nowMs: number,
): OrRejection<ApiKeyRecord> {
  const record = keys.find(credentials.apiKey);
  // Judged for a stranger too: neither the answer nor the time it takes tells more than that the key is unknown.
  const failure = failedStep(record ?? STRANGER, credentials, payload, nowMs);
  if (record === null) return refusal(unknownKey(credentials.apiKey), nowMs);
  return failure === null ? record : refusal(failure, nowMs);
}

function refusal({ code, message }: Rejection, nowMs: number): { readonly rejection: Rejection } {
  return reject(code, `${message}; server time is ${nowMs}`);
}

function unknownKey(apiKey: string): Rejection {
  return {
    code: 'INVALID_API_KEY',
    message: apiKey === '' ? 'X-API-KEY is missing' : 'X-API-KEY is not a known key',
  };
}

/** The first step that fails after the key is found; null when none does. */
function failedStep(
  record: ApiKeyRecord,
  { apiKey, timestamp, signature, recvWindow: given }: Credentials,
  payload: SignedPayload,
  nowMs: number,
): Rejection | null {
  if (signature === '') return { code: 'INVALID_SIGNATURE', message: 'X-SIGN is missing' };
  const recvWindow = given === '' ? DEFAULT_RECV_WINDOW_TEXT : given;
  const untimely = timeFailure(timestamp, recvWindow, nowMs);
  if (untimely !== null) return { code: 'INVALID_TIMESTAMP', message: untimely };
  if (!isSigned(record, timestamp + apiKey + recvWindow, payload, signature)) {
    return { code: 'INVALID_SIGNATURE', message: mismatchMessage(record, payload) };
  }
  if (record.expiresAtMs === null || nowMs < record.expiresAtMs) return null;
  return { code: 'INVALID_API_KEY', message: `X-API-KEY expired at ${new Date(record.expiresAtMs).toISOString()}` };
}

/** The request is good from `timestamp - TIMESTAMP_AHEAD_MS_MAX` until `timestamp + recvWindow`, both included. */
function timeFailure(timestamp: string, recvWindow: string, nowMs: number): string | null {
  if (timestamp === '') return 'X-TIMESTAMP is missing';
  if (!TIMESTAMP.test(timestamp)) return 'X-TIMESTAMP is not an integer of milliseconds';
  const windowMs = RECV_WINDOW.test(recvWindow) ? Number(recvWindow) : 0;
  if (windowMs < 1 || windowMs > RECV_WINDOW_MS_MAX) {
    return `X-RECV-WINDOW is not an integer from 1 to ${RECV_WINDOW_MS_MAX} milliseconds`;
  }
  const atMs = Number(timestamp);
  if (atMs < nowMs - windowMs) {
    return `X-TIMESTAMP ${atMs} lies ${nowMs - atMs} ms in the past, more than the receive window of ${windowMs} ms`;
  }
  if (atMs > nowMs + TIMESTAMP_AHEAD_MS_MAX) {
    return `X-TIMESTAMP ${atMs} lies ${atMs - nowMs} ms ahead, more than ${TIMESTAMP_AHEAD_MS_MAX} ms`;
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
