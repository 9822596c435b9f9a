import { amountOf } from '../../model/amount.js';
import { parseVenue, VENUES, type Venue } from '../../model/exchange.js';
import { assert } from '../../model/assert.js';
import type { AccountId } from '../../model/ids.js';
import type { Row, VenueStore } from '../port.js';
import {
  decodeAccount,
  decodeContracts,
  decodeHouse,
  encodeAccount,
  encodeContracts,
  encodeHouse,
  type AccountHead,
} from './account-row.js';
import type { House } from './house.js';
import type { TradingTerms } from './trading-terms.js';
import { accountKey, accountOfKey, VenueAccount, type AccountChange } from './venue-account.js';

/** What a new account finds at every venue, in whole units; a sub-account too. */
const OPENING_BALANCES: readonly (readonly [asset: string, units: number])[] = [
  ['USDT', 1_000_000],
  ['BTC', 10],
  ['ETH', 100],
  ['SOL', 1_000],
];

export type TermsLookup = (venue: Venue, symbol: string) => TradingTerms;

/**
 * The accounts that somebody used since the start or that hold futures, and each venue's house.
 *
 *     account/<account>/<venue>     balances
 *     contracts/<account>/<venue>   settings and positions in futures, when there are any
 *     house/<venue>
 */
export class AccountRegistry {
  readonly #store: VenueStore;
  readonly #terms: TermsLookup;
  readonly #accounts = new Map<Venue, Map<AccountId, VenueAccount>>(VENUES.map((venue) => [venue, new Map()]));
  readonly #houses = new Map<Venue, House>();
  /** Those with futures. */
  readonly #holders = new Set<VenueAccount>();
  #touchedAccounts = new Set<VenueAccount>();
  #touchedHouses = new Set<Venue>();

  constructor(store: VenueStore, terms: TermsLookup) {
    this.#store = store;
    this.#terms = terms;
  }

  /** Opens the accounts that hold futures, for time alone changes them, and has their positions told. */
  load(): void {
    for (const { key } of this.#store.range('contracts/')) {
      const [, account = '', venueName = ''] = key.split('/');
      const venue = parseVenue(venueName);
      assert(venue !== null, `the key ${key} names an account`);
      const holder = this.account(accountOfKey(account), venue);
      holder.noteOpenPositions();
      this.touch(holder);
    }
  }

  /** An account that was never seen is opened with its opening balances. */
  account(account: AccountId, venue: Venue): VenueAccount {
    const known = this.#accounts.get(venue)?.get(account);
    if (known !== undefined) return known;
    const opened = this.#open(account, venue);
    this.#accounts.get(venue)?.set(account, opened);
    return opened;
  }

  house(venue: Venue): House {
    let house = this.#houses.get(venue);
    if (house === undefined) {
      const stored = this.#store.get(`house/${venue}`);
      house =
        stored === undefined ? { holdings: new Map(), fees: new Map(), insurance: new Map() } : decodeHouse(stored);
      this.#houses.set(venue, house);
    }
    return house;
  }

  get hasHolders(): boolean {
    return this.#holders.size > 0;
  }

  /** Accounts that may hold futures, in the order in which they came to; a copy. */
  holders(): VenueAccount[] {
    return [...this.#holders];
  }

  /** The account's balances change and are to be stored. */
  touch(account: VenueAccount): void {
    this.#touchedAccounts.add(account);
  }

  /** The account's futures change, and its balances. */
  touchFutures(account: VenueAccount): void {
    this.#holders.add(account);
    this.touch(account);
  }

  touchHouse(venue: Venue): void {
    this.#touchedHouses.add(venue);
  }

  /** What changed since the last call, account by account. */
  *takeChanges(): Generator<{ readonly account: VenueAccount; readonly change: AccountChange }> {
    for (const account of this.#touchedAccounts) {
      const change = account.takeChange();
      if (change !== null) yield { account, change };
    }
  }

  /** The rows of what was touched, which then counts as stored. */
  takeRows(rows: Row[]): void {
    for (const account of this.#touchedAccounts) {
      rows.push({ key: `account/${account.key}`, value: encodeAccount(account) });
      if (this.#holders.has(account)) this.#takeContracts(account, rows);
    }
    for (const venue of this.#touchedHouses) {
      rows.push({ key: `house/${venue}`, value: encodeHouse(this.house(venue)) });
    }
    this.#touchedAccounts = new Set();
    this.#touchedHouses = new Set();
  }

  #takeContracts(account: VenueAccount, rows: Row[]): void {
    const value = encodeContracts(account.contracts);
    rows.push({ key: `contracts/${account.key}`, value });
    if (value === null) this.#holders.delete(account);
  }

  #open(account: AccountId, venue: Venue): VenueAccount {
    const key = accountKey(account, venue);
    const stored = this.#store.get(`account/${key}`);
    const head = stored === undefined ? openingHead() : decodeAccount(stored);
    const held = this.#store.get(`contracts/${key}`);
    if (held === undefined) return new VenueAccount(account, venue, { ...head, contracts: new Map() });
    const contracts = decodeContracts(held, (symbol) => this.#terms(venue, symbol));
    const opened = new VenueAccount(account, venue, { ...head, contracts });
    this.#holders.add(opened);
    return opened;
  }
}

function openingHead(): AccountHead {
  const balances = new Map(
    OPENING_BALANCES.map(([asset, units]) => [asset, { total: amountOf(units, 0), locked: 0n }]),
  );
  return { version: 0, balances, positionMode: 'ONE_WAY', forcedCount: 0 };
}
