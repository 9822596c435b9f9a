import type { Fill } from '../../domain/event.js';
import { childClientId, type VenueOrderId, type VenueTradeId } from '../../domain/ids.js';
import type { Instrument } from '../../domain/instrument.js';
import { ZERO_LOTS, amountOfNotional, type Amount } from '../../domain/quantity.js';
import type { Rejection } from '../../domain/rejection.js';
import type { EpochMs } from '../../domain/time.js';
import type { ChildRef, ChildSubmission } from '../../domain/venue-message.js';
import type { ExecutionReport } from '../../domain/venue-report.js';
import { crossingRefusal, filterRefusal } from '../../venue/listing/order-filter.js';
import type { MarketMatching, Match } from '../../venue/matching/market-matching.js';
import { BacktestOrder } from './backtest-order.js';

const PPM = 1_000_000n;

export interface BacktestOrderServiceParts {
  readonly instrument: Instrument;
  readonly matching: MarketMatching<BacktestOrder>;
  readonly report: (report: ExecutionReport) => void;
}

/** Order entry of the backtest venue: accepts and cancels our orders, books their fills and answers status requests. */
export class BacktestOrderService {
  readonly #parts: BacktestOrderServiceParts;
  readonly #orders = new Map<string, BacktestOrder>();
  #lastTradeId = 0;

  constructor(parts: BacktestOrderServiceParts) {
    this.#parts = parts;
  }

  /** Places the order once. A known client id is answered like a status request. */
  submit(submission: ChildSubmission, nowMs: EpochMs): void {
    const { instrument, matching } = this.#parts;
    if (this.#find(submission) !== undefined) return this.query(submission, nowMs);
    const venueOrderId = `${instrument.index}-${this.#orders.size + 1}` as VenueOrderId;
    const order = new BacktestOrder(submission, venueOrderId);
    this.#orders.set(keyOf(submission), order);
    const rejection = this.#refusalOf(submission);
    if (rejection !== null) {
      order.state = { state: 'REJECTED', rejection };
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
    const message = `order ${keyOf(child)} cannot be cancelled: it is ${order?.state.state ?? 'unknown'}`;
    const rejection: Rejection = { code: 'INVALID_ORDER', message };
    return this.#parts.report({ ...refOf(child), atMs: nowMs, kind: 'CancelRejected', rejection });
  }

  /** Reports every fill again, then the order's state. */
  query(child: ChildRef, nowMs: EpochMs): void {
    const order = this.#find(child);
    for (const { fill, atMs } of order?.fills ?? []) {
      this.#parts.report({ ...refOf(child), atMs, kind: 'Filled', fill });
    }
    const answer = order?.state ?? ({ state: 'UNKNOWN', knownSinceMs: 0 as EpochMs } as const);
    this.#parts.report({
      ...refOf(child),
      atMs: nowMs,
      kind: 'StatusAnswered',
      answer,
      filled: order?.filled ?? ZERO_LOTS,
    });
  }

  /** Books a match as a fill. */
  book({ order, cause, quantity, price, atMs }: Match<BacktestOrder>): void {
    const { instrument } = this.#parts;
    const { takerFeePpm, makerFeePpm, quote } = instrument;
    const feePpm = cause === 'take' ? takerFeePpm : makerFeePpm;
    this.#lastTradeId += 1;
    const fill: Fill = {
      tradeId: this.#lastTradeId as VenueTradeId,
      exchangeTradeId: '',
      venueOrderId: order.venueOrderId,
      quantity,
      price,
      liquidity: cause === 'take' ? 'TAKER' : 'MAKER',
      fee: (amountOfNotional(BigInt(quantity) * BigInt(price) * BigInt(feePpm), instrument) / PPM) as Amount,
      feeCurrency: quote,
    };
    order.addFill(fill, atMs);
    this.#parts.report({ ...refOf(order.submission), atMs, kind: 'Filled', fill });
  }

  #end(order: BacktestOrder, nowMs: EpochMs): void {
    const { venueOrderId, filled } = order;
    order.state = { state: 'CANCELLED', venueOrderId, cause: null };
    const cause = null;
    this.#parts.report({ ...refOf(order.submission), atMs: nowMs, kind: 'Cancelled', venueOrderId, cause, filled });
  }

  #find(child: ChildRef): BacktestOrder | undefined {
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
