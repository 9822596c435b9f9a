import type { VenueOrderId } from '../../model/ids.js';
import { ZERO_LOTS } from '../../model/quantity.js';
import type { EpochMs } from '../../model/time.js';
import type { ChildRef, ChildSubmission } from '../../model/venue-message.js';
import type { AccountRegistry } from '../account/account-registry.js';
import type { InstrumentMarket } from '../instrument-market.js';
import { refusalOf } from '../order-check.js';
import type { OrderLife } from './order-life.js';
import type { OrderRegistry } from './order-registry.js';
import type { Outbox } from '../outbox.js';
import { cancelRejected, filled, queryAnswered } from './report.js';
import { VenueOrder } from './venue-order.js';

export interface OrderDeskParts {
  readonly orders: OrderRegistry;
  readonly accounts: AccountRegistry;
  readonly life: OrderLife;
  readonly outbox: Outbox;
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
  submit(submission: ChildSubmission, market: InstrumentMarket, asker: Asker): void {
    const account = this.#parts.accounts.account(submission.account, submission.venue);
    const known = this.#parts.orders.find(submission, account);
    if (known !== null) {
      this.#parts.onRepeated(submission);
      return this.#answer(known, asker);
    }
    const { terms, book } = market;
    const rejection = refusalOf({ submission, terms, book, account });
    const sequence = market.nextSequence();
    const venueOrderId = `${submission.instrument}-${sequence}` as VenueOrderId;
    const order = new VenueOrder(account, terms, submission, { sequence, standing: { state: 'OPEN', venueOrderId } });
    order.owner = asker.origin;
    if (rejection === null) return this.#place(order, market, asker.nowMs);
    order.standing = { state: 'REJECTED', rejection };
    this.#parts.life.reject(order, rejection, asker.nowMs);
  }

  cancel(child: ChildRef, { origin, nowMs }: Asker): void {
    const order = this.#find(child);
    if (order?.isOpen === true) {
      // Whoever lost touch must not take the end for all there was: the fills of the meantime come first.
      if (order.owner === null) this.#tellFills(order, origin);
      order.owner = origin;
      return this.#parts.life.cancel(order, null, nowMs);
    }
    const state = order === null ? 'unknown' : order.standing.state;
    const message = `order ${child.orderId}-${child.child} cannot be cancelled: it is ${state}`;
    const rejection = { code: 'INVALID_ORDER', message } as const;
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

  #place(order: VenueOrder, market: InstrumentMarket, nowMs: EpochMs): void {
    const { life } = this.#parts;
    const { side, quantity, limitPrice, type, timeInForce } = order.submission;
    life.accept(order, nowMs);
    market.trade({ side, quantity, limit: limitPrice, order }, nowMs);
    if (!order.isOpen) return;
    if (type === 'LIMIT' && timeInForce === 'GTC') life.rest(order);
    else life.cancel(order, null, nowMs);
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
