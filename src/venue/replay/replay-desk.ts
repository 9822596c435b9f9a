import { amountOf } from '../../model/amount.js';
import type { Fill } from '../../model/event.js';
import { childClientId, type VenueOrderId, type VenueTradeId } from '../../model/ids.js';
import type { Instrument } from '../../model/instrument.js';
import { ZERO_LOTS } from '../../model/quantity.js';
import type { Rejection } from '../../model/rejection.js';
import type { EpochMs } from '../../model/time.js';
import type { ChildRef, ChildSubmission, ExecutionReport } from '../../model/venue-message.js';
import { crossingRefusal, filterRefusal } from '../listing/index.js';
import type { Match, ReplayMatching } from './replay-matching.js';
import { ReplayOrder } from './replay-order.js';

const PPM_DIGITS = 6;

export interface ReplayDeskParts {
  readonly instrument: Instrument;
  readonly matching: ReplayMatching;
  readonly report: (report: ExecutionReport) => void;
}

/** Takes our orders in at the replayed venue, cancels them, books what they trade, and answers for them. */
export class ReplayDesk {
  readonly #parts: ReplayDeskParts;
  readonly #orders = new Map<string, ReplayOrder>();
  #lastTradeId = 0;

  constructor(parts: ReplayDeskParts) {
    this.#parts = parts;
  }

  /** Places the order, once: a client id that was seen before is answered like a query. */
  submit(submission: ChildSubmission, nowMs: EpochMs): void {
    const { instrument, matching } = this.#parts;
    if (this.#find(submission) !== undefined) return this.query(submission, nowMs);
    const venueOrderId = `${instrument.index}-${this.#orders.size + 1}` as VenueOrderId;
    const order = new ReplayOrder(submission, venueOrderId);
    this.#orders.set(keyOf(submission), order);
    const rejection = this.#refusalOf(submission);
    if (rejection !== null) {
      order.standing = { state: 'REJECTED', rejection };
      return this.#parts.report({ ...refOf(submission), atMs: nowMs, kind: 'Rejected', rejection });
    }
    this.#parts.report({ ...refOf(submission), atMs: nowMs, kind: 'Accepted', venueOrderId });
    matching.take(order, nowMs);
    if (!order.isOpen) return undefined;
    const { timeInForce, limitPrice } = submission;
    if (timeInForce === 'GTC' && limitPrice !== null) matching.rest(order, limitPrice);
    else this.#end(order, nowMs);
    return undefined;
  }

  cancel(child: ChildRef, nowMs: EpochMs): void {
    const order = this.#find(child);
    if (order?.isOpen === true) {
      this.#parts.matching.remove(order);
      return this.#end(order, nowMs);
    }
    const message = `order ${keyOf(child)} cannot be cancelled: it is ${order?.standing.state ?? 'unknown'}`;
    const rejection: Rejection = { code: 'INVALID_ORDER', message };
    return this.#parts.report({ ...refOf(child), atMs: nowMs, kind: 'CancelRejected', rejection });
  }

  /** Tells all there is to know: every fill again, then where the order stands. */
  query(child: ChildRef, nowMs: EpochMs): void {
    const order = this.#find(child);
    for (const { fill, atMs } of order?.fills ?? []) {
      this.#parts.report({ ...refOf(child), atMs, kind: 'Filled', fill });
    }
    const answer = order?.standing ?? ({ state: 'UNKNOWN' } as const);
    this.#parts.report({
      ...refOf(child),
      atMs: nowMs,
      kind: 'QueryAnswered',
      answer,
      filled: order?.filled ?? ZERO_LOTS,
    });
  }

  /** Books what an order has traded. */
  book({ order, cause, quantity, price, atMs }: Match): void {
    const { quantityPrecision, pricePrecision, takerFeePpm, makerFeePpm, quote } = this.#parts.instrument;
    const feePpm = cause === 'take' ? takerFeePpm : makerFeePpm;
    this.#lastTradeId += 1;
    const fill: Fill = {
      tradeId: this.#lastTradeId as VenueTradeId,
      venueOrderId: order.venueOrderId,
      quantity,
      price,
      liquidity: cause === 'take' ? 'TAKER' : 'MAKER',
      fee: amountOf(BigInt(quantity) * BigInt(price) * BigInt(feePpm), quantityPrecision + pricePrecision + PPM_DIGITS),
      feeCurrency: quote,
    };
    order.addFill(fill, atMs);
    this.#parts.report({ ...refOf(order.submission), atMs, kind: 'Filled', fill });
  }

  #end(order: ReplayOrder, nowMs: EpochMs): void {
    const { venueOrderId, filled } = order;
    order.standing = { state: 'CANCELLED', venueOrderId, cause: null };
    const cause = null;
    this.#parts.report({ ...refOf(order.submission), atMs: nowMs, kind: 'Cancelled', venueOrderId, cause, filled });
  }

  #find(child: ChildRef): ReplayOrder | undefined {
    return this.#orders.get(keyOf(child));
  }

  #refusalOf(submission: ChildSubmission): Rejection | null {
    const { instrument, matching } = this.#parts;
    const { postOnly, side, limitPrice } = submission;
    const [ask, bid] = [matching.touch('BUY'), matching.touch('SELL')];
    const touch = matching.touch(side);
    const refusal = filterRefusal(submission, instrument, {
      referencePrice: ask > 0 && bid > 0 ? (bid + ask) / 2 : null,
      touchPrice: touch > 0 ? touch : null,
      restingCount: matching.resting.count,
    });
    if (refusal !== null) return refusal;
    if (!postOnly || limitPrice === null || !matching.isCrossing(side, limitPrice)) return null;
    return crossingRefusal(limitPrice, instrument);
  }
}

function refOf({ account, venue, orderId, child }: ChildRef): ChildRef {
  return { account, venue, orderId, child };
}

function keyOf({ orderId, child }: ChildRef): string {
  return childClientId(orderId, child);
}
