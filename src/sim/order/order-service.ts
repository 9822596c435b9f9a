import { assert, type Rejection } from '../../domain/rejection.js';
import type { ChildNumber, VenueOrderId } from '../../domain/ids.js';
import type { InstrumentIndex } from '../../domain/instrument.js';
import { ZERO_LOTS } from '../../domain/quantity.js';
import type { EpochMs } from '../../domain/time.js';
import type { ChildRef, ChildSubmission } from '../../domain/venue-message.js';
import type { AccountRegistry } from '../account/account-registry.js';
import type { ForcedOrder } from '../account/liquidation.js';
import { notionalOf, type TradingTerms } from '../account/trading-terms.js';
import type { MarkOf } from '../account/margin.js';
import type { VenueAccount } from '../account/venue-account.js';
import { refusalOf } from './order-check.js';
import type { VenueOrderLifecycle } from './order-lifecycle.js';
import type { OrderMarket } from './order-market.js';
import type { OrderHistory } from './order-history.js';
import type { OrderRegistry } from './order-registry.js';
import { cancelRejected, statusAnswered } from '../../venue/refusal.js';
import { filled, type ReportQueue } from './reports.js';
import { FORCED_ORDER_ID, VenueOrder } from './venue-order.js';

export interface OrderServiceParts {
  readonly orders: OrderRegistry;
  readonly history: OrderHistory;
  readonly accounts: AccountRegistry;
  readonly lifecycle: VenueOrderLifecycle;
  readonly reports: ReportQueue;
  /** The market, advanced to now. */
  readonly wake: (instrument: InstrumentIndex, nowMs: EpochMs) => OrderMarket;
  /** Mark prices at an instant. */
  readonly markAt: (atMs: EpochMs) => MarkOf;
  readonly onRepeated: (submission: ChildSubmission) => void;
}

/** Origin and time of a request. The latest origin receives the order's later reports. */
export interface Requester {
  readonly origin: number;
  readonly nowMs: EpochMs;
}

/** Order entry of the simulated venues: accepts and cancels orders and answers status requests. */
export class OrderService {
  readonly #parts: OrderServiceParts;

  constructor(parts: OrderServiceParts) {
    this.#parts = parts;
  }

  /** Places the order once. A known client id is answered like a status request. */
  submit(submission: ChildSubmission, requester: Requester): void {
    const market = this.#parts.wake(submission.instrument, requester.nowMs);
    assert(market.terms.instrument.venue === submission.venue, 'an order goes to the venue of its instrument');
    const account = this.#parts.accounts.account(submission.account, submission.venue);
    const known = this.#parts.orders.find(submission, account);
    if (known !== null) {
      this.#parts.onRepeated(submission);
      return this.#answer(known, requester);
    }
    const { terms, book } = market;
    const markOf = this.#parts.markAt(requester.nowMs);
    const rejection = refusalOf({ submission, terms, book, account, markOf });
    const sequence = market.nextSequence();
    const order = newOrder(account, terms, submission, sequence);
    order.owner = requester.origin;
    if (rejection === null) return this.#place(order, requester.nowMs);
    order.state = { state: 'REJECTED', rejection };
    this.#parts.lifecycle.reject(order, rejection, requester.nowMs);
  }

  /** Places a liquidation order of the venue, without reports; returns the traded notional in lot-ticks. */
  force({ account, terms, side, quantity }: ForcedOrder, atMs: EpochMs): bigint {
    const market = this.#parts.wake(terms.instrument.index, atMs);
    account.forcedCount += 1;
    const submission: ChildSubmission = {
      account: account.account,
      venue: account.venue,
      orderId: FORCED_ORDER_ID,
      child: account.forcedCount as ChildNumber,
      instrument: terms.instrument.index,
      side,
      quantity,
      type: 'MARKET',
      timeInForce: 'IOC',
      limitPrice: null,
      postOnly: false,
      reduceOnly: true,
      selfTradePrevention: 'NONE',
    };
    const order = newOrder(account, terms, submission, market.nextSequence());
    this.#place(order, atMs);
    return order.freshFills.reduce((sum, { fill }) => sum + notionalOf(fill.quantity, fill.price), 0n);
  }

  cancel(child: ChildRef, { origin, nowMs }: Requester): void {
    const order = this.#find(child, nowMs);
    if (order?.isOpen === true) {
      // An owner that lost its state needs the fills first, else it would take the cancel as complete.
      if (order.owner === null) this.#reportFills(order, origin);
      order.owner = origin;
      return this.#parts.lifecycle.cancel(order, null, nowMs);
    }
    const rejection = notOpen(child, order);
    this.#parts.reports.report(cancelRejected(child, rejection, nowMs), origin);
  }

  query(child: ChildRef, requester: Requester): void {
    const { origin, nowMs } = requester;
    const order = this.#find(child, nowMs);
    if (order !== null) return this.#answer(order, requester);
    const knownSinceMs = this.#parts.history.knownSinceMs(child.venue, nowMs);
    const answer = { state: 'UNKNOWN', knownSinceMs } as const;
    this.#parts.reports.report(statusAnswered(child, answer, ZERO_LOTS, nowMs), origin);
  }

  #find(child: ChildRef, nowMs: EpochMs): VenueOrder | null {
    const account = this.#parts.accounts.account(child.account, child.venue);
    return this.#parts.orders.findKnown(child, account, nowMs);
  }

  #place(order: VenueOrder, nowMs: EpochMs): void {
    this.#parts.lifecycle.accept(order, nowMs);
    this.#parts.lifecycle.work(order, nowMs);
  }

  /** Reports every fill again, then the order's state. */
  #answer(order: VenueOrder, { origin, nowMs }: Requester): void {
    order.owner = origin;
    this.#reportFills(order, origin);
    this.#parts.reports.report(statusAnswered(order.submission, order.state, order.filled, nowMs), origin);
  }

  #reportFills(order: VenueOrder, destination: number): void {
    for (const { fill, atMs } of this.#parts.orders.fills(order)) {
      this.#parts.reports.report(filled(order, fill, atMs), destination);
    }
  }
}

function newOrder(
  account: VenueAccount,
  terms: TradingTerms,
  submission: ChildSubmission,
  sequence: number,
): VenueOrder {
  const venueOrderId = `${submission.instrument}-${sequence}` as VenueOrderId;
  return new VenueOrder(account, terms, submission, { sequence, state: { state: 'OPEN', venueOrderId } });
}

function notOpen({ orderId, child }: ChildRef, order: VenueOrder | null): Rejection {
  const state = order === null ? 'unknown' : order.state.state;
  return { code: 'INVALID_ORDER', message: `order ${orderId}-${child} cannot be cancelled: it is ${state}` };
}
