import { createSecretKey } from 'node:crypto';
import { API_SECRET_BYTES, RECV_WINDOW_MS_DEFAULT } from '../../model/limits.js';
import { NONCE_CHARACTERS_MAX, NONCE_CHARACTERS_MIN } from '../../model/limits.js';
import { RECV_WINDOW_MS_MAX, TIMESTAMP_AHEAD_MS_MAX } from '../../model/limits.js';
import { reject, type OrRejection, type Rejection } from '../../model/rejection.js';
import type { ApiKeyId, AccountId } from '../../model/ids.js';
import type { ApiKeyRecord, KeyDirectory } from '../port.js';
import { compactJson } from './compact-json.js';
import { bodyDigest, isHmac, isRsaSignature, nonceMark } from './signature.js';

/** The authentication headers as they came; '' when absent. */
export interface Credentials {
  readonly apiKey: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly recvWindow: string;
  /** X-SIGN-VERSION. */
  readonly version: string;
  readonly nonce: string;
}

/** What precedes the body of a request, as far as signatures cover it. */
export interface SignedHead {
  readonly credentials: Credentials;
  /** As sent, without the query. */
  readonly path: string;
  /** Raw, without `?`. */
  readonly query: string;
}

/** What the client has signed besides the headers: the raw query string of a GET, the bytes of a POST's body. */
export type SignedPayload =
  { readonly kind: 'query'; readonly text: string } | { readonly kind: 'body'; readonly bytes: Buffer };

/** A sender who is proven, and what the signature says of the request. */
export interface Proof {
  readonly record: ApiKeyRecord;
  /** Real time, epoch milliseconds. */
  readonly timestampMs: number;
  /** Time stamp + receive window. */
  readonly validUntilMs: number;
  /** Names this signature, or the nonce of this key: Base64. */
  readonly mark: string;
  /** True of the second way to sign: the mark names the nonce. */
  readonly hasNonce: boolean;
}

const NONCE = new RegExp(`^[A-Za-z0-9_-]{${NONCE_CHARACTERS_MIN},${NONCE_CHARACTERS_MAX}}$`);
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
  needsSignV2: false,
  kind: 'HMAC',
  secret: createSecretKey(Buffer.alloc(API_SECRET_BYTES)),
};

/**
 * Proves who sent a request, or says which step failed first and what time it is here:
 *
 *     key known → signature there → time stamp and receive window readable, around `nowMs` (real time)
 *               → version and nonce readable → signature fits → key not expired
 */
export function authenticate(
  head: SignedHead,
  payload: SignedPayload,
  keys: KeyDirectory,
  nowMs: number,
): OrRejection<Proof> {
  const { credentials } = head;
  const record = keys.find(credentials.apiKey);
  // Judged for a stranger too: neither the answer nor the time it takes tells more than that the key is unknown.
  const failure = failedStep(record ?? STRANGER, head, payload, nowMs);
  if (record === null) return refusal(unknownKey(credentials.apiKey), nowMs);
  return failure === null ? proofOf(record, credentials) : refusal(failure, nowMs);
}

function proofOf(
  record: ApiKeyRecord,
  { apiKey, timestamp, recvWindow, signature, version, nonce }: Credentials,
): Proof {
  const timestampMs = Number(timestamp);
  const windowMs = recvWindow === '' ? RECV_WINDOW_MS_DEFAULT : Number(recvWindow);
  const hasNonce = version === VERSION_2;
  const mark = hasNonce ? nonceMark(apiKey, nonce) : signature;
  return { record, timestampMs, validUntilMs: timestampMs + windowMs, mark, hasNonce };
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

const VERSION_1 = '1';
const VERSION_2 = '2';

/** The first step that fails after the key is found; null when none does. */
function failedStep(record: ApiKeyRecord, head: SignedHead, payload: SignedPayload, nowMs: number): Rejection | null {
  const { apiKey, timestamp, signature, recvWindow: given, version, nonce } = head.credentials;
  if (signature === '') return { code: 'INVALID_SIGNATURE', message: 'X-SIGN is missing' };
  const recvWindow = given === '' ? DEFAULT_RECV_WINDOW_TEXT : given;
  const untimely = timeFailure(timestamp, recvWindow, nowMs);
  if (untimely !== null) return { code: 'INVALID_TIMESTAMP', message: untimely };
  const unversed = versionFailure(record, version, nonce);
  if (unversed !== null) return { code: 'INVALID_SIGNATURE', message: unversed };
  const isProven =
    version === VERSION_2
      ? fits(record, textOfVersion2(head, recvWindow, payload), '', signature)
      : isSigned(record, timestamp + apiKey + recvWindow, payload, signature);
  if (!isProven) return { code: 'INVALID_SIGNATURE', message: mismatchMessage(record, payload, version) };
  if (record.expiresAtMs === null || nowMs < record.expiresAtMs) return null;
  return { code: 'INVALID_API_KEY', message: `X-API-KEY expired at ${new Date(record.expiresAtMs).toISOString()}` };
}

function versionFailure({ needsSignV2 }: ApiKeyRecord, version: string, nonce: string): string | null {
  if (version === VERSION_2) {
    const rule = `${NONCE_CHARACTERS_MIN} to ${NONCE_CHARACTERS_MAX} letters, digits, dashes and underscores`;
    return NONCE.test(nonce) ? null : `X-NONCE is not ${rule}`;
  }
  if (version !== '' && version !== VERSION_1) return 'X-SIGN-VERSION is neither 1 nor 2';
  return needsSignV2 ? 'X-SIGN-VERSION is not 2, and this key takes no other' : null;
}

/** All of a request, a line each; no part but the last line's hash can hold a line break. */
function textOfVersion2(head: SignedHead, recvWindow: string, payload: SignedPayload): string {
  const { path, query, credentials } = head;
  const { apiKey, timestamp, nonce } = credentials;
  const method = payload.kind === 'body' ? 'POST' : 'GET';
  const digest = bodyDigest(payload.kind === 'body' ? payload.bytes : '');
  return [VERSION_2, method, path, query, timestamp, apiKey, recvWindow, nonce, digest].join('\n');
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
  if (payload.kind === 'body') {
    if (fits(record, head, payload.bytes, signature)) return true;
    // Some clients sign the compact form and send the spaced one.
    const compact = compactJson(payload.bytes);
    return compact !== payload.bytes && fits(record, head, compact, signature);
  }
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

function mismatchMessage(record: ApiKeyRecord, payload: SignedPayload, version: string): string {
  const scheme = record.kind === 'HMAC' ? 'HMAC-SHA256' : 'RSA-SHA256';
  if (version === VERSION_2) {
    const lines =
      '2, method, path, query, X-TIMESTAMP, X-API-KEY, receive window, X-NONCE and SHA-256 of the body in hex';
    return `X-SIGN is not the Base64 of ${scheme} over the lines ${lines}`;
  }
  const signed = payload.kind === 'body' ? 'the exact body' : 'the raw query string';
  return `X-SIGN is not the Base64 of ${scheme} over X-TIMESTAMP, X-API-KEY, receive window (5000 without the header) and ${signed}`;
}
