import { type Amount, ZERO_AMOUNT } from '../../domain/quantity.js';
import { assert } from '../../domain/rejection.js';
import type { Venue } from '../../domain/exchange.js';
import type { AccountId, OrderId } from '../../domain/ids.js';
import type { AssetBalance } from '../../domain/venue-report.js';
import type { VenueOrder } from '../order/venue-order.js';
import { FuturesPosition } from './futures-position.js';
import type { TradingTerms } from './trading-terms.js';

/** Counts of 10^-18. `locked` is the part that orders and positions need; free = total − locked. */
export interface Balance {
  total: bigint;
  locked: bigint;
}

/** An account at one venue: one balance an asset, its positions in futures and its resting orders. */
export class VenueAccount {
  readonly account: AccountId;
  readonly venue: Venue;
  /** The part of row keys that names the account at its venue, with reserved characters escaped. */
  readonly key: string;
  readonly balances: Map<string, Balance>;
  /** By canonical symbol; closed ones too. */
  readonly positions: Map<string, FuturesPosition>;
  /** Number of orders by which the venue has liquidated. */
  forcedCount: number;
  readonly resting = new RestingOrders();
  /** Shards that asked for the balances and so receive every change. */
  readonly subscribers = new Set<number>();
  /** Grows with every reported change. */
  version: number;
  readonly #changedAssets = new Set<string>();
  readonly #changedPositions = new Set<FuturesPosition>();
  readonly #causingShards = new Set<number>();
  #causedBy: OrderId | null = null;

  constructor(account: AccountId, venue: Venue, content: AccountContent) {
    this.account = account;
    this.venue = venue;
    this.key = accountKey(account, venue);
    this.version = content.version;
    this.balances = content.balances;
    this.positions = content.positions;
    this.forcedCount = content.forcedCount;
  }

  /** Negative while a loss leaves less than positions and orders need. */
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

  /** Locks more of the asset, or less when the amount is negative. */
  lock(asset: string, amount: bigint): void {
    const balance = this.#touch(asset);
    balance.locked += amount;
    assert(balance.locked >= 0n, 'an unlock is at most the locked amount');
  }

  position(terms: TradingTerms): FuturesPosition {
    const { symbol } = terms.instrument;
    let position = this.positions.get(symbol);
    if (position === undefined) {
      position = new FuturesPosition(terms);
      this.positions.set(symbol, position);
    }
    return position;
  }

  /** Puts a position in the place of the same one in other lots and ticks. */
  replacePosition(former: FuturesPosition, restated: FuturesPosition): void {
    this.positions.set(restated.terms.instrument.symbol, restated);
    this.#changedPositions.delete(former);
    this.updateLock(restated);
    if (restated.isOpen) this.notePosition(restated);
  }

  /** The open positions that are settled in an asset. */
  openPositions(asset: string): FuturesPosition[] {
    return [...this.positions.values()].filter(({ isOpen, terms }) => isOpen && terms.instrument.quote === asset);
  }

  /** Locks the amount that the position needs now in place of the amount it needed before. */
  updateLock(position: FuturesPosition): void {
    const change = position.takeLockChange();
    if (change !== 0n) this.lock(position.terms.instrument.quote, change);
  }

  /** Marks the position to be reported with the next change. */
  notePosition(position: FuturesPosition): void {
    this.#changedPositions.add(position);
  }

  /** Marks all open positions to be reported again: their last reports may be lost with the venue's process. */
  noteOpenPositions(): void {
    for (const position of this.positions.values()) if (position.isOpen) this.notePosition(position);
  }

  /** Names the order that causes the change of balances in progress. */
  noteCause({ causingOrder, owner }: VenueOrder): void {
    this.#causedBy = causingOrder;
    if (owner !== null) this.#causingShards.add(owner);
  }

  balanceList(): AssetBalance[] {
    return [...this.balances.keys()].map((asset) => this.#balanceOf(asset));
  }

  /** The changes since the last call, under a new version; null when there are none. */
  takeChange(): AccountChange | null {
    const isUnchanged = this.#changedAssets.size === 0 && this.#changedPositions.size === 0;
    const change = isUnchanged ? null : this.#nextChange();
    this.#changedAssets.clear();
    this.#changedPositions.clear();
    this.#causingShards.clear();
    this.#causedBy = null;
    return change;
  }

  #nextChange(): AccountChange {
    this.version += 1;
    return {
      balances: [...this.#changedAssets].map((asset) => this.#balanceOf(asset)),
      positions: [...this.#changedPositions],
      causedBy: this.#causedBy,
      audience: new Set([...this.subscribers, ...this.#causingShards]),
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

  /** A debt is reported as nothing free. */
  #balanceOf(asset: string): AssetBalance {
    const free = this.free(asset);
    return { asset, total: this.total(asset), free: free < 0n ? ZERO_AMOUNT : free };
  }
}

/** The orders of one account that rest in the books of one venue, oldest first. */
class RestingOrders {
  readonly #orders = new Set<VenueOrder>();
  readonly #counts = new Map<string, number>();

  add(order: VenueOrder): void {
    this.#orders.add(order);
    this.#count(order, 1);
  }

  remove(order: VenueOrder): void {
    this.#orders.delete(order);
    this.#count(order, -1);
  }

  /** Number of orders that rest in one instrument. */
  countIn(symbol: string): number {
    return this.#counts.get(symbol) ?? 0;
  }

  /** A copy of the orders for which the condition holds, the newest first. */
  newestFirst(isWanted: (order: VenueOrder) => boolean): VenueOrder[] {
    return [...this.#orders].filter(isWanted).toReversed();
  }

  #count({ terms }: VenueOrder, more: 1 | -1): void {
    const { symbol } = terms.instrument;
    const count = this.countIn(symbol) + more;
    if (count === 0) this.#counts.delete(symbol);
    else this.#counts.set(symbol, count);
  }
}

export interface AccountContent {
  readonly version: number;
  readonly balances: Map<string, Balance>;
  readonly positions: Map<string, FuturesPosition>;
  readonly forcedCount: number;
}

export interface AccountChange {
  readonly balances: readonly AssetBalance[];
  readonly positions: readonly FuturesPosition[];
  readonly causedBy: OrderId | null;
  /** Shards that receive the balances. */
  readonly audience: Set<number>;
}

/** `<account>/<venue>`, the account escaped as in an address. */
export function accountKey(account: AccountId, venue: Venue): string {
  return `${encodeURIComponent(account)}/${venue}`;
}

/** Reverses the escaping of `accountKey`. */
export function accountOfKey(account: string): AccountId {
  return decodeURIComponent(account) as AccountId;
}
