import type { Instrument, SelfTradePrevention } from '../../../domain/instrument.js';
import type { Side } from '../../../domain/order.js';
import { type Lots, type Ticks, ZERO_LOTS } from '../../../domain/quantity.js';
import type { EpochMs } from '../../../domain/time.js';
import type { MatchedFill } from '../../../sim/account/clearing-house.js';
import { notionalOf, termsOf, type TradingTerms } from '../../../sim/account/trading-terms.js';
import type { OrderMarket, Taker } from '../../../sim/order/order-market.js';
import type { VenueOrder } from '../../../sim/order/venue-order.js';
import { type Match, MarketMatching, opposite } from '../../matching/market-matching.js';
import { type QueueModel, riskAverse } from '../../matching/queue-model.js';
import { isBetter, RemainingBook } from '../../matching/remaining-book.js';
import { accepts, type RestingOrder } from '../../matching/resting-orders.js';
import { UnitScale } from '../unit-scale.js';
import { type BookLevel, LiveBook } from './live-book.js';

/** Receives what the matching does to our orders. */
export interface PaperMarketListener {
  /** A fill of one of our orders; the listener books it before it returns. */
  filled(order: VenueOrder, execution: MatchedFill, atMs: EpochMs): void;
  /** Self-trade prevention removed lots from one of our orders. */
  prevented(order: VenueOrder, quantity: Lots, atMs: EpochMs): void;
}

/** An instrument of a real exchange with the names that its messages use. */
export interface PaperInstrument {
  readonly instrument: Instrument;
  /** The exchange's own symbol. */
  readonly exchangeSymbol: string;
  /** Base units in one unit of quantity of the exchange, as decimal text. */
  readonly contractSize: string;
}

export interface PaperMarketParts {
  readonly listed: PaperInstrument;
  readonly memory: PaperMarketMemory;
  readonly listener: PaperMarketListener;
  readonly queueModel?: QueueModel;
}

/** Converts quantities and prices of the exchange's messages. */
export function scaleOf({ instrument, contractSize }: PaperInstrument): UnitScale {
  return new UnitScale({ ...instrument, contractSize });
}

/** Durable state of a market. The book is not stored: the streams show it again. */
export interface PaperMarketMemory {
  /** The latest sequence number of an order or a fill. */
  readonly sequence: number;
  /** The last price at which positions were valued; 0: none so far. */
  readonly mark: Ticks;
}

export const NEW_MARKET: PaperMarketMemory = { sequence: 0, mark: 0 as Ticks };

/**
 * One real market in which our orders trade on paper. The market does not react to them:
 *
 *   taker   takes the shown quantity that we have not taken before, level by level
 *   maker   waits behind the shown quantity at its price. Trades of others at its price fill it after the queue; trades
 *           beyond its price, and an opposite side that reaches it, fill it at once
 *
 * Orders of one account are kept apart by self-trade prevention. Orders of different accounts never meet.
 */
export class PaperMarket implements OrderMarket {
  readonly shown = new LiveBook();
  readonly #remaining = new RemainingBook(this.shown);
  readonly #matching: MarketMatching<VenueOrder>;
  readonly #listener: PaperMarketListener;
  #listed: PaperInstrument;
  #terms: TradingTerms;
  #scale: UnitScale;
  #sequence: number;
  #mark: Ticks;
  #fundingRatePpm: number | null = null;

  constructor({ listed, memory, listener, queueModel = riskAverse }: PaperMarketParts) {
    this.#listed = listed;
    this.#terms = termsOf(listed.instrument);
    this.#scale = scaleOf(listed);
    this.#listener = listener;
    this.#sequence = memory.sequence;
    this.#mark = memory.mark;
    this.#matching = new MarketMatching({
      shown: this.shown,
      remaining: this.#remaining,
      queueModel,
      onMatch: (match) => this.#onMatch(match),
    });
  }

  get terms(): TradingTerms {
    return this.#terms;
  }

  get listed(): PaperInstrument {
    return this.#listed;
  }

  get scale(): UnitScale {
    return this.#scale;
  }

  /** Rules of the exchange change: fees, filters. The grid stays. */
  relist(listed: PaperInstrument): void {
    this.#listed = listed;
    this.#terms = termsOf(listed.instrument);
    this.#scale = scaleOf(listed);
  }

  get memory(): PaperMarketMemory {
    return { sequence: this.#sequence, mark: this.markPrice };
  }

  get restingCount(): number {
    return this.#matching.resting.count;
  }

  /** Our resting orders count as a part of the book: a post-only order must not cross them either. */
  readonly book: OrderMarket['book'] = {
    bestBid: () => this.#best('BUY'),
    bestAsk: () => this.#best('SELL'),
    preview: (side, wanted, limit) => this.#preview(side, wanted, limit),
  };

  /** Value of a position: the exchange's mark price, else the mid, else the last known price. Above 0 once a price is known. */
  get markPrice(): Ticks {
    if (this.hasMark) return this.#mark;
    const [bid, ask] = [this.shown.best('BUY'), this.shown.best('SELL')];
    return bid > 0 && ask > 0 ? (Math.round((bid + ask) / 2) as Ticks) : this.#mark;
  }

  /** True after the exchange has published the mark price to this process. */
  get hasMark(): boolean {
    return this.#fundingRatePpm !== null;
  }

  /** Rate of the next funding as the exchange last published it, in 10^-6. */
  get fundingRatePpm(): number {
    return this.#fundingRatePpm ?? 0;
  }

  nextSequence(): number {
    this.#sequence += 1;
    return this.#sequence;
  }

  onTouch(bid: BookLevel, ask: BookLevel, atMs: EpochMs): void {
    this.shown.onTouch(bid, ask);
    this.#matching.onBook(atMs);
  }

  onDepth(bids: readonly BookLevel[], asks: readonly BookLevel[], atMs: EpochMs): void {
    this.shown.onDepth(bids, asks);
    this.#matching.onBook(atMs);
  }

  /** A trade of other participants. */
  onTrade(price: Ticks, quantity: Lots, takerSide: Side, atMs: EpochMs): void {
    this.#matching.onTrade(price, quantity, takerSide, atMs);
  }

  onMark(price: Ticks, fundingRatePpm: number): void {
    this.#mark = price;
    this.#fundingRatePpm = fundingRatePpm;
  }

  trade({ order }: Taker, atMs: EpochMs): void {
    const mode = order.submission.selfTradePrevention;
    for (let maker = this.#ownMaker(order, mode); maker !== null; maker = this.#ownMaker(order, mode)) {
      this.#matching.takeBefore(order, maker, atMs);
      if (!order.isOpen || order.leaves === 0) return;
      // A fill may have ended the maker: its position is smaller, or its funds are used.
      if (maker.order.isResting) this.#prevent(order, maker.order, mode, atMs);
      if (!order.isOpen) return;
    }
    this.#matching.take(order, atMs);
  }

  rest(order: VenueOrder): void {
    this.#matching.rest(order, order.price);
  }

  remove(order: VenueOrder): void {
    this.#matching.remove(order);
  }

  #best(side: Side): Ticks | 0 {
    const [market, own] = [this.#remaining.best(side), this.#matching.resting.best(side)];
    return own > 0 && (market === 0 || isBetter(side, own, market)) ? own : market;
  }

  #preview(takerSide: Side, wanted: Lots, limit: Ticks | null): { quantity: Lots; notional: bigint } {
    let left: number = wanted;
    let notional = 0n;
    const taker = { side: takerSide, limitPrice: limit, leaves: wanted, isOpen: true };
    this.#remaining.walk(opposite(takerSide), (price, available) => {
      if (left === 0 || !accepts(taker, price)) return false;
      const quantity = Math.min(left, available) as Lots;
      notional += notionalOf(quantity, price);
      left -= quantity;
      return true;
    });
    return { quantity: (wanted - left) as Lots, notional };
  }

  /** The first resting order of the taker's account that it would meet; null: none, or the account allows it. */
  #ownMaker(taker: VenueOrder, mode: SelfTradePrevention): RestingOrder<VenueOrder> | null {
    if (mode === 'NONE') return null;
    const makers = this.#matching.resting.side(opposite(taker.side));
    return makers.find(({ order, price }) => order.account === taker.account && accepts(taker, price)) ?? null;
  }

  #prevent(taker: VenueOrder, maker: VenueOrder, mode: SelfTradePrevention, atMs: EpochMs): void {
    const both = Math.min(taker.leaves, maker.leaves) as Lots;
    const isDecrement = mode === 'DECREMENT';
    const fromMaker = isDecrement ? both : mode === 'EXPIRE_TAKER' ? ZERO_LOTS : maker.leaves;
    const fromTaker = isDecrement ? both : mode === 'EXPIRE_MAKER' ? ZERO_LOTS : taker.leaves;
    if (fromMaker === maker.leaves) this.#matching.remove(maker);
    if (fromMaker > 0) this.#listener.prevented(maker, fromMaker, atMs);
    if (fromTaker > 0) this.#listener.prevented(taker, fromTaker, atMs);
  }

  #onMatch({ order, cause, quantity, price, atMs }: Match<VenueOrder>): void {
    if (!this.hasMark) this.#mark = price;
    this.#listener.filled(order, { quantity, price, liquidity: cause === 'take' ? 'TAKER' : 'MAKER' }, atMs);
  }
}
