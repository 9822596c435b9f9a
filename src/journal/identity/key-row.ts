import type { AccountId } from '../../model/ids.js';

/** What a key may do. `trade` includes `read`. */
export type Permission = 'read' | 'trade';

/** What proves the possession of a key: our secret, sealed (Base64), or the client's public key (SPKI PEM). */
export type Credential =
  { readonly kind: 'HMAC'; readonly sealedSecret: string } | { readonly kind: 'RSA'; readonly publicKey: string };

/** One row of the table of keys. Rows are never removed: a revoked key stays for the record. */
export interface KeyRow {
  readonly account: AccountId;
  readonly permissions: readonly Permission[];
  /** Real time, epoch milliseconds. */
  readonly createdAtMs: number;
  /** Real time, epoch milliseconds; null while the key is good. */
  readonly revokedAtMs: number | null;
  /** Real time, epoch milliseconds; null while the key is confirmed. A restore suspends keys until the operator confirms them. */
  readonly suspendedAtMs: number | null;
  /** Real time, epoch milliseconds, from which on it is refused; null: never. */
  readonly expiresAtMs: number | null;
  /** Addresses and CIDR networks it may be used from; empty: from everywhere. */
  readonly allowedNetworks: readonly string[];
  /** True: only the second way to sign is taken. */
  readonly needsSignV2: boolean;
  readonly credential: Credential;
}

const ACTIVE = 1;
const REVOKED = 2;
const SUSPENDED = 3;

/** The first byte tells whether the key is good, so that each request can check it without parsing the row. */
export function encodeKeyRow(row: KeyRow): Buffer {
  return Buffer.concat([Buffer.of(stateOf(row)), Buffer.from(JSON.stringify(row))]);
}

function stateOf({ revokedAtMs, suspendedAtMs }: KeyRow): number {
  if (revokedAtMs !== null) return REVOKED;
  return suspendedAtMs === null ? ACTIVE : SUSPENDED;
}

/** What rows have that were written before keys could be bound. */
const UNBOUND = { suspendedAtMs: null, expiresAtMs: null, allowedNetworks: [], needsSignV2: false };

/** Reads what encodeKeyRow wrote. */
export function decodeKeyRow(bytes: Buffer): KeyRow {
  return { ...UNBOUND, ...(JSON.parse(bytes.toString('utf8', 1)) as KeyRow) };
}

export function isActive(bytes: Uint8Array): boolean {
  return bytes[0] === ACTIVE;
}
