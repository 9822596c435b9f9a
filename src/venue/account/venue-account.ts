import type { Amount } from '../../model/amount.js';
import { assert } from '../../model/assert.js';
import type { Venue } from '../../model/exchange.js';
import type { AccountId, OrderId } from '../../model/ids.js';
import type { AssetBalance } from '../../model/venue-message.js';
import { Position } from './position.js';

/** Counts of 10^-18. `locked` is the part that orders and positions tie up; free = total − locked. */
export interface Balance {
  total: bigint;
  locked: bigint;
}

/** An account at one venue: one unified balance an asset, and net positions by canonical symbol. */
export class VenueAccount {
  readonly account: AccountId;
  readonly venue: Venue;
  /** Its part in the keys of rows, which no account's name can reach beyond. */
  readonly key: string;
  readonly balances: Map<string, Balance>;
  readonly positions: Map<string, Position>;
  /** Shards that asked for the balances and so hear of every change. */
  readonly askers = new Set<number>();
  /** Grows with every told change. */
  version: number;
  /** Orders in the book, by canonical symbol. */
  readonly #resting = new Map<string, number>();
  readonly #changed = new Set<string>();
  readonly #causers = new Set<number>();
  #causedBy: OrderId | null = null;

  constructor(account: AccountId, venue: Venue, content: AccountContent) {
    this.account = account;
    this.venue = venue;
    this.key = accountKey(account, venue);
    this.version = content.version;
    this.balances = content.balances;
    this.positions = content.positions;
  }

  free(asset: string): Amount {
    const balance = this.balances.get(asset);
    return (balance === undefined ? 0n : balance.total - balance.locked) as Amount;
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

  position(symbol: string): Position {
    let position = this.positions.get(symbol);
    if (position === undefined) {
      position = new Position(0, 0n);
      this.positions.set(symbol, position);
    }
    return position;
  }

  restingCount(symbol: string): number {
    return this.#resting.get(symbol) ?? 0;
  }

  /** So many more orders rest in the book, or fewer when the number is negative. */
  noteResting(symbol: string, more: 1 | -1): void {
    this.#resting.set(symbol, this.restingCount(symbol) + more);
  }

  /** Says whose order moves the balances that are being changed. */
  noteCause(orderId: OrderId, owner: number | null): void {
    this.#causedBy = orderId;
    if (owner !== null) this.#causers.add(owner);
  }

  balanceList(): AssetBalance[] {
    return [...this.balances.keys()].map((asset) => this.#balanceOf(asset));
  }

  /** What changed since the last call, under a new version; null when nothing did. */
  takeChange(): AccountChange | null {
    const change = this.#changed.size === 0 ? null : this.#nextChange();
    this.#changed.clear();
    this.#causers.clear();
    this.#causedBy = null;
    return change;
  }

  #nextChange(): AccountChange {
    this.version += 1;
    return {
      balances: [...this.#changed].map((asset) => this.#balanceOf(asset)),
      causedBy: this.#causedBy,
      audience: new Set([...this.askers, ...this.#causers]),
    };
  }

  #touch(asset: string): Balance {
    this.#changed.add(asset);
    let balance = this.balances.get(asset);
    if (balance === undefined) {
      balance = { total: 0n, locked: 0n };
      this.balances.set(asset, balance);
    }
    return balance;
  }

  #balanceOf(asset: string): AssetBalance {
    const total = (this.balances.get(asset)?.total ?? 0n) as Amount;
    return { asset, total, free: this.free(asset) };
  }
}

export interface AccountContent {
  readonly version: number;
  readonly balances: Map<string, Balance>;
  readonly positions: Map<string, Position>;
}

export interface AccountChange {
  readonly balances: readonly AssetBalance[];
  readonly causedBy: OrderId | null;
  /** Shards that are to hear of it. */
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
