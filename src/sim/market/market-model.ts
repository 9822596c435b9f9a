import type { Side } from '../../domain/order.js';
import type { Lots, Ticks } from '../../domain/quantity.js';
import type { DurationMs } from '../../domain/time.js';
import { BACKGROUND, BookOrder } from '../matching/book-order.js';
import type { Random } from '../prng.js';
import type { FairInstrument } from './fair-market.js';
import { type Maker, MarketMakers, TouchCell, type Floor } from './market-makers.js';
import type { MarketProfile } from './market-profile.js';
import { LEAF_MS } from './random-path.js';

/** Time until half of the traded liquidity has returned. */
export const DEPTH_HALF_LIFE_MS = 2_000;
/** Interval of fair-price lookups; in between the price is interpolated linearly. */
const STRETCH_MS = LEAF_MS;
/** Rate of re-evaluations by the makers of both walls and of both ladders in the busiest market. */
const TOUCH_LOOKS_PER_S = 55;
const LADDER_LOOKS_PER_S = 16;
/** Range of the fair price's lean after a move of the touch, in the direction of the move. */
const LEAN_AFTER_MOVE = { least: 0.1, most: 0.9 };
/** When one side of the touch is empty, the touch moves at this lean already. */
const LEAN_OF_EMPTY_TOUCH = 0.1;
/** Mean size of a sweep, in walls. */
const SWEEP_WALLS = 2;
/** Largest price concession of a background taker relative to the fair price. */
const TAKER_SLIP_BPS = 10;
const BPS = 10_000;
const NEVER = Infinity;

interface MarketModelParts {
  readonly profile: MarketProfile;
  readonly fair: FairInstrument;
  readonly impact: OwnImpact;
  readonly floor: Floor;
  readonly random: Random;
}

/**
 * All other participants of one market. Events follow a Poisson process whose rate depends on the current activity. The
 * draws do not depend on how turns divide time.
 *
 *     fair price ─▶ leaves the cell of the touch ─▶ makers withdraw, a taker sweeps the rest ─▶ the walls re-form
 *     in between ─▶ takers arrive · makers re-evaluate their quotes · exhausted makers return
 */
export class MarketModel {
  readonly #parts: MarketModelParts;
  readonly #cell: TouchCell;
  readonly #makers: MarketMakers;
  readonly #takers: TakerFlow;
  readonly #sweepers: Record<Side, BookOrder> = { BUY: takerOf('BUY'), SELL: takerOf('SELL') };
  readonly #touchLooksPerMs: number;
  readonly #ladderLooksPerMs: number;
  #atMs = 0;
  /** Remaining event budget until the next event: exponential with mean 1, used up by time × rate. */
  #eventBudget = 0;
  #reformAtMs = NEVER;
  readonly #stretch: Stretch = { startMs: 0, endMs: 0, fairAtStart: 0, fairAtEnd: 0, takersPerMs: 0 };

  constructor(parts: MarketModelParts) {
    const { profile, floor, random } = parts;
    this.#parts = parts;
    this.#cell = new TouchCell(profile.reach);
    this.#makers = new MarketMakers({ floor, cell: this.#cell, profile, random });
    this.#takers = new TakerFlow(profile, random);
    this.#touchLooksPerMs = (TOUCH_LOOKS_PER_S * profile.pace) / 1000;
    this.#ladderLooksPerMs = (LADDER_LOOKS_PER_S * profile.pace) / 1000;
  }

  noteExhausted(maker: Maker): void {
    this.#makers.noteExhausted(maker);
  }

  /** Records background volume: trades by takers and by crossing makers. */
  noteTraded(lots: number): void {
    this.#takers.noteTraded(lots);
  }

  /**
   * Opens the market at an instant, or jumps to it, with a new book. The first `advance` adds the ladders, so an idle
   * market costs little.
   */
  assemble(atMs: number): void {
    const { random } = this.#parts;
    this.#atMs = atMs;
    this.#reformAtMs = NEVER;
    this.#eventBudget = random.exponential();
    this.#takers.reset();
    this.#loadStretch(atMs);
    this.#cell.settle(this.#price(), random.uniform() - 0.5, random.uniform());
    this.#makers.formWalls(this.#lean(), atMs);
  }

  /** Simulates all events up to and including the instant. */
  advance(untilMs: number): void {
    if (!this.#makers.hasLadders) this.#makers.raiseLadders(this.#ticksPerBps(), this.#atMs);
    for (;;) {
      const rate = this.#rate();
      const eventAtMs = this.#atMs + this.#eventBudget / rate;
      const dueAtMs = Math.min(eventAtMs, this.#stretch.endMs, this.#reformAtMs);
      if (dueAtMs > untilMs) return;
      this.#eventBudget -= (dueAtMs - this.#atMs) * rate;
      this.#atMs = dueAtMs;
      if (dueAtMs === this.#reformAtMs) this.#reform();
      else if (dueAtMs === this.#stretch.endMs) this.#loadStretch(dueAtMs);
      else this.#runEvent(rate);
      this.#followPrice();
    }
  }

  #rate(): number {
    const returnsPerMs = (Math.LN2 / DEPTH_HALF_LIFE_MS) * this.#makers.exhaustedCount;
    return this.#stretch.takersPerMs + this.#touchLooksPerMs + this.#ladderLooksPerMs + returnsPerMs;
  }

  /** Executes one event, selected in proportion to the rates that sum to `rate`. */
  #runEvent(rate: number): void {
    const { random } = this.#parts;
    this.#eventBudget = random.exponential();
    let draw = random.uniform() * rate;
    if ((draw -= this.#touchLooksPerMs) < 0) return this.#makers.requoteAtTouch(this.#lean(), this.#atMs);
    if ((draw -= this.#ladderLooksPerMs) < 0) return this.#makers.requoteBehind(this.#ticksPerBps(), this.#atMs);
    if ((draw -= this.#stretch.takersPerMs) < 0) return this.#take();
    if (this.#makers.exhaustedCount > 0) this.#makers.returnOne(this.#ticksPerBps(), this.#atMs);
  }

  #take(): void {
    const fair = this.#price();
    const slip = TAKER_SLIP_BPS * this.#ticksPerBps();
    this.#parts.floor.take(this.#takers.next(this.#lean(), fair, slip), this.#atMs);
  }

  /** Moves the touch when the fair price has left its cell. */
  #followPrice(): void {
    if (this.#reformAtMs !== NEVER) return;
    const lean = this.#lean();
    const isBidGone = this.#makers.isTouchEmpty('BUY');
    const isAskGone = this.#makers.isTouchEmpty('SELL');
    if (lean > (isAskGone ? LEAN_OF_EMPTY_TOUCH : 1)) this.#move('BUY');
    else if (lean < (isBidGone ? -LEAN_OF_EMPTY_TOUCH : -1)) this.#move('SELL');
    else if (isBidGone || isAskGone) this.#scheduleReform();
  }

  /** `side`: the taker side that moves the price in this direction. */
  #move(side: Side): void {
    const { random, profile } = this.#parts;
    const { least, most } = LEAN_AFTER_MOVE;
    const before = this.#cell.bid;
    const lean = least + (most - least) * random.uniform();
    this.#cell.settle(this.#price(), side === 'BUY' ? lean : -lean, random.uniform());
    if (this.#cell.bid === before) return this.#scheduleReform();
    const limit = side === 'BUY' ? this.#cell.bid : this.#cell.ask;
    this.#makers.withdraw(side === 'BUY' ? 'SELL' : 'BUY', limit);
    const sweeper = this.#sweepers[side];
    sweeper.price = limit;
    sweeper.leaves = Math.ceil(profile.wallLots * SWEEP_WALLS * random.exponential()) as Lots;
    this.#parts.floor.take(sweeper, this.#atMs);
    this.#scheduleReform();
  }

  #scheduleReform(): void {
    this.#reformAtMs = this.#atMs + this.#parts.profile.reformMs * this.#parts.random.exponential();
  }

  #reform(): void {
    this.#reformAtMs = NEVER;
    this.#makers.reformWalls(this.#lean(), this.#atMs);
  }

  /** Loads the fair price and the activity of the next interval. */
  #loadStretch(atMs: number): void {
    const { fair, profile } = this.#parts;
    const stretch = this.#stretch;
    const startMs = Math.floor(atMs / STRETCH_MS) * STRETCH_MS;
    const endMs = startMs + STRETCH_MS;
    stretch.fairAtStart = startMs === stretch.endMs ? stretch.fairAtEnd : fair.priceAt(startMs);
    stretch.fairAtEnd = fair.priceAt(endMs);
    stretch.startMs = startMs;
    stretch.endMs = endMs;
    const days = fair.activityUntil(endMs) - fair.activityUntil(startMs);
    stretch.takersPerMs = (profile.takersPerDay * days) / STRETCH_MS;
    this.#takers.expect(profile.dailyTurnover * days);
  }

  /** The makers' reference price: the fair price plus our own impact. */
  #price(): number {
    const { startMs, fairAtStart, fairAtEnd } = this.#stretch;
    const fair = fairAtStart + (fairAtEnd - fairAtStart) * ((this.#atMs - startMs) / STRETCH_MS);
    return fair * (1 + this.#parts.impact.at(this.#atMs));
  }

  #lean(): number {
    return this.#cell.leanOf(this.#price());
  }

  #ticksPerBps(): number {
    return this.#stretch.fairAtStart / BPS;
  }
}

interface Stretch {
  startMs: number;
  endMs: number;
  fairAtStart: number;
  fairAtEnd: number;
  takersPerMs: number;
}

/** Half-life of our price impact: arbitrage with other venues removes it. */
export const IMPACT_HALF_LIFE_MS = 20_000 as DurationMs;
/** Constant of the square root law: the impact of a whole day's turnover, in daily deviations. */
const SQUARE_ROOT_FACTOR = 0.4;

/**
 * Impact of our own taking on the makers' reference price. It grows with the square root of the quantity and decays,
 * because our trades do not move the other venues.
 */
export class OwnImpact {
  readonly #dailyVolatility: number;
  readonly #dailyTurnover: number;
  /** Signed lots taken, with exponential decay by the half-life. */
  #taken = 0;
  #atMs = 0;

  constructor({ dailyVolatility, dailyTurnover }: { dailyVolatility: number; dailyTurnover: number }) {
    this.#dailyVolatility = dailyVolatility;
    this.#dailyTurnover = dailyTurnover;
  }

  note(takerSide: Side, lots: number, atMs: number): void {
    this.#decay(atMs);
    this.#taken += takerSide === 'BUY' ? lots : -lots;
  }

  /** Displacement at an instant not before the latest trade, as a fraction of the price. */
  at(ms: number): number {
    if (this.#taken === 0) return 0;
    this.#decay(ms);
    const share = Math.sqrt(Math.abs(this.#taken) / this.#dailyTurnover);
    return Math.sign(this.#taken) * SQUARE_ROOT_FACTOR * this.#dailyVolatility * share;
  }

  #decay(ms: number): void {
    if (ms <= this.#atMs) return;
    this.#taken *= 2 ** ((this.#atMs - ms) / IMPACT_HALF_LIFE_MS);
    this.#atMs = ms;
    if (Math.abs(this.#taken) < 0.5) this.#taken = 0;
  }
}

/** Slope of the takers' bias towards the lean of the fair price: factor in a hyperbolic tangent. */
const LEAN_SHARPNESS = 1;
/** Time in which a deviation from the expected volume is corrected, in days. */
const CATCH_UP_DAYS = 1 / 288;
const SCALE_MIN = 0.2;
const SCALE_MAX = 4;

/**
 * Market orders of the background: many small, few very large, and more in the direction of the coming price move.
 * Order sizes adapt to the difference between traded and expected volume, so that the day reaches its turnover.
 */
class TakerFlow {
  readonly #profile: MarketProfile;
  readonly #random: Random;
  readonly #orders: Record<Side, BookOrder>;
  readonly #medianLots: number;
  readonly #deviation: number;
  #ahead = 0;
  #scale = 1;

  constructor(profile: MarketProfile, random: Random) {
    const { dailyTurnover, takersPerDay, takenShare, takerMedianShare } = profile;
    this.#profile = profile;
    this.#random = random;
    this.#orders = { BUY: takerOf('BUY'), SELL: takerOf('SELL') };
    this.#medianLots = ((takenShare * dailyTurnover) / takersPerDay) * takerMedianShare;
    // The mean of a lognormal is its median × exp(deviation² / 2).
    this.#deviation = Math.sqrt(-2 * Math.log(takerMedianShare));
  }

  /** The next taker order, valid until the next call. Its limit is the fair price plus or minus `slip` ticks. */
  next(lean: number, fair: number, slip: number): BookOrder {
    const isBuying = this.#random.uniform() * 2 < 1 + Math.tanh(LEAN_SHARPNESS * lean);
    const order = this.#orders[isBuying ? 'BUY' : 'SELL'];
    const lots = this.#scale * this.#medianLots * Math.exp(this.#deviation * this.#random.normal());
    order.leaves = Math.max(this.#profile.lotsMin, Math.round(lots)) as Lots;
    order.price = Math.max(1, Math.round(isBuying ? fair + slip : fair - slip)) as Ticks;
    return order;
  }

  /** Records the background's traded lots. */
  noteTraded(lots: number): void {
    this.#ahead += lots;
  }

  /** Adds the lots expected in the next interval and adapts the sizes. */
  expect(lots: number): void {
    this.#ahead -= lots;
    const excess = this.#ahead / (this.#profile.dailyTurnover * CATCH_UP_DAYS);
    this.#scale = Math.min(SCALE_MAX, Math.max(SCALE_MIN, 1 - excess));
  }

  reset(): void {
    this.#ahead = 0;
    this.#scale = 1;
  }
}

function takerOf(side: Side): BookOrder {
  return new BookOrder({ id: 0, participant: BACKGROUND, side, price: 1 as Ticks, leaves: 1 as Lots });
}
