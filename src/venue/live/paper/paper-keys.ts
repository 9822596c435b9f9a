import { createSecretKey } from 'node:crypto';
import type { Venue, VenueEnvironment } from '../../../domain/exchange.js';
import type { AccountId } from '../../../domain/ids.js';
import { PAPER_ACCOUNTS_MAX } from '../../../domain/limits/live.js';
import { amountOf, parseSteps } from '../../../domain/quantity.js';
import type { VenueCredentials, VenueKeyDirectory, VenueKeyPlace } from '../../../keys/port.js';
import type { OpeningBalances } from '../../../sim/account/account-registry.js';

/** Nothing is signed with it. */
const NO_SECRET = createSecretKey(Buffer.from('paper'));

/**
 * Accounts of an exchange in paper mode. They need no key at the exchange: each account with an API key of the service is
 * open, and any other one from its first request on. The keys of the vault are not read.
 */
export class PaperKeys implements VenueKeyDirectory {
  readonly #venue: Venue;
  readonly #environment: VenueEnvironment;
  readonly #known: () => Iterable<AccountId>;
  readonly #places = new Map<AccountId, VenueKeyPlace>();
  readonly #listeners: ((place: VenueKeyPlace) => void)[] = [];

  /** `known`: the accounts with an API key. */
  constructor(venue: Venue, environment: VenueEnvironment, known: () => Iterable<AccountId>) {
    this.#venue = venue;
    this.#environment = environment;
    this.#known = known;
  }

  /** Opens an account, once. Beyond PAPER_ACCOUNTS_MAX an account stays closed. */
  note(account: AccountId): void {
    if (this.#places.has(account) || this.#places.size >= PAPER_ACCOUNTS_MAX) return;
    const place = { account, subaccount: null, venue: this.#venue, environment: this.#environment };
    this.#places.set(account, place);
    for (const listener of this.#listeners) listener(place);
  }

  find(place: VenueKeyPlace): VenueCredentials | null {
    if (!this.#places.has(place.account)) return null;
    return { place, kind: 'TOKEN', apiKey: 'paper', secret: NO_SECRET, passphrase: null, expiresAtMs: null };
  }

  accounts(): readonly VenueKeyPlace[] {
    return [...this.#places.values()];
  }

  onChange(listener: (place: VenueKeyPlace) => void): void {
    this.#listeners.push(listener);
  }

  refresh(): void {
    for (const account of this.#known()) this.note(account);
  }
}

/** An unusable wallet. The message names the part and the rule. */
export class PaperWalletError extends Error {
  override readonly name = 'PaperWalletError';
}

export const PAPER_WALLET_DEFAULT = 'USDT=1000000,BTC=10,ETH=100,SOL=1000';

/** Digits after the point of a configured amount. */
const WALLET_PRECISION = 8;
const ASSET = /^[A-Z0-9]{1,32}$/;

/** Reads what a new paper account holds in each wallet, such as `USDT=100000,BTC=0.5`. '': nothing. */
export function parsePaperWallet(text: string): OpeningBalances {
  const balances = new Map<string, OpeningBalances[number][1]>();
  for (const part of text === '' ? [] : text.split(',')) {
    const [name = '', amount = '', ...rest] = part.trim().split('=');
    const asset = name.toUpperCase();
    const units = parseSteps(amount, WALLET_PRECISION);
    if (!ASSET.test(asset) || rest.length > 0) throw new PaperWalletError(`${part} is not ASSET=AMOUNT`);
    if (typeof units === 'string') {
      throw new PaperWalletError(
        `${part}: ${amount} is no amount with up to ${WALLET_PRECISION} digits after the point`,
      );
    }
    if (balances.has(asset)) throw new PaperWalletError(`${part}: ${asset} has two amounts`);
    balances.set(asset, amountOf(units, WALLET_PRECISION));
  }
  return [...balances];
}
