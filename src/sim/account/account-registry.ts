import { parseVenue, type Venue, VENUES } from '../../domain/exchange.js';
import type { AccountId } from '../../domain/ids.js';
import { type Amount, amountOf } from '../../domain/quantity.js';
import { assert } from '../../domain/rejection.js';
import type { EpochMs } from '../../domain/time.js';
import { decodeRow, encodeRow } from '../store/row-codec.js';
import type { VenueRow, VenueStore } from '../../venue/port.js';
import { type ClearingHouse, keepRounding } from './clearing-house.js';
import { FuturesPosition } from './futures-position.js';
import type { TradingTerms } from './trading-terms.js';
import {
  type AccountChange,
  type AccountContent,
  accountKey,
  accountOfKey,
  type Balance,
  VenueAccount,
} from './venue-account.js';

/** What a new account holds at a venue; a sub-account too. */
export type OpeningBalances = readonly (readonly [asset: string, amount: Amount])[];

const SIMULATED_BALANCES: OpeningBalances = [
  ['USDT', amountOf(1_000_000, 0)],
  ['BTC', amountOf(10, 0)],
  ['ETH', amountOf(100, 0)],
  ['SOL', amountOf(1_000, 0)],
];

export type TermsLookup = (venue: Venue, symbol: string) => TradingTerms;

/**
 * The accounts used since the start or holding futures, and the clearing house of each venue.
 *
 *     account/<account>/<venue>     balances
 *     positions/<account>/<venue>   open positions in futures, when there are any
 *     house/<venue>
 */
export class AccountRegistry {
  readonly #store: VenueStore;
  readonly #terms: TermsLookup;
  readonly #opening: OpeningBalances;
  readonly #accounts = new Map<Venue, Map<AccountId, VenueAccount>>(VENUES.map((venue) => [venue, new Map()]));
  readonly #houses = new Map<Venue, ClearingHouse>();
  /** Accounts with futures. */
  readonly #holders = new Set<VenueAccount>();
  #touchedAccounts = new Set<VenueAccount>();
  #touchedHouses = new Set<Venue>();

  constructor(store: VenueStore, terms: TermsLookup, opening = SIMULATED_BALANCES) {
    this.#store = store;
    this.#terms = terms;
    this.#opening = opening;
  }

  /** Opens the accounts with futures positions, which change with time, and marks their positions to be reported. */
  load(): void {
    for (const { key } of this.#store.range('positions/')) {
      const [, account = '', venueName = ''] = key.split('/');
      const venue = parseVenue(venueName);
      assert(venue !== null, `the key ${key} names an account`);
      const holder = this.account(accountOfKey(account), venue);
      holder.noteOpenPositions();
      this.touch(holder);
    }
  }

  /** A new account starts with its opening balances. */
  account(account: AccountId, venue: Venue): VenueAccount {
    const known = this.#accounts.get(venue)?.get(account);
    if (known !== undefined) return known;
    const opened = this.#open(account, venue);
    this.#accounts.get(venue)?.set(account, opened);
    return opened;
  }

  house(venue: Venue): ClearingHouse {
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

  /** A copy of the accounts that may hold futures, in the order in which they got them. */
  holders(): VenueAccount[] {
    return [...this.#holders];
  }

  /**
   * Restates all positions in a future in other lots and ticks, while no order rests there. False: one of them is no
   * whole number of those lots, and all stay as they are.
   */
  restate(terms: TradingTerms): boolean {
    const { venue, symbol, quote } = terms.instrument;
    const all = [...(this.#accounts.get(venue)?.values() ?? [])].flatMap((account) => {
      const former = account.positions.get(symbol);
      return former === undefined ? [] : [{ account, former, restated: former.restated(terms) }];
    });
    if (all.some(({ restated }) => restated === null)) return false;
    for (const { account, former, restated } of all) {
      if (restated === null) continue;
      account.replacePosition(former, restated);
      if (!restated.isOpen) continue;
      const amount = restated.cost * terms.notionalUnit - former.cost * former.terms.notionalUnit;
      keepRounding(this.house(venue), { asset: quote, amount });
      this.touchHouse(venue);
      this.touchFutures(account);
    }
    return true;
  }

  /**
   * Marks the account's balances to be stored. The latest mark is the last in order, so that the order of the reports
   * does not depend on when the marks were cleared.
   */
  touch(account: VenueAccount): void {
    this.#touchedAccounts.delete(account);
    this.#touchedAccounts.add(account);
  }

  /** Marks the account's positions and balances to be stored. */
  touchFutures(account: VenueAccount): void {
    this.#holders.add(account);
    this.touch(account);
  }

  touchHouse(venue: Venue): void {
    this.#touchedHouses.add(venue);
  }

  /** The changes since the last call, account by account. */
  *takeChanges(): Generator<{ readonly account: VenueAccount; readonly change: AccountChange }> {
    for (const account of this.#touchedAccounts) {
      const change = account.takeChange();
      if (change !== null) yield { account, change };
    }
  }

  /** Adds the rows of all marked accounts and houses, and clears the marks. */
  takeRows(rows: VenueRow[]): void {
    for (const account of this.#touchedAccounts) {
      rows.push({ key: `account/${account.key}`, value: encodeAccount(account) });
      if (this.#holders.has(account)) this.#takePositions(account, rows);
    }
    for (const venue of this.#touchedHouses) {
      rows.push({ key: `house/${venue}`, value: encodeHouse(this.house(venue)) });
    }
    this.#touchedAccounts = new Set();
    this.#touchedHouses = new Set();
  }

  #takePositions(account: VenueAccount, rows: VenueRow[]): void {
    const value = encodePositions(account.positions);
    rows.push({ key: `positions/${account.key}`, value });
    if (value === null) this.#holders.delete(account);
  }

  #open(account: AccountId, venue: Venue): VenueAccount {
    const key = accountKey(account, venue);
    const stored = this.#store.get(`account/${key}`);
    const head = stored === undefined ? openingHead(this.#opening) : decodeAccount(stored);
    const held = this.#store.get(`positions/${key}`);
    if (held === undefined) return new VenueAccount(account, venue, { ...head, positions: new Map() });
    const positions = decodePositions(held, (symbol) => this.#terms(venue, symbol));
    const opened = new VenueAccount(account, venue, { ...head, positions });
    this.#holders.add(opened);
    return opened;
  }
}

function openingHead(opening: OpeningBalances): AccountHead {
  const balances = new Map(opening.map(([asset, total]): [string, Balance] => [asset, { total, locked: 0n }]));
  return { version: 0, balances, forcedCount: 0 };
}

interface AccountRow {
  readonly version: number;
  /** Counts of 10^-18. */
  readonly balances: readonly [asset: string, total: string, locked: string][];
  readonly forcedCount: number;
}

/** Lots, lot-ticks. */
type PositionRow = readonly [symbol: string, net: number, cost: string, fundedAtMs: number];

type AccountHead = Omit<AccountContent, 'positions'>;

function encodeAccount({ version, balances, forcedCount }: AccountHead): Uint8Array {
  const row: AccountRow = {
    version,
    balances: [...balances].map(([asset, { total, locked }]) => [asset, total.toString(), locked.toString()]),
    forcedCount,
  };
  return encodeRow(row);
}

export function decodeAccount(bytes: Uint8Array): AccountHead {
  const { balances, ...head } = decodeRow(bytes) as AccountRow;
  const entries = balances.map(([asset, total, locked]): [string, Balance] => [
    asset,
    { total: BigInt(total), locked: BigInt(locked) },
  ]);
  return { ...head, balances: new Map(entries) };
}

/** The open positions of an account; null when there is none. */
function encodePositions(positions: ReadonlyMap<string, FuturesPosition>): Uint8Array | null {
  const rows = [...positions].flatMap(([symbol, { isOpen, net, cost, fundedAtMs }]): PositionRow[] =>
    isOpen ? [[symbol, net, `${cost}`, fundedAtMs]] : [],
  );
  return rows.length === 0 ? null : encodeRow(rows);
}

export function decodePositions(
  bytes: Uint8Array,
  termsOf: (symbol: string) => TradingTerms,
): Map<string, FuturesPosition> {
  const rows = decodeRow(bytes) as readonly PositionRow[];
  return new Map(rows.map((row) => [row[0], positionOf(row, termsOf(row[0]))]));
}

function positionOf([, net, cost, fundedAtMs]: PositionRow, terms: TradingTerms): FuturesPosition {
  const position = new FuturesPosition(terms);
  position.net = net;
  position.cost = BigInt(cost);
  position.fundedAtMs = fundedAtMs as EpochMs;
  // The stored balance of the account already holds this amount as locked.
  position.takeLockChange();
  return position;
}

type SumTexts = readonly (readonly [asset: string, amount: string])[];

interface HouseRow {
  readonly holdings: SumTexts;
  readonly fees: SumTexts;
  readonly insurance: SumTexts;
}

function encodeHouse({ holdings, fees, insurance }: ClearingHouse): Uint8Array {
  const row: HouseRow = { holdings: textsOf(holdings), fees: textsOf(fees), insurance: textsOf(insurance) };
  return encodeRow(row);
}

export function decodeHouse(bytes: Uint8Array): ClearingHouse {
  const { holdings, fees, insurance } = decodeRow(bytes) as HouseRow;
  return { holdings: sumsOf(holdings), fees: sumsOf(fees), insurance: sumsOf(insurance) };
}

function textsOf(sums: Map<string, bigint>): SumTexts {
  return [...sums].map(([asset, amount]) => [asset, amount.toString()]);
}

function sumsOf(texts: SumTexts): Map<string, bigint> {
  return new Map(texts.map(([asset, amount]) => [asset, BigInt(amount)]));
}
