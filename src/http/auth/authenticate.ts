import { createSecretKey } from 'node:crypto';
import type { AccountId, ApiKeyId } from '../../domain/ids.js';
import { API_SECRET_BYTES } from '../../domain/limits/process.js';
import {
  NONCE_CHARACTERS_MAX,
  NONCE_CHARACTERS_MIN,
  RECV_WINDOW_MS_DEFAULT,
  RECV_WINDOW_MS_MAX,
  TIMESTAMP_AHEAD_MS_MAX,
} from '../../domain/limits/clients.js';
import { type OrRejection, Rejected, type Rejection } from '../../domain/rejection.js';
import type { ApiKeyRecord, KeyDirectory, Permission } from '../../keys/port.js';
import { bodyDigest, compactJson, isHmac, isRsaSignature, nonceMark } from './signature.js';

/** The authentication headers as sent; '' when absent. */
export interface Credentials {
  readonly apiKey: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly recvWindow: string;
  /** X-SIGN-VERSION. */
  readonly version: string;
  readonly nonce: string;
}

/** The signed parts of a request before its body. */
interface SignedHead {
  readonly credentials: Credentials;
  /** As sent, without the query. */
  readonly path: string;
  /** Raw, without `?`. */
  readonly query: string;
}

/** The signed part of a request besides the headers: the raw query string of a GET, or the body bytes of a POST. */
export type SignedPayload =
  | { readonly kind: 'query'; readonly text: string }
  | { readonly kind: 'body'; readonly bytes: Buffer };

/** A proven sender, and the figures of the signature. */
export interface Proof {
  readonly record: ApiKeyRecord;
  /** Real time, epoch milliseconds. */
  readonly timestampMs: number;
  /** Time stamp + receive window. */
  readonly validUntilMs: number;
  /** Identifies this signature, or the nonce of this key: Base64. */
  readonly mark: string;
  /** True for signature version 2: the mark identifies the nonce. */
  readonly hasNonce: boolean;
}

const NONCE = new RegExp(`^[A-Za-z0-9_-]{${NONCE_CHARACTERS_MIN},${NONCE_CHARACTERS_MAX}}$`);
/** 15 digits reach past the year 30000 and stay exact. */
const TIMESTAMP_DIGITS_MAX = 15;
const RECV_WINDOW_DIGITS_MAX = 5;
const DEFAULT_RECV_WINDOW_TEXT = String(RECV_WINDOW_MS_DEFAULT);

/** Replaces an unknown key, so that its request takes the same time as any other. It never authenticates a request. */
const UNKNOWN_KEY: ApiKeyRecord = {
  apiKey: '' as ApiKeyId,
  account: '' as AccountId,
  permissions: [],
  expiresAtMs: null,
  allowedFrom: null,
  needsSignV2: false,
  hasSigned: false,
  kind: 'HMAC',
  secret: createSecretKey(Buffer.alloc(API_SECRET_BYTES)),
};

/**
 * Proves the sender of a request. A refusal names the first step that failed and the server time:
 *
 *     known key → signature present → time stamp and receive window valid at `nowMs` (real time)
 *               → version and nonce valid → signature matches → key not weak → not expired → not suspended
 *
 * Only a right signature shows that a key is expired or suspended: until then it is like any other known key.
 */
export function authenticate(
  head: SignedHead,
  payload: SignedPayload,
  keys: KeyDirectory,
  nowMs: number,
): OrRejection<Proof> {
  const { credentials } = head;
  const active = keys.find(credentials.apiKey);
  const record = active ?? keys.findSuspended(credentials.apiKey);
  // Runs for an unknown key too: neither the answer nor its duration reveals more than that the key is unknown.
  const failure = failedStep(record ?? UNKNOWN_KEY, head, payload, nowMs);
  if (record === null) return refusal(unknownKey(credentials.apiKey), nowMs);
  if (failure !== null) return refusal(failure, nowMs);
  const weakness = record.kind === 'RSA' ? record.weakness : null;
  if (weakness !== null) return refusal(weak(weakness), nowMs);
  if (record.expiresAtMs !== null && nowMs >= record.expiresAtMs) return refusal(expired(record.expiresAtMs), nowMs);
  if (active === null) return refusal(SUSPENDED, nowMs);
  record.hasSigned = true;
  return proofOf(record, credentials);
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

function refusal(rejection: Rejection, nowMs: number): Rejected {
  return new Rejected({ ...rejection, message: `${rejection.message}; server time is ${nowMs}` });
}

function expired(atMs: number): Rejection {
  const message = `X-API-KEY expired at ${new Date(atMs).toISOString()}`;
  return { code: 'INVALID_API_KEY', message, reason: 'KEY_EXPIRED' };
}

/** A signature of such a key may come from anyone. */
function weak(weakness: string): Rejection {
  return { code: 'INVALID_API_KEY', message: `X-API-KEY is refused: its RSA public key has ${weakness}` };
}

const SUSPENDED: Rejection = {
  code: 'INVALID_API_KEY',
  message: 'X-API-KEY is suspended after a restore until the operator confirms it',
  reason: 'KEY_SUSPENDED',
};

function unknownKey(apiKey: string): Rejection {
  return {
    code: 'INVALID_API_KEY',
    message: apiKey === '' ? 'X-API-KEY is missing' : 'X-API-KEY is not a known key',
  };
}

const VERSION_1 = '1';
const VERSION_2 = '2';

/** The first failed step after the key is found; null when all steps pass. */
function failedStep(record: ApiKeyRecord, head: SignedHead, payload: SignedPayload, nowMs: number): Rejection | null {
  const { apiKey, timestamp, signature, recvWindow: given, version, nonce } = head.credentials;
  if (signature === '') return { code: 'INVALID_SIGNATURE', message: 'X-SIGN is missing' };
  const recvWindow = given === '' ? DEFAULT_RECV_WINDOW_TEXT : given;
  const timeFault = timeFailure(timestamp, recvWindow, nowMs);
  if (timeFault !== null) return { code: 'INVALID_TIMESTAMP', message: timeFault };
  const versionFault = versionFailure(record, version, nonce);
  if (versionFault !== null) return { code: 'INVALID_SIGNATURE', message: versionFault };
  const isProven =
    version === VERSION_2
      ? isSignedByVersion2(record, head, recvWindow, payload)
      : isSigned(record, timestamp + apiKey + recvWindow, payload, signature);
  return isProven ? null : { code: 'INVALID_SIGNATURE', message: mismatchMessage(record, payload, version) };
}

function versionFailure({ needsSignV2 }: ApiKeyRecord, version: string, nonce: string): string | null {
  if (version === VERSION_2) {
    const rule = `${NONCE_CHARACTERS_MIN} to ${NONCE_CHARACTERS_MAX} letters, digits, dashes and underscores`;
    return NONCE.test(nonce) ? null : `X-NONCE is not ${rule}`;
  }
  if (version !== '' && version !== VERSION_1) return 'X-SIGN-VERSION is not 1 or 2';
  return needsSignV2 ? 'X-SIGN-VERSION is not 2, the only version that this key accepts' : null;
}

/** The signed text of version 2, one part per line. Only the hash in the last line could contain a line break. */
function textOfVersion2(head: SignedHead, recvWindow: string, payload: SignedPayload): string {
  const { path, query, credentials } = head;
  const { apiKey, timestamp, nonce } = credentials;
  const method = payload.kind === 'body' ? 'POST' : 'GET';
  const digest = bodyDigest(payload.kind === 'body' ? payload.bytes : '');
  return [VERSION_2, method, path, query, timestamp, apiKey, recvWindow, nonce, digest].join('\n');
}

const ZERO = '0'.charCodeAt(0);

/**
 * The number of a text of decimal digits; -1 for another text. Each request has two: a regular expression takes longer.
 */
function integerOf(text: string, digitsMax: number): number {
  if (text === '' || text.length > digitsMax) return -1;
  let number = 0;
  for (let at = 0; at < text.length; at += 1) {
    const digit = text.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9) return -1;
    number = number * 10 + digit;
  }
  return number;
}

/** Valid from `timestamp - TIMESTAMP_AHEAD_MS_MAX` until `timestamp + recvWindow`, both inclusive. */
function timeFailure(timestamp: string, recvWindow: string, nowMs: number): string | null {
  if (timestamp === '') return 'X-TIMESTAMP is missing';
  const atMs = integerOf(timestamp, TIMESTAMP_DIGITS_MAX);
  if (atMs < 0) return 'X-TIMESTAMP is not an integer of milliseconds';
  const windowMs = integerOf(recvWindow, RECV_WINDOW_DIGITS_MAX);
  if (windowMs < 1 || windowMs > RECV_WINDOW_MS_MAX) {
    return `X-RECV-WINDOW is not an integer from 1 to ${RECV_WINDOW_MS_MAX} milliseconds`;
  }
  if (atMs < nowMs - windowMs) {
    return `X-TIMESTAMP ${atMs} is ${nowMs - atMs} ms in the past, more than the receive window of ${windowMs} ms`;
  }
  if (atMs > nowMs + TIMESTAMP_AHEAD_MS_MAX) {
    return `X-TIMESTAMP ${atMs} is ${atMs - nowMs} ms in the future, more than ${TIMESTAMP_AHEAD_MS_MAX} ms`;
  }
  return null;
}

function isSigned(record: ApiKeyRecord, head: string, payload: SignedPayload, signature: string): boolean {
  if (payload.kind === 'body') {
    if (fits(record, head, payload.bytes, signature)) return true;
    // Some clients sign compact JSON and send it with spaces. One pass over a body of bounded length.
    const compact = compactJson(payload.bytes);
    return compact !== payload.bytes && fits(record, head, compact, signature);
  }
  if (fits(record, head, payload.text, signature)) return true;
  // Some clients sign the query before they encode it.
  const decoded = decodeQuery(payload.text);
  return decoded !== null && decoded !== payload.text && fits(record, head, decoded, signature);
}

function isSignedByVersion2(
  record: ApiKeyRecord,
  head: SignedHead,
  recvWindow: string,
  payload: SignedPayload,
): boolean {
  const { signature } = head.credentials;
  if (fits(record, textOfVersion2(head, recvWindow, payload), '', signature)) return true;
  if (payload.kind !== 'body') return false;
  const bytes = compactJson(payload.bytes);
  return (
    bytes !== payload.bytes && fits(record, textOfVersion2(head, recvWindow, { kind: 'body', bytes }), '', signature)
  );
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

/**
 * The reason why a proven key is not authorised for the request; null: it is. `address` is called only for a key with
 * allowed networks, because a read from the socket costs time.
 */
export function authorisationFailure(record: ApiKeyRecord, needed: Permission, address: () => string): string | null {
  if (!record.permissions.includes(needed)) return `the API key has no permission to ${needed}`;
  if (record.allowedFrom === null) return null;
  const from = address();
  return record.allowedFrom.includes(from) ? null : `the API key is not allowed from the address ${from}`;
}
