import { ZERO_AMOUNT, type Amount } from '../../model/amount.js';
import { assert } from '../../model/assert.js';
import type { Venue } from '../../model/exchange.js';
import type { AccountId, OrderId } from '../../model/ids.js';
import type { PositionMode } from '../../model/position.js';
import type { AssetBalance } from '../../model/venue-message.js';
import type { VenueOrder } from '../order/venue-order.js';
import { Contract } from './contract.js';
import type { Position } from './position.js';
import { RestingOrders } from './resting-orders.js';
import type { TradingTerms } from './trading-terms.js';

/** Counts of 10^-18. `locked` is the part that orders and positions tie up; free = total − locked. */
export interface Balance {
  total: bigint;
  locked: bigint;
}

/** An account at one venue: one unified balance an asset, and what it has set and holds in futures. */
export class VenueAccount {
  readonly account: AccountId;
  readonly venue: Venue;
  /** Its part in the keys of rows, which no account's name can reach beyond. */
  readonly key: string;
  readonly balances: Map<string, Balance>;
  /** By canonical symbol. */
  readonly contracts: Map<string, Contract>;
  positionMode: PositionMode;
  /** Orders by which the venue liquidated, so far. */
  forcedCount: number;
  readonly resting = new RestingOrders();
  /** Shards that asked for the balances and so hear of every change. */
  readonly askers = new Set<number>();
  /** Grows with every told change. */
  version: number;
  readonly #changedAssets = new Set<string>();
  readonly #changedPositions = new Map<Position, Contract>();
  readonly #causers = new Set<number>();
  #causedBy: OrderId | null = null;

  constructor(account: AccountId, venue: Venue, content: AccountContent) {
    this.account = account;
    this.venue = venue;
    this.key = accountKey(account, venue);
    this.version = content.version;
    this.balances = content.balances;
    this.contracts = content.contracts;
    this.positionMode = content.positionMode;
    this.forcedCount = content.forcedCount;
  }

  /** Negative while a loss leaves less than positions and orders tie up. */
  free(asset: string): Amount {
    const balance = this.balances.get(asset);
    return (balance === undefined ? 0n : balance.total - balance.locked) as Amount;
  }

  total(asset: string): Amount {
    return (this.balances.get(asset)?.total ?? 0n) as Amount;
  }

  credit(asset: string, amount: bigint): void {
    this.#touch(asset).total += amount;
  }

  /** Ties up more of the asset, or less when the amount is negative. */
  lock(asset: string, amount: bigint): void {
    const balance = this.#touch(asset);
    balance.locked += amount;
    assert(balance.locked >= 0n, 'no more is unlocked than was locked');
  }

  contract(terms: TradingTerms): Contract {
    const { symbol } = terms.instrument;
    let contract = this.contracts.get(symbol);
    if (contract === undefined) {
      contract = new Contract(terms);
      this.contracts.set(symbol, contract);
    }
    return contract;
  }

  /** Ties up what the contract needs now instead of what it needed before. */
  retie(contract: Contract): void {
    const more = contract.retie();
    if (more !== 0n) this.lock(contract.terms.instrument.quote, more);
  }

  /** The position, or what is set for it, has changed. */
  notePosition(contract: Contract, position: Position): void {
    this.#changedPositions.set(position, contract);
  }

  /** Tells all open positions again: whoever records them may have missed what changed last before the venue was lost. */
  noteOpenPositions(): void {
    for (const contract of this.contracts.values()) {
      for (const [, position] of contract.open()) this.notePosition(contract, position);
    }
  }

  /** Says whose order moves the balances that are being changed. */
  noteCause({ causer, owner }: VenueOrder): void {
    this.#causedBy = causer;
    if (owner !== null) this.#causers.add(owner);
  }

  balanceList(): AssetBalance[] {
    return [...this.balances.keys()].map((asset) => this.#balanceOf(asset));
  }

  /** What changed since the last call, under a new version; null when nothing did. */
  takeChange(): AccountChange | null {
    const isUnchanged = this.#changedAssets.size === 0 && this.#changedPositions.size === 0;
    const change = isUnchanged ? null : this.#nextChange();
    this.#changedAssets.clear();
    this.#changedPositions.clear();
    this.#causers.clear();
    this.#causedBy = null;
    return change;
  }

  #nextChange(): AccountChange {
    this.version += 1;
    return {
      balances: [...this.#changedAssets].map((asset) => this.#balanceOf(asset)),
      positions: [...this.#changedPositions],
      causedBy: this.#causedBy,
      audience: new Set([...this.askers, ...this.#causers]),
    };
  }

  #touch(asset: string): Balance {
    this.#changedAssets.add(asset);
    let balance = this.balances.get(asset);
    if (balance === undefined) {
      balance = { total: 0n, locked: 0n };
      this.balances.set(asset, balance);
    }
    return balance;
  }

  /** A debt is told as nothing free. */
  #balanceOf(asset: string): AssetBalance {
    const free = this.free(asset);
    return { asset, total: this.total(asset), free: free < 0n ? ZERO_AMOUNT : free };
  }
}

export interface AccountContent {
  readonly version: number;
  readonly balances: Map<string, Balance>;
  readonly contracts: Map<string, Contract>;
  readonly positionMode: PositionMode;
  readonly forcedCount: number;
}

export interface AccountChange {
  readonly balances: readonly AssetBalance[];
  readonly positions: readonly (readonly [Position, Contract])[];
  readonly causedBy: OrderId | null;
  /** Shards that are to hear of the balances. */
  readonly audience: Set<number>;
}

/** `<account>/<venue>`, the account escaped as in an address. */
export function accountKey(account: AccountId, venue: Venue): string {
  return `${encodeURIComponent(account)}/${venue}`;
}

/** Reads what accountKey wrote. */
export function accountOfKey(account: string): AccountId {
  return decodeURIComponent(account) as AccountId;
}
