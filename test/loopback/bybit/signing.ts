import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Accounts, ApiKey, LoopbackAccount } from '../accounts.js';
import type { HttpRequest } from '../http-server.js';
import {
  ApiError,
  BAD_ADDRESS,
  BAD_KEY,
  badSignature,
  lateRequest,
  NO_PERMISSION,
  parameterError,
} from './api-error.js';
import type { Category } from './instruments.js';

/** The account and the key of a request. */
export interface Identity {
  readonly account: LoopbackAccount;
  readonly key: ApiKey;
}

const WINDOW_MS = 5_000;
/** A request may come from a clock that is ahead by less than this. */
const AHEAD_MS = 1_000;
const UNAUTHORIZED = 401;

/** Checks key, address, time and signature of a signed HTTP request. */
export function identifyRequest(accounts: Accounts, request: HttpRequest, nowMs: number): Identity {
  const header = (name: string): string => {
    const value = request.headers[name];
    return typeof value === 'string' ? value : '';
  };
  const key = header('x-bapi-api-key');
  if (key === '') throw new ApiError(10007, 'User authentication failed.', { status: UNAUTHORIZED });
  const identity = identifyKey(accounts, key, request.address);
  const [time, window] = [header('x-bapi-timestamp'), header('x-bapi-recv-window')];
  checkTime(time, window, nowMs);
  const payload = `${time}${key}${window}${request.method === 'POST' ? request.body : request.query}`;
  checkSignature(identity.key, payload, header('x-bapi-sign'));
  return identity;
}

export function identifyKey(accounts: Accounts, key: string, address: string): Identity {
  const identity = accounts.withKey(key);
  if (identity === null) throw BAD_KEY();
  const { addresses } = identity.key;
  if (addresses !== null && !addresses.includes(address)) throw BAD_ADDRESS();
  return identity;
}

/** `server time - window <= time < server time + 1 s`, all in milliseconds. */
export function checkTime(time: string, window: string, nowMs: number): void {
  const [timeMs, windowMs] = [Number(time), window === '' ? WINDOW_MS : Number(window)];
  if (!/^\d{1,15}$/.test(time) || !Number.isSafeInteger(windowMs))
    throw parameterError('params error: timestamp invalid');
  if (timeMs < nowMs - windowMs || timeMs >= nowMs + AHEAD_MS) throw lateRequest(timeMs, nowMs, windowMs);
}

export function checkSignature({ secret }: ApiKey, payload: string, signature: string): void {
  const expected = createHmac('sha256', secret ?? '')
    .update(payload)
    .digest();
  const given = /^[0-9a-f]{64}$/i.test(signature) ? Buffer.from(signature, 'hex') : Buffer.alloc(expected.length);
  if (!timingSafeEqual(expected, given)) throw badSignature(payload);
}

/** Throws 10005 when the key may not read. */
export function requireReading({ key }: Identity): void {
  if (!key.permissions.reading) throw NO_PERMISSION();
}

/** Throws 10005 when the key may not trade the product. */
export function requireTrading({ key }: Identity, category: Category): void {
  const { spotTrading, futures } = key.permissions;
  if (!(category === 'spot' ? spotTrading : futures)) throw NO_PERMISSION();
}
