import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { Units } from './decimal.js';

/** Rights of one API key. */
export interface KeyPermissions {
  readonly reading: boolean;
  readonly spotTrading: boolean;
  readonly futures: boolean;
  readonly withdrawals: boolean;
  readonly universalTransfer: boolean;
}

/** One API key. It signs with HMAC-SHA256 when it has a secret, with Ed25519 when it has a public key. */
export interface ApiKey {
  readonly key: string;
  readonly secret: string | null;
  /** In PEM (SPKI). */
  readonly publicKey: string | null;
  /** The third part of a key, where the exchange has it. */
  readonly passphrase: string | null;
  readonly permissions: KeyPermissions;
  /** Addresses that may use the key; null: all. */
  readonly addresses: readonly string[] | null;
  readonly createdAtMs: number;
}

/** Free and locked part of one asset. */
export interface Balance {
  readonly free: Units;
  readonly locked: Units;
}

/** The assets of one account in one section of the exchange. Amounts never become negative in the spot section. */
export class Wallet {
  readonly #balances = new Map<string, Balance>();
  readonly #updatedAtMs = new Map<string, number>();

  get assets(): readonly string[] {
    return [...this.#balances.keys()];
  }

  balance(asset: string): Balance {
    return this.#balances.get(asset) ?? { free: 0n, locked: 0n };
  }

  /** Time of the last change; 0 for an asset that the account never had. */
  updatedAtMs(asset: string): number {
    return this.#updatedAtMs.get(asset) ?? 0;
  }

  clear(): void {
    this.#balances.clear();
    this.#updatedAtMs.clear();
  }

  add(asset: string, change: Units): void {
    const { free, locked } = this.balance(asset);
    this.#updatedAtMs.set(asset, Date.now());
    this.#balances.set(asset, { free: free + change, locked });
  }

  /** Moves from free to locked; a negative amount moves back. */
  lock(asset: string, amount: Units): void {
    const { free, locked } = this.balance(asset);
    this.#balances.set(asset, { free: free - amount, locked: locked + amount });
  }
}

/** One account of the loopback exchange with its keys. The id is above 0. A unified account has one wallet for both. */
export interface LoopbackAccount {
  readonly id: number;
  readonly keys: readonly ApiKey[];
  readonly spot: Wallet;
  readonly futures: Wallet;
}

const KEY_BYTES = 32;

export const TRADING_PERMISSIONS: KeyPermissions = {
  reading: true,
  spotTrading: true,
  futures: true,
  withdrawals: false,
  universalTransfer: false,
};

/** A new key with 64 characters each for key and secret, as at Binance. */
export function newKey(options: Partial<ApiKey> = {}): ApiKey {
  return {
    key: randomBytes(KEY_BYTES).toString('hex'),
    secret: randomBytes(KEY_BYTES).toString('hex'),
    publicKey: null,
    passphrase: null,
    permissions: TRADING_PERMISSIONS,
    addresses: null,
    createdAtMs: Date.now(),
    ...options,
  };
}

/** A new key that signs with Ed25519, with the private key of its owner in PEM. */
export function newEd25519Key(): { readonly key: ApiKey; readonly privateKey: string } {
  const pair = generateKeyPairSync('ed25519');
  const publicKey = pair.publicKey.export({ format: 'pem', type: 'spki' }).toString();
  const privateKey = pair.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  return { key: newKey({ secret: null, publicKey }), privateKey };
}

/** First balances of a new account. */
export interface FirstBalances {
  readonly spot: Readonly<Record<string, Units>>;
  readonly futures: Readonly<Record<string, Units>>;
}

/** All accounts, by id and by API key. */
export class Accounts {
  readonly #accounts = new Map<number, LoopbackAccount>();
  readonly #byKey = new Map<string, { readonly account: LoopbackAccount; readonly key: ApiKey }>();
  readonly #withdrawn = new Set<string>();

  open(keys: readonly ApiKey[], balances: FirstBalances, { isUnified = false } = {}): LoopbackAccount {
    const spot = new Wallet();
    const account = { id: this.#accounts.size + 1, keys, spot, futures: isUnified ? spot : new Wallet() };
    for (const [asset, amount] of Object.entries(balances.spot)) account.spot.add(asset, amount);
    for (const [asset, amount] of Object.entries(balances.futures)) account.futures.add(asset, amount);
    this.#accounts.set(account.id, account);
    for (const key of keys) this.#byKey.set(key.key, { account, key });
    return account;
  }

  get all(): readonly LoopbackAccount[] {
    return [...this.#accounts.values()];
  }

  at(id: number): LoopbackAccount {
    const account = this.#accounts.get(id);
    if (account === undefined) throw new RangeError(`no account ${id}`);
    return account;
  }

  withKey(key: string): { readonly account: LoopbackAccount; readonly key: ApiKey } | null {
    return this.#withdrawn.has(key) ? null : (this.#byKey.get(key) ?? null);
  }

  /** Withdraws a key, which then is as an unknown one, or gives it back. */
  setAccepted(key: string, isAccepted: boolean): void {
    if (isAccepted) this.#withdrawn.delete(key);
    else this.#withdrawn.add(key);
  }
}
