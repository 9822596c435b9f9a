import { VENUE_CATCH_UP_STEPS_MAX, VENUE_STEP_MS, VENUE_WARM_UP_STEPS } from '../../model/limits.js';
import type { Market, TradePrint } from '../../model/market.js';
import { addNotional, ZERO_NOTIONAL, type Lots, type Notional, type Ticks } from '../../model/quantity.js';
import type { EpochMs } from '../../model/time.js';
import type { Execution } from '../account/settlement.js';
import type { TradingTerms } from '../account/trading-terms.js';
import type { VenueAccount } from '../account/venue-account.js';
import { BACKGROUND, type BookOrder, type OrderBook } from '../matching/index.js';
import type { VenueOrder } from '../order/venue-order.js';
import { Random } from '../prng.js';
import { VolatilityEstimate } from '../volatility-estimate.js';
import { Background } from './background.js';
import type { FairInstrument, FairMarket } from './fair-market.js';
import { profileOf } from './market-profile.js';
import { OwnImpact } from './own-impact.js';
import { OwnOrder } from './own-order.js';
import { TradingFloor } from './trading-floor.js';

/** What a market tells while it trades. */
export interface MarketListener {
  /** One of our orders traded; the listener books it before it returns. */
  filled(order: VenueOrder, execution: Execution, atMs: EpochMs): void;
  /** Self-trade prevention took lots from one of our orders; a resting one with none left has left the book. */
  prevented(order: VenueOrder, quantity: Lots, atMs: EpochMs): void;
  printed(print: TradePrint): void;
}

/** What of a market outlives the process. The book does not: the background quotes anew around the fair price. */
export interface MarketMemory {
  readonly volume: Lots;
  /** Its money, in lots × ticks, as text; absent in rows of the first version. */
  readonly turnover?: string;
  readonly last: Ticks;
  /** The latest number given to an order or a fill. */
  readonly sequence: number;
}

/** An order of ours on its way into the book. */
export interface Taker {
  readonly quantity: Lots;
  /** null: at any price. */
  readonly limit: Ticks | null;
  readonly order: VenueOrder;
}

/** One instrument: its book, the background that quotes and trades in it, and what the world is told of it. */
export class InstrumentMarket {
  readonly terms: TradingTerms;
  readonly fair: FairInstrument;
  readonly #floor: TradingFloor;
  readonly #background: Background;
  readonly #impact: OwnImpact;
  readonly #volatility: VolatilityEstimate;
  readonly #listener: MarketListener;
  readonly #participants = new Map<VenueAccount, number>();
  /** The background has lived until then. */
  #livedMs: number;
  #volume: number;
  #turnover: Notional;
  #last: Ticks;
  #sequence: number;

  constructor({ terms, fairMarket, seed, startMs, memory, listener }: MarketParts) {
    const { instrument } = terms;
    const profile = profileOf(instrument);
    // What has happened so far is part of the seed, or a restarted market would draw the same luck again.
    const luck = `${seed}/${instrument.venue}/${instrument.symbol}/${memory?.volume ?? 0}/${memory?.sequence ?? 0}`;
    this.terms = terms;
    this.fair = fairMarket.of(instrument);
    this.#listener = listener;
    this.#floor = new TradingFloor({
      traded: (taker, price, quantity, atMs) => this.#traded(taker, price, quantity, atMs),
      filled: (own, price, quantity, liquidity, atMs) =>
        listener.filled(own.order, { quantity, price, liquidity }, toEpochMs(atMs)),
      prevented: (own, quantity, atMs) => listener.prevented(own.order, quantity, toEpochMs(atMs)),
      exhausted: (maker) => this.#background.noteExhausted(maker),
    });
    this.#impact = new OwnImpact(profile);
    const random = new Random(luck);
    this.#background = new Background({ profile, fair: this.fair, impact: this.#impact, floor: this.#floor, random });
    this.#volatility = new VolatilityEstimate(profile.dailyVolatility);
    this.#livedMs = startMs;
    this.#volume = memory?.volume ?? 0;
    this.#last = memory?.last ?? (Math.round(this.fair.priceAt(startMs)) as Ticks);
    this.#turnover = turnoverOf(memory);
    this.#sequence = memory?.sequence ?? 0;
  }

  /** For reading: orders of ours come in by `trade` and `rest`. */
  get book(): OrderBook {
    return this.#floor.book;
  }

  /** Our orders in the book. */
  get restingCount(): number {
    return this.#floor.restingCount;
  }

  get memory(): MarketMemory {
    return {
      volume: this.#volume as Lots,
      turnover: this.#turnover.toString(),
      last: this.#last,
      sequence: this.#sequence,
    };
  }

  /** Quotes for the first time: into a book that holds at most the orders which outlived a restart. */
  open(): void {
    this.#background.assemble(this.#livedMs);
  }

  /** A number that no other order or fill of this instrument has. */
  nextSequence(): number {
    this.#sequence += 1;
    return this.#sequence;
  }

  /** Lets the background live until now. A long sleep is leapt over, but for its last seconds. */
  catchUp(nowMs: EpochMs): void {
    if (nowMs - this.#livedMs > VENUE_CATCH_UP_STEPS_MAX * VENUE_STEP_MS) {
      this.#leap(nowMs - VENUE_WARM_UP_STEPS * VENUE_STEP_MS);
    }
    this.#background.advance(nowMs);
    this.#livedMs = nowMs;
    const [bid, ask] = [this.book.bestBid(), this.book.bestAsk()];
    if (bid > 0 && ask > 0) this.#volatility.observe(bid + ask, nowMs);
  }

  /** Trades what it can at once. */
  trade({ quantity, limit, order }: Taker, atMs: EpochMs): void {
    const own = new OwnOrder(order, { participant: this.#participantOf(order), limit, leaves: quantity });
    this.#floor.take(own, atMs, order.submission.selfTradePrevention);
  }

  /** The order waits in the book with what it has left, having traded what it could. */
  rest(order: VenueOrder): void {
    this.#floor.restOwn(order, this.#participantOf(order));
  }

  /** Takes a waiting order out of the book. */
  remove(order: VenueOrder): void {
    this.#floor.removeOwn(order);
  }

  /** Leaves a waiting order with fewer lots, in its place. */
  shrink(order: VenueOrder, leaves: Lots): void {
    this.#floor.shrinkOwn(order, leaves);
  }

  /** As it was when it last lived. */
  snapshot(): Market {
    const { book } = this;
    const [bid, ask] = [book.bestBid() as Ticks, book.bestAsk() as Ticks];
    return {
      bid,
      ask,
      bidQuantity: book.quantityAt('BUY', bid),
      askQuantity: book.quantityAt('SELL', ask),
      last: this.#last,
      volume: this.#volume as Lots,
      turnover: this.#turnover,
      volatility: this.#volatility.perMinute,
      atMs: toEpochMs(this.#livedMs),
    };
  }

  /** An account is one participant, and each of its sub-accounts another. */
  #participantOf({ account }: VenueOrder): number {
    let participant = this.#participants.get(account);
    if (participant === undefined) {
      participant = BACKGROUND + 1 + this.#participants.size;
      this.#participants.set(account, participant);
    }
    return participant;
  }

  #leap(toMs: number): void {
    const volume = Math.round(this.fair.volumeBetween(this.#livedMs, toMs)) as Lots;
    this.#last = Math.round(this.fair.priceAt(toMs)) as Ticks;
    this.#volume += volume;
    this.#turnover = addNotional(this.#turnover, volume, this.#last);
    this.#background.assemble(toMs);
  }

  #traded(taker: BookOrder, price: Ticks, quantity: Lots, atMs: number): void {
    this.#volume += quantity;
    this.#turnover = addNotional(this.#turnover, quantity, price);
    this.#last = price;
    if (taker instanceof OwnOrder) this.#impact.note(taker.side, quantity, atMs);
    else this.#background.noteTraded(quantity);
    const { index } = this.terms.instrument;
    this.#listener.printed({ instrument: index, price, quantity, takerSide: taker.side, atMs: toEpochMs(atMs) });
  }
}

function turnoverOf(memory: MarketMemory | null): Notional {
  if (memory === null) return ZERO_NOTIONAL;
  const { turnover, volume, last } = memory;
  return turnover === undefined ? addNotional(ZERO_NOTIONAL, volume, last) : (BigInt(turnover) as Notional);
}

function toEpochMs(ms: number): EpochMs {
  return Math.floor(ms) as EpochMs;
}

export interface MarketParts {
  readonly terms: TradingTerms;
  readonly fairMarket: FairMarket;
  readonly seed: number;
  readonly startMs: EpochMs;
  /** null: this market has never run. */
  readonly memory: MarketMemory | null;
  readonly listener: MarketListener;
}
