import type { KeyObject } from 'node:crypto';
import type { RealMode, Venue, VenueEnvironment } from '../domain/exchange.js';
import type { AccountId, ApiKeyId } from '../domain/ids.js';
import type { Instrument, InstrumentIndex } from '../domain/instrument.js';
import type { Grid } from '../domain/quantity.js';
import type { OrRejection } from '../domain/rejection.js';

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
  /** True once a request or a session has proven this key. The record starts with false. */
  hasSigned: boolean;
} & (
  | { readonly kind: 'HMAC'; readonly secret: KeyObject }
  | {
      readonly kind: 'RSA';
      readonly publicKey: KeyObject;
      /** What of the public key breaks the rules: its signatures prove nothing. null: nothing. */
      readonly weakness: string | null;
    }
);

export interface KeyDirectory {
  /** Called for every request: cheap. null for an unknown, revoked or suspended key; returns an expired one. */
  find(apiKey: string): ApiKeyRecord | null;
  /** The record of a suspended key, which proves its holder and permits nothing. null: the key is not suspended. */
  findSuspended(apiKey: string): ApiKeyRecord | null;
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

/** The place of a key of an exchange. A place has at most one key. */
export interface VenueKeyPlace {
  readonly account: AccountId;
  /** null: the account itself. */
  readonly subaccount: string | null;
  readonly venue: Venue;
  readonly environment: VenueEnvironment;
}

/** How a key of an exchange signs. WALLET: a blockchain address with its private key. TOKEN: it does not sign. */
export const VENUE_KEY_KINDS = ['HMAC', 'RSA', 'ED25519', 'WALLET', 'TOKEN'] as const;
export type VenueKeyKind = (typeof VENUE_KEY_KINDS)[number];

/** The opened key of an exchange. JSON, inspection and text of it show nothing. */
export interface VenueCredentials {
  readonly place: VenueKeyPlace;
  readonly kind: VenueKeyKind;
  /** The public part: API key, address of the wallet, or name of the token. */
  readonly apiKey: string;
  /**
   * RSA, ED25519: a private key. HMAC, TOKEN: the text of the exchange. WALLET: 64 hexadecimal digits without 0x.
   * Export it only to sign, and overwrite the exported bytes.
   */
  readonly secret: KeyObject;
  /** Text; null: keys of this exchange have none. */
  readonly passphrase: KeyObject | null;
  /** Real time, epoch milliseconds; null: never. */
  readonly expiresAtMs: number | null;
}

/** The keys of exchanges for the gateway of an exchange. Nothing else opens their secrets. */
export interface VenueKeyDirectory {
  /**
   * Opens the key of a place. Keep the result while the key is used: each call opens it anew. null: the place has no
   * key, or it has expired. Rejected: the stored key does not open.
   */
  find(place: VenueKeyPlace): OrRejection<VenueCredentials> | null;
  /** Places with a key that has not expired. */
  accounts(venue: Venue, environment: VenueEnvironment): readonly VenueKeyPlace[];
  /** Calls the listener for each place whose key is added, replaced, removed or expired, after the change is read. */
  onChange(listener: (place: VenueKeyPlace) => void): void;
  /** Reads the changes of other threads. Call it several times a second; `find` and `accounts` call it too. */
  refresh(): void;
}

/**
 * Names a row of the registry. Stored quantities and prices count lots and ticks, so another grid is another row, and
 * orders of one mode are unknown to the exchange in another one.
 */
export type ListedName = Pick<Instrument, 'venue' | 'assetCategory' | 'symbol'> & Grid & { readonly mode: RealMode };

/** An instrument as the exchange listed it last. */
export interface StoredMarket {
  readonly instrument: Instrument;
  /** The exchange's own symbol. */
  readonly exchangeSymbol: string;
  /** Base units in one unit of quantity of the exchange, as decimal text. */
  readonly contractSize: string;
}

/** Row numbers and last rules of the instruments of real exchanges. */
export interface MarketRegistry {
  /** null: no number is left. New numbers are on disk when it returns. */
  indicesOf(names: readonly ListedName[]): (InstrumentIndex | null)[];
  store(markets: readonly StoredMarket[]): void;
  /** All stored markets, also of other modes and with earlier grids. */
  load(): StoredMarket[];
}
