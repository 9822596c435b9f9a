import { randomBytes } from 'node:crypto';
import type { Accounts } from '../accounts.js';
import type { SocketSession } from '../socket-server.js';
import { ApiError, BAD_KEY, parameterError } from './api-error.js';
import { checkSignature, identifyKey, type Identity } from './signing.js';

/** One operation that a client sends on a socket. */
export interface Operation {
  readonly op: string;
  readonly args: readonly unknown[];
  /** `req_id` on streams, `reqId` on the trade socket; null: absent. */
  readonly requestId: string | null;
  readonly header: Readonly<Record<string, unknown>>;
}

/** Parses the text of a client; null: it is no operation. */
export function parseOperation(text: string): Operation | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { op, args, req_id: streamId, reqId: tradeId, header } = value as Readonly<Record<string, unknown>>;
  if (typeof op !== 'string') return null;
  const id = tradeId ?? streamId;
  return {
    op,
    args: Array.isArray(args) ? args : [],
    requestId: typeof id === 'string' || typeof id === 'number' ? String(id) : null,
    header: typeof header === 'object' && header !== null ? (header as Record<string, unknown>) : {},
  };
}

/** The account that an `auth` operation names by key, expiry and signature. */
export function authenticate(
  accounts: Accounts,
  { args }: Operation,
  { socket, nowMs }: { socket: SocketSession; nowMs: number },
): Identity {
  const [key, expires, signature] = args;
  if (typeof key !== 'string' || typeof signature !== 'string') throw parameterError('Params Error');
  const expiresMs = Number(expires);
  if (!(expiresMs > nowMs)) throw new ApiError(10004, 'Params Error: expires is in the past');
  const identity = identifyKey(accounts, key, socket.address);
  if (identity.key.secret === null) throw BAD_KEY();
  checkSignature(identity.key, `GET/realtime${String(expires)}`, signature);
  return identity;
}

/** A new id of a connection. */
export function connectionId(): string {
  return `${randomBytes(10).toString('hex')}-${randomBytes(1).toString('hex')}`;
}
