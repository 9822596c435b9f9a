import { assert, type Rejection } from '../../domain/rejection.js';
import type { Fill } from '../../domain/event.js';
import type { VenueTradeId } from '../../domain/ids.js';
import type { Lots } from '../../domain/quantity.js';
import type { EpochMs } from '../../domain/time.js';
import type { AccountRegistry } from '../account/account-registry.js';
import { payInsurance, settle, type MatchedFill } from '../account/clearing-house.js';
import type { FuturesPosition } from '../account/futures-position.js';
import type { VenueAccount } from '../account/venue-account.js';
import type { OrderMarket } from './order-market.js';
import type { OrderRegistry } from './order-registry.js';
import { accepted, cancelled, filled, rejected, type ReportQueue } from './reports.js';
import type { VenueOrder } from './venue-order.js';

export interface VenueOrderLifecycleParts {
  readonly orders: OrderRegistry;
  readonly accounts: AccountRegistry;
  readonly reports: ReportQueue;
  readonly marketOf: (order: VenueOrder) => OrderMarket;
}

const PREVENTED: Rejection = {
  code: 'INVALID_ORDER',
  message: 'self-trade prevention: the order would have traded with another of its account',
};

/** Applies every step of an order at the venue: moves the money, marks rows to store, and reports to the owner. */
export class VenueOrderLifecycle {
  readonly #parts: VenueOrderLifecycleParts;

  constructor(parts: VenueOrderLifecycleParts) {
    this.#parts = parts;
  }

  accept(order: VenueOrder, atMs: EpochMs): void {
    this.#parts.orders.touch(order);
    this.#parts.reports.report(accepted(order, atMs), order.owner);
  }

  reject(order: VenueOrder, rejection: Rejection, atMs: EpochMs): void {
    this.#parts.orders.touch(order);
    this.#parts.reports.report(rejected(order, rejection, atMs), order.owner);
  }

  /** Trades the order at once as far as possible; the rest enters the book or ends. */
  work(order: VenueOrder, atMs: EpochMs): void {
    const { limitPrice, type, timeInForce } = order.submission;
    const market = this.#parts.marketOf(order);
    market.trade({ quantity: order.leaves, limit: limitPrice, order }, atMs);
    if (!order.isOpen) return;
    if (type !== 'LIMIT' || timeInForce !== 'GTC') {
      return this.cancel(order, order.prevented > 0 ? PREVENTED : null, atMs);
    }
    this.attach(order);
    market.rest(order);
  }

  /** Locks the amount that the leaves need and enters the order as resting. */
  attach(order: VenueOrder): void {
    this.#touchMoney(order);
    order.hold();
    this.#enterBook(order);
  }

  /** Unlocks the order's amount and removes it from the resting orders. The caller changes the book. */
  detach(order: VenueOrder): void {
    this.#touchMoney(order);
    order.release(order.leaves);
    this.#leaveBook(order);
  }

  /**
   * Re-enters an order that rested in an earlier process. Its amount is already locked, and the market opens with it.
   */
  resume(order: VenueOrder): void {
    order.resume();
    this.#enterBook(order);
  }

  /** Books a trade. Then ends orders that lack a position to reduce or funds. */
  filled(order: VenueOrder, execution: MatchedFill, atMs: EpochMs): void {
    const { accounts, orders, reports, marketOf } = this.#parts;
    const { venue } = order.submission;
    assert(execution.quantity <= order.leaves, 'a fill is at most the leaves');
    this.#touchMoney(order);
    if (order.isResting) order.release(execution.quantity);
    const fee = settle(order, accounts.house(venue), execution, atMs);
    accounts.touchHouse(venue);
    const { quantity, price, liquidity } = execution;
    const { venueOrderId } = order;
    const tradeId = marketOf(order).nextSequence() as VenueTradeId;
    const feeCurrency = order.terms.instrument.quote;
    const fill: Fill = { tradeId, exchangeTradeId: '', venueOrderId, quantity, price, liquidity, fee, feeCurrency };
    order.freshFills.push({ fill, atMs });
    order.filled = (order.filled + quantity) as Lots;
    orders.touch(order);
    reports.report(filled(order, fill, atMs), order.owner);
    if (order.leaves === 0) this.#complete(order, atMs);
    if (!order.terms.isFuture) return;
    this.#keepReducing(order.position, atMs);
    this.keepCovered(order.account, feeCurrency, atMs);
  }

  /** Books lots that self-trade prevention removed. An order without leaves ends; it has already left the book. */
  prevented(order: VenueOrder, quantity: Lots, atMs: EpochMs): void {
    assert(quantity <= order.leaves, 'prevented lots are at most the leaves');
    this.#touchMoney(order);
    if (order.isResting) order.release(quantity);
    order.prevented = (order.prevented + quantity) as Lots;
    this.#parts.orders.touch(order);
    if (order.leaves === 0) this.#complete(order, atMs);
  }

  /** Ends an order with leaves; `cause` is null for a cancel by its owner. */
  cancel(order: VenueOrder, cause: Rejection | null, atMs: EpochMs): void {
    if (order.isResting) {
      this.#parts.marketOf(order).remove(order);
      this.detach(order);
    }
    this.#endUnfilled(order, cause, atMs);
  }

  /** Ends the account's resting orders that match the condition, the newest first. */
  cancelAll(account: VenueAccount, isConcerned: (order: VenueOrder) => boolean, cause: Rejection, atMs: EpochMs): void {
    for (const order of account.resting.newestFirst(isConcerned)) this.cancel(order, cause, atMs);
  }

  /**
   * Restores cover after a loss: ends orders that lock the asset, the newest first, until the balance covers the rest.
   * Without a CROSS position in the asset, the insurance fund pays the remaining deficit.
   */
  keepCovered(account: VenueAccount, asset: string, atMs: EpochMs): void {
    if (account.free(asset) >= 0n) return;
    const cause: Rejection = { code: 'INSUFFICIENT_FUNDS', message: `a loss left too little ${asset} for the order` };
    for (const order of account.resting.newestFirst(({ heldAsset }) => heldAsset === asset)) {
      this.cancel(order, cause, atMs);
      if (account.free(asset) >= 0n) return;
    }
    if (account.openPositions(asset).length > 0) return;
    const { accounts } = this.#parts;
    payInsurance(account, accounts.house(account.venue), { asset, amount: 0n - account.free(asset) });
    accounts.touchFutures(account);
    accounts.touchHouse(account.venue);
  }

  #complete(order: VenueOrder, atMs: EpochMs): void {
    if (order.isResting) this.#leaveBook(order);
    if (order.prevented > 0) this.#endUnfilled(order, PREVENTED, atMs);
    else order.state = { state: 'FILLED', venueOrderId: order.venueOrderId };
  }

  #endUnfilled(order: VenueOrder, cause: Rejection | null, atMs: EpochMs): void {
    order.state = { state: 'CANCELLED', venueOrderId: order.venueOrderId, cause };
    this.#parts.orders.touch(order);
    this.#parts.reports.report(cancelled(order, cause, atMs), order.owner);
  }

  #enterBook(order: VenueOrder): void {
    order.isResting = true;
    order.account.resting.add(order);
    if (order.submission.reduceOnly) order.position.reducers.push(order);
  }

  #leaveBook(order: VenueOrder): void {
    order.isResting = false;
    order.account.resting.remove(order);
    if (order.submission.reduceOnly) order.position.removeReducer(order);
  }

  /** Ends reduce-only orders that exceed a smaller position, before they could reverse it. */
  #keepReducing(position: FuturesPosition, atMs: EpochMs): void {
    const { symbol } = position.terms.instrument;
    const message = `reduce_only: the rest of the ${symbol} position is smaller than the order`;
    for (let excess = position.excessReducer(); excess !== null; excess = position.excessReducer()) {
      this.cancel(excess, { code: 'INVALID_ORDER', message }, atMs);
    }
  }

  #touchMoney(order: VenueOrder): void {
    const { accounts } = this.#parts;
    order.account.noteCause(order);
    if (order.terms.isFuture) accounts.touchFutures(order.account);
    else accounts.touch(order.account);
  }
}
