import { VENUE_CATCH_UP_STEPS_MAX, VENUE_STEP_MS, VENUE_WARM_UP_STEPS } from '../../domain/limits/trading.js';
import type { Market, TradePrint } from '../../domain/market.js';
import { addNotional, ZERO_NOTIONAL, type Lots, type Notional, type Ticks } from '../../domain/quantity.js';
import type { EpochMs } from '../../domain/time.js';
import type { MatchedFill } from '../account/clearing-house.js';
import type { TradingTerms } from '../account/trading-terms.js';
import type { VenueAccount } from '../account/venue-account.js';
import { BACKGROUND, type BookOrder } from '../matching/book-order.js';
import type { OrderBook } from '../matching/order-book.js';
import type { OrderMarket, Taker } from '../order/order-market.js';
import type { VenueOrder } from '../order/venue-order.js';
import { Random } from '../prng.js';
import { VolatilityEstimate } from '../../domain/volatility-estimate.js';
import { MarketModel, OwnImpact } from './market-model.js';
import type { FairInstrument, FairMarket } from './fair-market.js';
import { profileOf } from './market-profile.js';
import { OwnOrder, TradingFloor } from './trading-floor.js';

/** Receives the events of a market. */
export interface MarketListener {
  /** A fill of one of our orders; the listener books it before it returns. */
  filled(order: VenueOrder, execution: MatchedFill, atMs: EpochMs): void;
  /** Self-trade prevention removed lots from one of our orders; a resting order without leaves has left the book. */
  prevented(order: VenueOrder, quantity: Lots, atMs: EpochMs): void;
  printed(print: TradePrint): void;
}

/** Durable state of a market. The book is not stored: the background quotes again around the fair price. */
export interface MarketMemory {
  readonly volume: Lots;
  /** Notional of all trades in lots × ticks, as text. */
  readonly turnover: string;
  readonly last: Ticks;
  /** The latest sequence number of an order or a fill. */
  readonly sequence: number;
}

/** One instrument: its book, its background participants, and its published market row. */
export class InstrumentMarket implements OrderMarket {
  readonly terms: TradingTerms;
  readonly fair: FairInstrument;
  readonly #floor: TradingFloor;
  readonly #background: MarketModel;
  readonly #impact: OwnImpact;
  readonly #volatility: VolatilityEstimate;
  readonly #listener: MarketListener;
  readonly #participants = new Map<VenueAccount, number>();
  /** The background has been simulated until then. */
  #simulatedUntilMs: number;
  #volume: number;
  #turnover: Notional;
  #last: Ticks;
  #sequence: number;

  constructor({ terms, fairMarket, seed, startMs, memory, listener }: MarketParts) {
    const { instrument } = terms;
    const profile = profileOf(instrument);
    // The seed includes volume and sequence, so a restarted market does not repeat its earlier draws.
    const seedText = `${seed}/${instrument.venue}/${instrument.symbol}/${memory?.volume ?? 0}/${memory?.sequence ?? 0}`;
    this.terms = terms;
    this.fair = fairMarket.of(instrument);
    this.#listener = listener;
    this.#floor = new TradingFloor({
      traded: (taker, price, quantity, atMs) => this.#traded(taker, price, quantity, atMs),
      filled: (own, execution, atMs) => listener.filled(own.order, execution, toEpochMs(atMs)),
      prevented: (own, quantity, atMs) => listener.prevented(own.order, quantity, toEpochMs(atMs)),
      exhausted: (maker) => this.#background.noteExhausted(maker),
    });
    this.#impact = new OwnImpact(profile);
    const random = new Random(seedText);
    this.#background = new MarketModel({ profile, fair: this.fair, impact: this.#impact, floor: this.#floor, random });
    this.#volatility = new VolatilityEstimate(profile.dailyVolatility);
    this.#simulatedUntilMs = startMs;
    this.#volume = memory?.volume ?? 0;
    this.#last = memory?.last ?? (Math.round(this.fair.priceAt(startMs)) as Ticks);
    this.#turnover = memory === null ? ZERO_NOTIONAL : (BigInt(memory.turnover) as Notional);
    this.#sequence = memory?.sequence ?? 0;
  }

  /** For reading only; our orders enter by `trade` and `rest`. */
  get book(): OrderBook {
    return this.#floor.book;
  }

  /** Number of our orders in the book. */
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

  /** Creates the first quotes. The book holds only our orders that survived a restart. */
  open(): void {
    this.#background.assemble(this.#simulatedUntilMs);
  }

  /** The next sequence number, unique among the orders and fills of this instrument. */
  nextSequence(): number {
    this.#sequence += 1;
    return this.#sequence;
  }

  /** Simulates the background until now. Skips a long sleep except for its last seconds. */
  catchUp(nowMs: EpochMs): void {
    if (nowMs - this.#simulatedUntilMs > VENUE_CATCH_UP_STEPS_MAX * VENUE_STEP_MS) {
      this.#leap(nowMs - VENUE_WARM_UP_STEPS * VENUE_STEP_MS);
    }
    this.#background.advance(nowMs);
    this.#simulatedUntilMs = nowMs;
    const [bid, ask] = [this.book.bestBid(), this.book.bestAsk()];
    if (bid > 0 && ask > 0) this.#volatility.observe(bid + ask, nowMs);
  }

  /** Trades the order at once as far as possible. */
  trade({ quantity, limit, order }: Taker, atMs: EpochMs): void {
    const own = new OwnOrder(order, { participant: this.#participantOf(order), limit, leaves: quantity });
    this.#floor.take(own, atMs, order.submission.selfTradePrevention);
  }

  /** Rests the leaves of an order that has traded its crossing part. */
  rest(order: VenueOrder): void {
    this.#floor.restOwn(order, this.#participantOf(order));
  }

  /** Removes a resting order from the book. */
  remove(order: VenueOrder): void {
    this.#floor.removeOwn(order);
  }

  /** The market row at the latest simulated instant. */
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
      atMs: toEpochMs(this.#simulatedUntilMs),
    };
  }

  /** Each account, and each sub-account, is one participant. */
  #participantOf({ account }: VenueOrder): number {
    let participant = this.#participants.get(account);
    if (participant === undefined) {
      participant = BACKGROUND + 1 + this.#participants.size;
      this.#participants.set(account, participant);
    }
    return participant;
  }

  #leap(toMs: number): void {
    const volume = Math.round(this.fair.volumeBetween(this.#simulatedUntilMs, toMs)) as Lots;
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
