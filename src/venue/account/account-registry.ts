import { amountOf } from '../../model/amount.js';
import { VENUES, type Venue } from '../../model/exchange.js';
import type { AccountId } from '../../model/ids.js';
import { decodeAccount, decodeHouse, encodeAccount, encodeHouse } from './account-row.js';
import type { House } from './house.js';
import type { Row, VenueStore } from '../port.js';
import { accountKey, VenueAccount, type AccountChange, type AccountContent } from './venue-account.js';

/** What a new account finds at every venue, in whole units. */
const OPENING_BALANCES: readonly (readonly [asset: string, units: number])[] = [
  ['USDT', 1_000_000],
  ['BTC', 10],
  ['ETH', 100],
  ['SOL', 1_000],
];

/** The accounts that somebody used since the start, and each venue's house. */
export class AccountRegistry {
  readonly #store: VenueStore;
  readonly #accounts = new Map<Venue, Map<AccountId, VenueAccount>>(VENUES.map((venue) => [venue, new Map()]));
  readonly #houses = new Map<Venue, House>();
  #touchedAccounts = new Set<VenueAccount>();
  #touchedHouses = new Set<Venue>();

  constructor(store: VenueStore) {
    this.#store = store;
  }

  /** An account that was never seen is opened with its opening balances. */
  account(account: AccountId, venue: Venue): VenueAccount {
    const known = this.#accounts.get(venue)?.get(account);
    if (known !== undefined) return known;
    const stored = this.#store.get(`account/${accountKey(account, venue)}`);
    const content = stored === undefined ? openingContent() : decodeAccount(stored);
    const opened = new VenueAccount(account, venue, content);
    this.#accounts.get(venue)?.set(account, opened);
    return opened;
  }

  house(venue: Venue): House {
    let house = this.#houses.get(venue);
    if (house === undefined) {
      const stored = this.#store.get(`house/${venue}`);
      house = stored === undefined ? { holdings: new Map(), fees: new Map() } : decodeHouse(stored);
      this.#houses.set(venue, house);
    }
    return house;
  }

  /** The account's balances or positions change and are to be stored. */
  touch(account: VenueAccount): void {
    this.#touchedAccounts.add(account);
  }

  touchHouse(venue: Venue): void {
    this.#touchedHouses.add(venue);
  }

  /** The balances that changed since the last call, account by account. */
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
    }
    for (const venue of this.#touchedHouses) {
      rows.push({ key: `house/${venue}`, value: encodeHouse(this.house(venue)) });
    }
    this.#touchedAccounts = new Set();
    this.#touchedHouses = new Set();
  }
}

function openingContent(): AccountContent {
  const balances = new Map(
    OPENING_BALANCES.map(([asset, units]) => [asset, { total: amountOf(units, 0), locked: 0n }]),
  );
  return { version: 0, balances, positions: new Map() };
}
