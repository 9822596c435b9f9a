import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Accounts, ApiKey, LoopbackAccount } from '../accounts.js';
import type { HttpRequest } from '../http-server.js';
import { type ErrorCode, OkxError } from './api-error.js';
import type { RequestFields } from './request-fields.js';

/** What a request needs: nothing, a key that may read, or one that may trade. */
export type Security = 'NONE' | 'READ' | 'TRADE';

export interface Identity {
  readonly account: LoopbackAccount;
  readonly key: ApiKey;
}

/** A timestamp may differ from the exchange's clock by less than this. */
const TIMESTAMP_WINDOW_MS = 30_000;
const MS_PER_S = 1_000;

/** Checks key, passphrase, time, signature and permission of a REST request. */
export function identify(
  accounts: Accounts,
  request: HttpRequest,
  { security, nowMs, isDemo }: { security: Security; nowMs: number; isDemo: boolean },
): Identity | null {
  if (security === 'NONE') return null;
  // Keys of demo trading work with its header alone.
  if ((request.headers['x-simulated-trading'] === '1') !== isDemo) throw new OkxError('50101');
  const header = (name: string, code: ErrorCode): string => {
    const value = request.headers[`ok-access-${name}`];
    if (typeof value !== 'string' || value === '') throw new OkxError(code);
    return value;
  };
  const key = header('key', '50103');
  const passphrase = header('passphrase', '50104');
  const signature = header('sign', '50106');
  const timestamp = header('timestamp', '50107');
  const identity = accounts.withKey(key);
  if (identity === null) throw new OkxError('50111');
  if (identity.key.passphrase !== passphrase) throw new OkxError('50105');
  const atMs = Date.parse(timestamp);
  if (!/^\d{4}-\d\d-\d\dT/.test(timestamp) || Number.isNaN(atMs)) throw new OkxError('50112');
  if (Math.abs(nowMs - atMs) >= TIMESTAMP_WINDOW_MS) throw new OkxError('50102');
  const query = request.query === '' ? '' : `?${request.query}`;
  const payload = `${timestamp}${request.method}${request.path}${query}${request.body}`;
  if (!isSignedBy(identity.key, payload, signature)) throw new OkxError('50113');
  requireAddress(identity.key, request.address);
  requirePermission(identity.key, security);
  return identity;
}

/** Checks the arguments of a login on a socket. Their timestamp counts seconds. */
export function logOn(
  accounts: Accounts,
  fields: RequestFields,
  { address, nowMs }: { address: string; nowMs: number },
): Identity {
  const identity = accounts.withKey(fields.optional('apiKey') ?? '');
  if (identity === null) throw new OkxError('60005');
  if (identity.key.passphrase !== fields.optional('passphrase')) throw new OkxError('60024');
  const timestamp = fields.optional('timestamp') ?? '';
  const isRecent = Math.abs(nowMs - Number(timestamp) * MS_PER_S) < TIMESTAMP_WINDOW_MS;
  if (!/^\d+(\.\d+)?$/.test(timestamp) || !isRecent) throw new OkxError('60006');
  const payload = `${timestamp}GET/users/self/verify`;
  if (!isSignedBy(identity.key, payload, fields.optional('sign') ?? '')) throw new OkxError('60007');
  requireAddress(identity.key, address);
  return identity;
}

export function requirePermission({ permissions }: ApiKey, security: Security): void {
  const mayTrade = permissions.spotTrading || permissions.futures;
  if (security === 'TRADE' ? !mayTrade : !permissions.reading) throw new OkxError('50120');
}

function requireAddress({ addresses }: ApiKey, address: string): void {
  if (addresses !== null && !addresses.includes(address)) throw new OkxError('50110', address);
}

function isSignedBy({ secret }: ApiKey, payload: string, signature: string): boolean {
  const expected = createHmac('sha256', secret ?? '')
    .update(payload)
    .digest();
  const given = Buffer.from(signature, 'base64');
  return given.length === expected.length && timingSafeEqual(expected, given);
}
