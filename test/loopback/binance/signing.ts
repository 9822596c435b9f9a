import { createHmac, timingSafeEqual, verify } from 'node:crypto';
import type { Accounts, ApiKey, LoopbackAccount } from '../accounts.js';
import { ApiError, BAD_KEY_FORM, BAD_SIGNATURE, missing, REJECTED_KEY } from './api-error.js';
import type { Parameters } from './parameters.js';

/** What a request may need: nothing, a key, or a signature with one of the permissions. */
export type Security = 'NONE' | 'KEY' | 'USER_DATA' | 'SPOT_TRADE' | 'FUTURES_DATA' | 'FUTURES_TRADE';

/** The account and the key of a request. */
export interface Identity {
  readonly account: LoopbackAccount;
  readonly key: ApiKey;
}

const KEY_FORM = /^[A-Za-z0-9]{16,128}$/;
const RECV_WINDOW_MS = 5_000;
const RECV_WINDOW_MS_MAX = 60_000;
/** A request may come from a clock that is ahead by less than this. */
const AHEAD_MS_MAX = 1_000;

/** Finds the key. Checks its form, the address of the client and its permission. */
export function identify(
  accounts: Accounts,
  { key, address, security }: { key: string | null; address: string; security: Security },
): Identity {
  if (key === null || !KEY_FORM.test(key)) throw BAD_KEY_FORM();
  const identity = accounts.withKey(key);
  if (identity === null) throw REJECTED_KEY();
  const { addresses, permissions } = identity.key;
  if (addresses !== null && !addresses.includes(address)) throw REJECTED_KEY();
  const isPermitted = {
    NONE: true,
    KEY: true,
    USER_DATA: permissions.reading,
    SPOT_TRADE: permissions.spotTrading,
    FUTURES_DATA: permissions.futures,
    FUTURES_TRADE: permissions.futures,
  }[security];
  if (!isPermitted) throw REJECTED_KEY();
  return identity;
}

/** Checks `timestamp` against the exchange's clock and the `recvWindow` of the request. */
export function checkTimestamp(parameters: Parameters, nowMs: number): void {
  const timestamp = parameters.integer('timestamp');
  if (timestamp === null) throw missing('timestamp');
  const window = Number(parameters.matching('recvWindow', /^[0-9]{1,5}(\.[0-9]{1,3})?$/) ?? RECV_WINDOW_MS);
  if (window > RECV_WINDOW_MS_MAX) throw new ApiError(-1131, "'recvWindow' must be less than 60000.");
  if (timestamp > nowMs + AHEAD_MS_MAX) {
    throw new ApiError(-1021, "Timestamp for this request was 1000ms ahead of the server's time.");
  }
  if (nowMs - timestamp > window) {
    throw new ApiError(-1021, 'Timestamp for this request is outside of the recvWindow.');
  }
}

/** Checks a signature over a text: HMAC-SHA256 in hex, or Ed25519 in base64. */
export function checkSignature(
  { secret, publicKey }: ApiKey,
  { payload, signature }: { payload: string; signature: string },
): void {
  if (publicKey !== null) {
    if (!verify(null, Buffer.from(payload), publicKey, Buffer.from(signature, 'base64'))) throw BAD_SIGNATURE();
    return;
  }
  if (!/^[0-9a-fA-F]{64}$/.test(signature)) throw BAD_SIGNATURE();
  const expected = createHmac('sha256', secret ?? '')
    .update(payload)
    .digest();
  if (!timingSafeEqual(expected, Buffer.from(signature, 'hex'))) throw BAD_SIGNATURE();
}

/** The signed text of an HTTP request: the query and the body as sent, joined, without the signature. */
export function restPayload(query: string, body: string): string {
  return withoutSignature(query) + withoutSignature(body);
}

function withoutSignature(text: string): string {
  const parts = text.split('&');
  return parts.filter((part) => !part.startsWith('signature=')).join('&');
}

/** The signed text of a socket request: its parameters in alphabetical order, without the signature. */
export function socketPayload(members: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(members).filter((name) => name !== 'signature');
  return names
    .toSorted()
    .map((name) => `${name}=${String(members[name])}`)
    .join('&');
}
