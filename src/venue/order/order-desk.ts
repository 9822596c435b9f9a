import { assert } from '../../model/assert.js';
import type { ChildNumber, VenueOrderId } from '../../model/ids.js';
import type { InstrumentIndex } from '../../model/instrument.js';
import { ZERO_LOTS } from '../../model/quantity.js';
import type { Rejection } from '../../model/rejection.js';
import type { EpochMs } from '../../model/time.js';
import type { Amendment, ChildRef, ChildSubmission } from '../../model/venue-message.js';
import type { AccountRegistry } from '../account/account-registry.js';
import type { ForcedOrder } from '../account/liquidation.js';
import { notionalOf, type TradingTerms } from '../account/trading-terms.js';
import type { MarkOf } from '../account/valuation.js';
import type { VenueAccount } from '../account/venue-account.js';
import type { InstrumentMarket } from '../life/index.js';
import { refusalOf } from './order-check.js';
import type { Outbox } from '../outbox.js';
import { amendOrder } from './order-amendment.js';
import type { OrderLife } from './order-life.js';
import type { OrderRegistry } from './order-registry.js';
import { amendRejected, cancelRejected, filled, queryAnswered } from './report.js';
import { FORCED_ORDER_ID, VenueOrder } from './venue-order.js';

export interface OrderDeskParts {
  readonly orders: OrderRegistry;
  readonly accounts: AccountRegistry;
  readonly life: OrderLife;
  readonly outbox: Outbox;
  /** The market as it is now. */
  readonly wake: (instrument: InstrumentIndex, nowMs: EpochMs) => InstrumentMarket;
  /** Mark prices at an instant. */
  readonly markAt: (atMs: EpochMs) => MarkOf;
  readonly onRepeated: (submission: ChildSubmission) => void;
}

/** Who asks, and when. Whoever asked last hears of the order from then on. */
export interface Asker {
  readonly origin: number;
  readonly nowMs: EpochMs;
}

/** Takes orders in, cancels them and answers for them. */
export class OrderDesk {
  readonly #parts: OrderDeskParts;

  constructor(parts: OrderDeskParts) {
    this.#parts = parts;
  }

  /** Places the order, once: a client id that was seen before is answered like a query. */
  submit(submission: ChildSubmission, asker: Asker): void {
    const market = this.#parts.wake(submission.instrument, asker.nowMs);
    assert(market.terms.instrument.venue === submission.venue, 'an order goes to the venue of its instrument');
    const account = this.#parts.accounts.account(submission.account, submission.venue);
    const known = this.#parts.orders.find(submission, account);
    if (known !== null) {
      this.#parts.onRepeated(submission);
      return this.#answer(known, asker);
    }
    const { terms, book } = market;
    const markOf = this.#parts.markAt(asker.nowMs);
    const rejection = refusalOf({ submission, terms, book, account, markOf }, submission.quantity);
    const sequence = market.nextSequence();
    const order = newOrder(account, terms, submission, sequence);
    order.owner = asker.origin;
    if (rejection === null) return this.#place(order, asker.nowMs);
    order.standing = { state: 'REJECTED', rejection };
    this.#parts.life.reject(order, rejection, asker.nowMs);
  }

  /** Places an order of the venue itself, which nobody is told of; returns what it traded, in lot-ticks. */
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

  /** Changes a resting order; a refusal leaves it as it was, in its place. */
  amend(amendment: Amendment, { origin, nowMs }: Asker): void {
    const order = this.#find(amendment);
    const rejection =
      order === null ? notOpen(amendment, order, 'amended') : this.#amend(order, amendment, origin, nowMs);
    if (rejection !== null) this.#parts.outbox.report(amendRejected(amendment, rejection, nowMs), origin);
  }

  cancel(child: ChildRef, { origin, nowMs }: Asker): void {
    const order = this.#find(child);
    if (order?.isOpen === true) {
      // Whoever lost touch must not take the end for all there was: the fills of the meantime come first.
      if (order.owner === null) this.#tellFills(order, origin);
      order.owner = origin;
      return this.#parts.life.cancel(order, null, nowMs);
    }
    const rejection = notOpen(child, order, 'cancelled');
    this.#parts.outbox.report(cancelRejected(child, rejection, nowMs), origin);
  }

  query(child: ChildRef, asker: Asker): void {
    const order = this.#find(child);
    if (order !== null) return this.#answer(order, asker);
    this.#parts.outbox.report(queryAnswered(child, { state: 'UNKNOWN' }, ZERO_LOTS, asker.nowMs), asker.origin);
  }

  #find(child: ChildRef): VenueOrder | null {
    return this.#parts.orders.find(child, this.#parts.accounts.account(child.account, child.venue));
  }

  #amend(order: VenueOrder, amendment: Amendment, origin: number, nowMs: EpochMs): Rejection | null {
    const { life, wake, markAt } = this.#parts;
    // The market may fill the order before it hears of the change.
    const market = wake(order.submission.instrument, nowMs);
    if (!order.isOpen) return notOpen(amendment, order, 'amended');
    if (order.owner === null) this.#tellFills(order, origin);
    order.owner = origin;
    return amendOrder(order, amendment, { life, market, markOf: markAt(nowMs), nowMs });
  }

  #place(order: VenueOrder, nowMs: EpochMs): void {
    this.#parts.life.accept(order, nowMs);
    this.#parts.life.work(order, nowMs);
  }

  /** Tells all there is to know: every fill again, then where the order stands. */
  #answer(order: VenueOrder, { origin, nowMs }: Asker): void {
    order.owner = origin;
    this.#tellFills(order, origin);
    this.#parts.outbox.report(queryAnswered(order.submission, order.standing, order.filled, nowMs), origin);
  }

  #tellFills(order: VenueOrder, destination: number): void {
    for (const { fill, atMs } of this.#parts.orders.fills(order)) {
      this.#parts.outbox.report(filled(order, fill, atMs), destination);
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
  return new VenueOrder(account, terms, submission, { sequence, standing: { state: 'OPEN', venueOrderId } });
}

function notOpen({ orderId, child }: ChildRef, order: VenueOrder | null, done: string): Rejection {
  const state = order === null ? 'unknown' : order.standing.state;
  return { code: 'INVALID_ORDER', message: `order ${orderId}-${child} cannot be ${done}: it is ${state}` };
}
