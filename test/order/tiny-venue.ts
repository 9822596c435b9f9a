import type { Amount, Lots, Ticks } from '../../src/domain/quantity.js';
import type { ChildNumber, VenueOrderId, VenueTradeId } from '../../src/domain/ids.js';
import type { Market } from '../../src/domain/market.js';
import type { Rejection } from '../../src/domain/rejection.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { ChildRef, ChildSubmission, VenueRequest } from '../../src/domain/venue-message.js';
import type { ExecutionReport, OrderStatusAnswer } from '../../src/domain/venue-report.js';
import { marketOf } from './orders.js';

interface Placed {
  readonly submission: ChildSubmission;
  readonly venueOrderId: VenueOrderId;
  readonly fills: Extract<ExecutionReport, { kind: 'Filled' }>[];
  filled: number;
  end: 'FILLED' | 'CANCELLED' | Rejection | null;
}

/** A venue for one order with one price on each side. It behaves like a real venue and fails on request. */
export class TinyVenue {
  market: Market = marketOf();
  /** Lots at each touch until the next change of the market. */
  depth = Infinity;
  nowMs = 0 as EpochMs;
  /** Reason with which the next submissions are refused; null: they are accepted. */
  refusal: Rejection | null = null;
  /** Sent reports that are not applied yet, in sequence. */
  readonly reports: ExecutionReport[] = [];
  readonly #placed = new Map<ChildNumber, Placed>();
  #trades = 0;

  /** Lots that the venue has traded for the order. */
  get filled(): number {
    let filled = 0;
    for (const placed of this.#placed.values()) filled += placed.filled;
    return filled;
  }

  get openCount(): number {
    return [...this.#placed.values()].filter(({ end }) => end === null).length;
  }

  get submissions(): ChildSubmission[] {
    return [...this.#placed.values()].map(({ submission }) => submission);
  }

  /** Requests about the account and the market get no answer. */
  handle(request: VenueRequest): void {
    if (request.kind === 'Submit') this.#submit(request);
    else if (request.kind === 'Cancel') this.#cancel(request);
    else if (request.kind === 'QueryStatus') this.#answer(request);
  }

  /** Changes the market. A resting child that is crossed trades at its own limit price. */
  move(market: Market, depth: number): void {
    this.market = market;
    this.depth = depth;
    for (const placed of this.#placed.values()) if (placed.end === null) this.#match(placed);
  }

  /** Fills the oldest open child passively. */
  fillResting(quantity: number): void {
    const placed = this.#oldestOpen();
    if (placed !== undefined) this.#fill(placed, quantity, placed.submission.limitPrice ?? this.market.last, 'MAKER');
  }

  /** Ends the oldest open child by the venue. A fill of `late` lots is reported after the end. */
  drop(cause: Rejection, late: number): void {
    const placed = this.#oldestOpen();
    if (placed === undefined) return;
    const reportCount = this.reports.length;
    if (late > 0) this.#fill(placed, late, placed.submission.limitPrice ?? this.market.last, 'MAKER');
    const fills = this.reports.splice(reportCount);
    if (placed.end === null) this.#end(placed, cause);
    this.reports.push(...fills);
  }

  #submit(submission: ChildSubmission): void {
    if (this.#placed.has(submission.child)) throw new Error(`client id ${submission.child} was sent twice`);
    const venueOrderId = `v${submission.child}` as VenueOrderId;
    const placed: Placed = { submission, venueOrderId, fills: [], filled: 0, end: this.refusal };
    this.#placed.set(submission.child, placed);
    if (this.refusal !== null) return this.#tell(placed, { kind: 'Rejected', rejection: this.refusal });
    this.#tell(placed, { kind: 'Accepted', venueOrderId });
    this.#match(placed);
    if (placed.end === null && submission.timeInForce === 'IOC') this.#end(placed, null);
  }

  #cancel({ child }: ChildRef): void {
    const placed = this.#placed.get(child);
    if (placed?.end === null) return this.#end(placed, null);
    if (placed !== undefined) {
      this.#tell(placed, { kind: 'CancelRejected', rejection: { code: 'INVALID_ORDER', message: 'no open order' } });
    }
  }

  #answer(ref: ChildRef): void {
    const placed = this.#placed.get(ref.child);
    this.reports.push(...(placed?.fills ?? []));
    this.reports.push({
      ...refOf(ref),
      atMs: this.nowMs,
      kind: 'StatusAnswered',
      answer: stateOf(placed),
      filled: filledOf(placed),
    });
  }

  #match(placed: Placed): void {
    const { side, limitPrice, quantity } = placed.submission;
    const touch = side === 'BUY' ? this.market.ask : this.market.bid;
    if (touch === 0) return;
    const isCrossing = limitPrice === null || (side === 'BUY' ? limitPrice >= touch : limitPrice <= touch);
    if (!isCrossing) return;
    const taken = Math.min(this.depth, quantity - placed.filled);
    this.depth -= taken;
    this.#fill(placed, taken, touch, 'TAKER');
  }

  #fill(placed: Placed, wanted: number, price: Ticks, liquidity: 'MAKER' | 'TAKER'): void {
    const quantity = Math.min(wanted, placed.submission.quantity - placed.filled);
    if (quantity <= 0) return;
    placed.filled += quantity;
    this.#trades += 1;
    const fill = {
      tradeId: this.#trades as VenueTradeId,
      exchangeTradeId: '',
      venueOrderId: placed.venueOrderId,
      quantity: quantity as Lots,
      price,
      liquidity,
      fee: BigInt(quantity) as Amount,
      feeCurrency: 'USDT',
    };
    const report = { ...refOf(placed.submission), atMs: this.nowMs, kind: 'Filled', fill } as const;
    placed.fills.push(report);
    this.reports.push(report);
    if (placed.filled === placed.submission.quantity) placed.end = 'FILLED';
  }

  #end(placed: Placed, cause: Rejection | null): void {
    placed.end = 'CANCELLED';
    this.#tell(placed, { kind: 'Cancelled', venueOrderId: placed.venueOrderId, cause, filled: filledOf(placed) });
  }

  #tell(placed: Placed, body: object): void {
    this.reports.push({ ...refOf(placed.submission), atMs: this.nowMs, ...body } as ExecutionReport);
  }

  #oldestOpen(): Placed | undefined {
    return [...this.#placed.values()].find(({ end }) => end === null);
  }
}

function refOf({ account, venue, orderId, child }: ChildRef): ChildRef {
  return { account, venue, orderId, child };
}

function filledOf(placed: Placed | undefined): Lots {
  return (placed?.filled ?? 0) as Lots;
}

function stateOf(placed: Placed | undefined): OrderStatusAnswer {
  if (placed === undefined) return { state: 'UNKNOWN', knownSinceMs: 0 as EpochMs };
  const { venueOrderId, end } = placed;
  if (end === null) return { state: 'OPEN', venueOrderId };
  if (end === 'FILLED') return { state: 'FILLED', venueOrderId };
  return end === 'CANCELLED'
    ? { state: 'CANCELLED', venueOrderId, cause: null }
    : { state: 'REJECTED', rejection: end };
}
