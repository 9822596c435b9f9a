import { assert } from '../../model/assert.js';
import type { Fill } from '../../model/event.js';
import type { VenueTradeId } from '../../model/ids.js';
import type { Lots } from '../../model/quantity.js';
import type { Rejection } from '../../model/rejection.js';
import type { EpochMs } from '../../model/time.js';
import type { AccountRegistry } from '../account/account-registry.js';
import type { InstrumentMarket } from '../instrument-market.js';
import type { OrderRegistry } from './order-registry.js';
import type { Outbox } from '../outbox.js';
import { accepted, cancelled, filled, rejected } from './report.js';
import { settle, type Execution } from '../account/settlement.js';
import type { VenueOrder } from './venue-order.js';

export interface OrderLifeParts {
  readonly orders: OrderRegistry;
  readonly accounts: AccountRegistry;
  readonly outbox: Outbox;
  readonly marketOf: (order: VenueOrder) => InstrumentMarket;
}

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

  reject(order: VenueOrder, rejection: Rejection, atMs: EpochMs): void {
    this.#parts.orders.touch(order);
    this.#parts.outbox.report(rejected(order, rejection, atMs), order.owner);
  }

  /** The order waits in the book for what is left of it. */
  rest(order: VenueOrder): void {
    this.#touchMoney(order);
    order.hold();
    this.resume(order);
    this.#parts.marketOf(order).book.rest(order);
  }

  /** An order that an earlier process left resting: its money is tied up already, and the market opens with it. */
  resume(order: VenueOrder): void {
    order.isResting = true;
    const { account, terms, submission } = order;
    account.noteResting(terms.instrument.symbol, 1);
    if (submission.reduceOnly) account.position(terms.instrument.symbol).reducers.push(order);
  }

  filled(order: VenueOrder, execution: Execution, atMs: EpochMs): void {
    const { accounts, orders, outbox, marketOf } = this.#parts;
    const { venue } = order.submission;
    const market = marketOf(order);
    assert(execution.quantity <= order.leaves, 'no more is filled than is left');
    this.#touchMoney(order);
    if (order.isResting) order.release(execution.quantity);
    const fee = settle(order, accounts.house(venue), execution);
    accounts.touchHouse(venue);
    const { quantity, price, liquidity } = execution;
    const { venueOrderId } = order;
    const tradeId = market.nextSequence() as VenueTradeId;
    const feeCurrency = order.terms.instrument.quote;
    const fill: Fill = { tradeId, venueOrderId, quantity, price, liquidity, fee, feeCurrency };
    order.freshFills.push({ fill, atMs });
    order.filled = (order.filled + execution.quantity) as Lots;
    orders.touch(order);
    outbox.report(filled(order, fill, atMs), order.owner);
    if (order.leaves === 0) this.#complete(order, market);
    if (order.terms.isFuture) this.#keepReducing(order, atMs);
  }

  /** Ends the order with quantity left; `cause` is null for a wish of its owner. */
  cancel(order: VenueOrder, cause: Rejection | null, atMs: EpochMs): void {
    if (order.isResting) {
      this.#parts.marketOf(order).book.remove(order);
      this.#touchMoney(order);
      order.release(order.leaves);
      this.#leaveBook(order);
    }
    const { venueOrderId } = order;
    order.standing = { state: 'CANCELLED', venueOrderId, cause };
    this.#parts.orders.touch(order);
    this.#parts.outbox.report(cancelled(order, cause, atMs), order.owner);
  }

  #complete(order: VenueOrder, market: InstrumentMarket): void {
    if (order.isResting) {
      market.book.noteDone();
      this.#leaveBook(order);
    }
    order.standing = { state: 'FILLED', venueOrderId: order.venueOrderId };
  }

  #leaveBook(order: VenueOrder): void {
    order.isResting = false;
    const { account, terms, submission } = order;
    account.noteResting(terms.instrument.symbol, -1);
    if (submission.reduceOnly) account.position(terms.instrument.symbol).forgetReducer(order);
  }

  /** A position that has shrunk leaves no room for some reduce-only orders: they end before they could turn it. */
  #keepReducing({ account, terms }: VenueOrder, atMs: EpochMs): void {
    const { symbol } = terms.instrument;
    const position = account.position(symbol);
    for (let excess = position.excessReducer(); excess !== null; excess = position.excessReducer()) {
      const message = `reduce_only: what is left of the ${symbol} position is smaller than the order`;
      this.cancel(excess, { code: 'INVALID_ORDER', message }, atMs);
    }
  }

  #touchMoney(order: VenueOrder): void {
    order.account.noteCause(order.submission.orderId, order.owner);
    this.#parts.accounts.touch(order.account);
  }
}
