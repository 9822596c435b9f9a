import { formatLots, type Lots } from '../../model/quantity.js';
import type { Rejection } from '../../model/rejection.js';
import type { EpochMs } from '../../model/time.js';
import type { Amendment, ChildSubmission } from '../../model/venue-message.js';
import type { MarkOf } from '../account/valuation.js';
import type { InstrumentMarket } from '../life/index.js';
import { VENUE_LISTINGS } from '../listing/index.js';
import { refusalOf } from './order-check.js';
import type { OrderLife } from './order-life.js';
import type { VenueOrder } from './venue-order.js';

export interface AmendmentParts {
  readonly life: OrderLife;
  readonly market: InstrumentMarket;
  readonly markOf: MarkOf;
  readonly nowMs: EpochMs;
}

/**
 * Changes a resting order and tells its owner; returns why not, and then nothing has changed. Fewer lots at the same
 * price keep the place in the queue; anything else goes to the rear of its price, having traded what it then can.
 */
export function amendOrder(order: VenueOrder, amendment: Amendment, parts: AmendmentParts): Rejection | null {
  const { submission, terms } = order;
  const quantity = amendment.quantity ?? submission.quantity;
  const limitPrice = amendment.limitPrice ?? submission.limitPrice;
  const wanted: ChildSubmission = { ...submission, quantity, limitPrice };
  if (!VENUE_LISTINGS[submission.venue].capabilities.isAmendOffered) {
    return { code: 'INVALID_ORDER', message: `${submission.venue} does not offer amendments` };
  }
  const gone = (submission.quantity - order.leaves) as Lots;
  if (quantity <= gone) {
    const [asked, done] = [formatLots(quantity, terms.instrument), formatLots(gone, terms.instrument)];
    return { code: 'INVALID_QUANTITY', message: `quantity ${asked}: of the order ${done} is done already` };
  }
  return reshape(order, wanted, (quantity - gone) as Lots, parts);
}

function reshape(order: VenueOrder, wanted: ChildSubmission, leaves: Lots, parts: AmendmentParts): Rejection | null {
  const { life, market, markOf, nowMs } = parts;
  const { account, terms } = order;
  // What the order has tied up is there for what becomes of it.
  life.detach(order);
  const refused = refusalOf({ submission: wanted, terms, book: market.book, account, markOf }, leaves);
  if (refused !== null) {
    life.attach(order);
    return refused;
  }
  if (wanted.limitPrice === order.price && leaves <= order.leaves) {
    market.shrink(order, leaves);
    life.amend(order, wanted, nowMs);
    life.attach(order);
    return null;
  }
  market.remove(order);
  order.sequence = market.nextSequence();
  life.amend(order, wanted, nowMs);
  life.work(order, nowMs);
  return null;
}
