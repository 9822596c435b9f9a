import { VENUE_CATCH_UP_STEPS_MAX, VENUE_STEP_MS } from '../model/limits.js';
import type { Market, TradePrint } from '../model/market.js';
import type { Liquidity, Side } from '../model/order.js';
import type { Lots, Ticks } from '../model/quantity.js';
import type { DurationMs, EpochMs } from '../model/time.js';
import { BackgroundFlow } from './background-flow.js';
import { BackgroundQuotes } from './background-quotes.js';
import { Book } from './book.js';
import { profileOf } from './market-profile.js';
import { MidWalk } from './mid-walk.js';
import type { Contact } from './price-level.js';
import { Random } from './prng.js';
import type { Execution } from './account/settlement.js';
import { VolatilityEstimate } from './volatility-estimate.js';
import type { TradingTerms } from './account/trading-terms.js';
import type { VenueOrder } from './order/venue-order.js';

/** What a market tells while it trades. */
export interface MarketListener {
  /** One of our orders traded; the listener books it before it returns. */
  filled(order: VenueOrder, execution: Execution, atMs: EpochMs): void;
  printed(print: TradePrint): void;
}

/** What of a market outlives the process. The book does not: it is quoted anew around the mid. */
export interface MarketMemory {
  /** Ticks, not necessarily whole. */
  readonly mid: number;
  readonly volume: Lots;
  readonly last: Ticks;
  /** The latest number given to an order or a fill. */
  readonly sequence: number;
}

export interface Taker {
  readonly side: Side;
  readonly quantity: Lots;
  /** null: at any price. */
  readonly limit: Ticks | null;
  /** null: the background. */
  readonly order: VenueOrder | null;
}

/** Part of the way to its new quantity that a background level goes in one step: it refills within about a second. */
const REFILL_SHARE = 0.25;
const STEP = VENUE_STEP_MS as DurationMs;

/** One instrument: its book, the background that quotes and trades in it, and what the world is told of it. */
export class InstrumentMarket {
  readonly terms: TradingTerms;
  readonly book = new Book();
  readonly #walk: MidWalk;
  readonly #quotes: BackgroundQuotes;
  readonly #flow: BackgroundFlow;
  readonly #volatility: VolatilityEstimate;
  readonly #listener: MarketListener;
  #steppedAtMs: number;
  #volume: number;
  #last: Ticks;
  #sequence: number;

  constructor(parts: MarketParts) {
    const { terms, seed, startMs, memory, listener } = parts;
    const { instrument } = terms;
    const profile = profileOf(instrument);
    // The volume so far is part of the seed, or a restarted market would draw the same luck again.
    const luck = `${seed}/${instrument.venue}/${instrument.symbol}/${memory?.volume ?? 0}`;
    const flowRandom = new Random(`${luck}/flow`);
    this.terms = terms;
    this.#listener = listener;
    this.#walk = new MidWalk(profile, new Random(`${luck}/mid`), memory?.mid ?? profile.referencePrice);
    this.#quotes = new BackgroundQuotes(this.book, profile, flowRandom, (order) => this.#tradeBackground(order));
    this.#flow = new BackgroundFlow(this.#quotes, profile, flowRandom);
    this.#volatility = new VolatilityEstimate(profile.dailyVolatility);
    this.#steppedAtMs = Math.floor(startMs / VENUE_STEP_MS) * VENUE_STEP_MS;
    this.#volume = memory?.volume ?? 0;
    this.#last = memory?.last ?? (Math.round(profile.referencePrice) as Ticks);
    this.#sequence = memory?.sequence ?? 0;
  }

  /** Quotes for the first time: into a book that holds at most the orders which outlived a restart. */
  open(): void {
    this.#quotes.refresh(this.#walk.mid, 1);
  }

  get memory(): MarketMemory {
    return { mid: this.#walk.mid, volume: this.#volume as Lots, last: this.#last, sequence: this.#sequence };
  }

  get sequence(): number {
    return this.#sequence;
  }

  /** A number that no other order or fill of this instrument has. */
  nextSequence(): number {
    this.#sequence += 1;
    return this.#sequence;
  }

  /** Lets the background live until the last full step before now. After a long sleep most of the time is leapt over. */
  catchUp(nowMs: EpochMs): void {
    const dueAtMs = Math.floor(nowMs / VENUE_STEP_MS) * VENUE_STEP_MS;
    const leapToMs = dueAtMs - VENUE_CATCH_UP_STEPS_MAX * VENUE_STEP_MS;
    if (this.#steppedAtMs < leapToMs) this.#leap(leapToMs);
    while (this.#steppedAtMs < dueAtMs) this.#step();
  }

  /** Trades what it can at once and returns the lots that are left. */
  trade(taker: Taker, atMs: EpochMs): Lots {
    const side = this.book.opposite(taker.side);
    let left = taker.quantity;
    let run = NOTHING_TRADED;
    while (left > 0) {
      const contact = side.take(left, taker.limit);
      if (contact === null) break;
      left = (left - contact.quantity) as Lots;
      if (contact.price !== run.price) {
        this.#print(run, taker.side, atMs);
        run = NOTHING_TRADED;
      }
      run = { price: contact.price, quantity: (run.quantity + contact.quantity) as Lots };
      this.#tellFills(contact, taker.order, atMs);
    }
    this.#print(run, taker.side, atMs);
    return left;
  }

  snapshot(nowMs: EpochMs): Market {
    const { bids, asks } = this.book;
    return {
      bid: bids.best?.price ?? (0 as Ticks),
      ask: asks.best?.price ?? (0 as Ticks),
      bidQuantity: bids.best?.quantity ?? (0 as Lots),
      askQuantity: asks.best?.quantity ?? (0 as Lots),
      last: this.#last,
      volume: this.#volume as Lots,
      volatility: this.#volatility.perMinute,
      atMs: nowMs,
    };
  }

  #step(): void {
    this.#steppedAtMs += STEP;
    this.#walk.advance(STEP);
    this.#quotes.refresh(this.#walk.mid, REFILL_SHARE);
    for (const order of this.#flow.arrivals(STEP)) this.#tradeBackground(order);
    this.#observe();
  }

  #leap(toMs: number): void {
    const elapsed = (toMs - this.#steppedAtMs) as DurationMs;
    this.#steppedAtMs = toMs;
    this.#walk.advance(elapsed);
    this.#volume += this.#flow.expectedLots(elapsed);
    this.#quotes.refresh(this.#walk.mid, 1);
    this.#observe();
  }

  #observe(): void {
    const [bid, ask] = [this.book.bids.best, this.book.asks.best];
    if (bid === undefined || ask === undefined) return;
    this.#volatility.observe(bid.price + ask.price, this.#steppedAtMs as EpochMs);
  }

  #tradeBackground({ side, quantity, limit }: { side: Side; quantity: Lots; limit: Ticks }): void {
    this.trade({ side, quantity, limit, order: null }, this.#steppedAtMs as EpochMs);
  }

  #tellFills({ maker, price, quantity }: Contact, taker: VenueOrder | null, atMs: EpochMs): void {
    const tell = (order: VenueOrder, liquidity: Liquidity): void =>
      this.#listener.filled(order, { quantity, price, liquidity }, atMs);
    if (maker !== null) tell(maker, 'MAKER');
    if (taker !== null) tell(taker, 'TAKER');
  }

  /** One print for all that a taker traded at one price. */
  #print({ price, quantity }: Run, takerSide: Side, atMs: EpochMs): void {
    if (quantity === 0) return;
    this.#volume += quantity;
    this.#last = price;
    this.#listener.printed({ instrument: this.terms.instrument.index, price, quantity, takerSide, atMs });
  }
}

type Run = Omit<Contact, 'maker'>;
const NOTHING_TRADED: Run = { price: 0 as Ticks, quantity: 0 as Lots };

export interface MarketParts {
  readonly terms: TradingTerms;
  readonly seed: number;
  readonly startMs: EpochMs;
  /** null: this market has never run. */
  readonly memory: MarketMemory | null;
  readonly listener: MarketListener;
}
