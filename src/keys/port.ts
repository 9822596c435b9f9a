import type { KeyObject } from 'node:crypto';
import type { AccountId, ApiKeyId } from '../domain/ids.js';

/** Permissions of an API key. `trade` includes `read`. */
export type Permission = 'read' | 'trade';

/** Networks that a key is bound to. */
export interface AllowedNetworks {
  /** `address`: IPv4 or IPv6 as text. An IPv4 address mapped into IPv6 counts as the IPv4 address. */
  includes(address: string): boolean;
}

/** An API key that is not revoked. The record selects HMAC or RSA; the request never does. */
export type ApiKeyRecord = {
  readonly apiKey: ApiKeyId;
  readonly account: AccountId;
  readonly permissions: readonly Permission[];
  /** Real time, epoch milliseconds, from which on the key is refused; null: never. */
  readonly expiresAtMs: number | null;
  /** null: any address. */
  readonly allowedFrom: AllowedNetworks | null;
  /** True: only signature version 2 is accepted. */
  readonly needsSignV2: boolean;
} & ({ readonly kind: 'HMAC'; readonly secret: KeyObject } | { readonly kind: 'RSA'; readonly publicKey: KeyObject });

export interface KeyDirectory {
  /** Called for every request: cheap. null for an unknown or revoked key; returns an expired one. */
  find(apiKey: string): ApiKeyRecord | null;
}

export interface ListenKeys {
  /** `apiKey`: the key of the request. The listen key is valid only while that key is. */
  issue(account: AccountId, apiKey: ApiKeyId): string;
}

/** The account whose stream a listen key opens, and the API key that requested it. */
export interface ListenKeyHolder {
  readonly account: AccountId;
  readonly apiKey: ApiKeyId;
}
