import { assert } from '../../model/assert.js';
import type { Fill } from '../../model/event.js';
import type { VenueTradeId } from '../../model/ids.js';
import type { Lots } from '../../model/quantity.js';
import type { Rejection } from '../../model/rejection.js';
import type { EpochMs } from '../../model/time.js';
import type { ChildSubmission } from '../../model/venue-message.js';
import type { AccountRegistry } from '../account/account-registry.js';
import type { Contract } from '../account/contract.js';
import { payInsurance } from '../account/house.js';
import { settle, type Execution } from '../account/settlement.js';
import { hasCrossPosition } from '../account/valuation.js';
import type { VenueAccount } from '../account/venue-account.js';
import type { InstrumentMarket } from '../life/index.js';
import type { Outbox } from '../outbox.js';
import type { OrderRegistry } from './order-registry.js';
import { accepted, amended, cancelled, filled, rejected } from './report.js';
import type { VenueOrder } from './venue-order.js';

export interface OrderLifeParts {
  readonly orders: OrderRegistry;
  readonly accounts: AccountRegistry;
  readonly outbox: Outbox;
  readonly marketOf: (order: VenueOrder) => InstrumentMarket;
}

const PREVENTED: Rejection = {
  code: 'INVALID_ORDER',
  message: 'self-trade prevention: the order would have traded with another of its account',
};

/** Every step of an order at the venue: it moves the money, marks what is to be stored, and tells the owner. */
export class OrderLife {
  readonly #parts: OrderLifeParts;

  constructor(parts: OrderLifeParts) {
    this.#parts = parts;
  }

  accept(order: VenueOrder, atMs: EpochMs): void {
    this.#parts.orders.touch(order);
    this.#parts.outbox.report(accepted(order, atMs), order.owner);
  }

  /** The order is another from now on; what rests of it may still lie elsewhere in the book. */
  amend(order: VenueOrder, submission: ChildSubmission, atMs: EpochMs): void {
    order.submission = submission;
    this.#parts.orders.touch(order);
    this.#parts.outbox.report(amended(order, atMs), order.owner);
  }

  reject(order: VenueOrder, rejection: Rejection, atMs: EpochMs): void {
    this.#parts.orders.touch(order);
    this.#parts.outbox.report(rejected(order, rejection, atMs), order.owner);
  }

  /** The order trades what it can at once; the rest of it waits in the book, or ends. */
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

  /** The account ties up what the leaves of a waiting order need. */
  attach(order: VenueOrder): void {
    this.#touchMoney(order);
    order.hold();
    this.#enterBook(order);
  }

  /** The account no longer counts the order as waiting. It has left the book already, or is to leave it or come back. */
  detach(order: VenueOrder): void {
    this.#touchMoney(order);
    order.release(order.leaves);
    this.#leaveBook(order);
  }

  /** An order that an earlier process left resting: its money is tied up already, and the market opens with it. */
  resume(order: VenueOrder): void {
    order.resume();
    this.#enterBook(order);
  }

  /** Books a trade, and ends the orders that it leaves without position or cover. */
  filled(order: VenueOrder, execution: Execution, atMs: EpochMs): void {
    const { accounts, orders, outbox, marketOf } = this.#parts;
    const { venue } = order.submission;
    assert(execution.quantity <= order.leaves, 'no more is filled than is left');
    this.#touchMoney(order);
    if (order.isResting) order.release(execution.quantity);
    const fee = settle(order, accounts.house(venue), execution, atMs);
    accounts.touchHouse(venue);
    const { quantity, price, liquidity } = execution;
    const { venueOrderId } = order;
    const tradeId = marketOf(order).nextSequence() as VenueTradeId;
    const feeCurrency = order.terms.instrument.quote;
    const fill: Fill = { tradeId, venueOrderId, quantity, price, liquidity, fee, feeCurrency };
    order.freshFills.push({ fill, atMs });
    order.filled = (order.filled + quantity) as Lots;
    orders.touch(order);
    outbox.report(filled(order, fill, atMs), order.owner);
    if (order.leaves === 0) this.#complete(order, atMs);
    if (!order.terms.isFuture) return;
    this.#keepReducing(order.contract, atMs);
    this.keepCovered(order.account, feeCurrency, atMs);
  }

  /** Self-trade prevention took lots from an order; one with none left ends, and has left the book if it was there. */
  prevented(order: VenueOrder, quantity: Lots, atMs: EpochMs): void {
    assert(quantity <= order.leaves, 'no more is prevented than is left');
    this.#touchMoney(order);
    if (order.isResting) order.release(quantity);
    order.prevented = (order.prevented + quantity) as Lots;
    this.#parts.orders.touch(order);
    if (order.leaves === 0) this.#complete(order, atMs);
  }

  /** Ends the order with quantity left; `cause` is null for a wish of its owner. */
  cancel(order: VenueOrder, cause: Rejection | null, atMs: EpochMs): void {
    if (order.isResting) {
      this.#parts.marketOf(order).remove(order);
      this.detach(order);
    }
    this.#endUnfilled(order, cause, atMs);
  }

  /** Ends the resting orders of an account for which the condition holds, the newest first. */
  cancelAll(account: VenueAccount, isConcerned: (order: VenueOrder) => boolean, cause: Rejection, atMs: EpochMs): void {
    for (const order of account.resting.newestFirst(isConcerned)) this.cancel(order, cause, atMs);
  }

  /**
   * After a loss: ends orders that tie up the asset, the newest first, until the balance covers the rest. What is still
   * missing without a CROSS position that could win it back is paid by the insurance fund.
   */
  keepCovered(account: VenueAccount, asset: string, atMs: EpochMs): void {
    if (account.free(asset) >= 0n) return;
    const cause: Rejection = { code: 'INSUFFICIENT_FUNDS', message: `a loss left too little ${asset} for the order` };
    for (const order of account.resting.newestFirst(({ heldAsset }) => heldAsset === asset)) {
      this.cancel(order, cause, atMs);
      if (account.free(asset) >= 0n) return;
    }
    if (hasCrossPosition(account, asset)) return;
    const { accounts } = this.#parts;
    payInsurance(account, accounts.house(account.venue), { asset, amount: 0n - account.free(asset) });
    accounts.touchFutures(account);
    accounts.touchHouse(account.venue);
  }

  #complete(order: VenueOrder, atMs: EpochMs): void {
    if (order.isResting) this.#leaveBook(order);
    if (order.prevented > 0) this.#endUnfilled(order, PREVENTED, atMs);
    else order.standing = { state: 'FILLED', venueOrderId: order.venueOrderId };
  }

  #endUnfilled(order: VenueOrder, cause: Rejection | null, atMs: EpochMs): void {
    order.standing = { state: 'CANCELLED', venueOrderId: order.venueOrderId, cause };
    this.#parts.orders.touch(order);
    this.#parts.outbox.report(cancelled(order, cause, atMs), order.owner);
  }

  #enterBook(order: VenueOrder): void {
    order.isResting = true;
    order.account.resting.add(order);
    if (order.submission.reduceOnly) order.position.reducers.push(order);
  }

  #leaveBook(order: VenueOrder): void {
    order.isResting = false;
    order.account.resting.remove(order);
    if (order.submission.reduceOnly) order.position.forgetReducer(order);
  }

  /** A position that has shrunk leaves no room for some reduce-only orders: they end before they could turn it. */
  #keepReducing({ terms, positions }: Contract, atMs: EpochMs): void {
    const message = `reduce_only: what is left of the ${terms.instrument.symbol} position is smaller than the order`;
    for (const position of Object.values(positions)) {
      for (let excess = position.excessReducer(); excess !== null; excess = position.excessReducer()) {
        this.cancel(excess, { code: 'INVALID_ORDER', message }, atMs);
      }
    }
  }

  #touchMoney(order: VenueOrder): void {
    const { accounts } = this.#parts;
    order.account.noteCause(order);
    if (order.terms.isFuture) accounts.touchFutures(order.account);
    else accounts.touch(order.account);
  }
}
