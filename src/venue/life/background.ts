import type { Side } from '../../model/order.js';
import type { Lots } from '../../model/quantity.js';
import type { BookOrder } from '../matching/index.js';
import type { Random } from '../prng.js';
import type { FairInstrument } from './fair-market.js';
import type { Floor } from './floor.js';
import { MakerCrowd } from './maker-crowd.js';
import type { Maker } from './maker.js';
import type { MarketProfile } from './market-profile.js';
import type { OwnImpact } from './own-impact.js';
import { LEAF_MS } from './random-path.js';
import { takerOf, TakerFlow } from './taker-flow.js';
import { TouchCell } from './touch-cell.js';

/** How long it takes until half of the liquidity that was traded away is back. */
export const DEPTH_HALF_LIFE_MS = 2_000;
/** The fair price is looked up so often; between, it moves on a straight line. */
const STRETCH_MS = LEAF_MS;
/** How often in a second the makers of both walls and of both ladders look at the busiest market. */
const TOUCH_LOOKS_PER_S = 55;
const LADDER_LOOKS_PER_S = 16;
/** Where in its new cell the fair price comes to lie, along its move: mostly the move goes on. */
const LEAN_AFTER_MOVE = { least: 0.1, most: 0.9 };
/** Once one side of the touch has been taken away, it follows a fair price that leans that way only so far. */
const LEAN_OF_EMPTY_TOUCH = 0.1;
/** A sweep takes up to so many walls on average. */
const SWEEP_WALLS = 2;
/** No taker of the background pays more than this beyond the fair price. */
const TAKER_SLIP_BPS = 10;
const BPS = 10_000;
const NEVER = Infinity;

export interface BackgroundParts {
  readonly profile: MarketProfile;
  readonly fair: FairInstrument;
  readonly impact: OwnImpact;
  readonly floor: Floor;
  readonly random: Random;
}

/**
 * Everybody else in one market. Events come one by one at random times, a Poisson process whose rate changes with the
 * activity of the moment; the draws are the same however the time is cut into turns.
 *
 *     fair price ─▶ leaves the cell of the touch ─▶ makers withdraw, a taker sweeps what is left ─▶ the touch gathers
 *     in between ─▶ takers come · makers look at the touch or behind it · exhausted makers return
 */
export class Background {
  readonly #parts: BackgroundParts;
  readonly #cell: TouchCell;
  readonly #crowd: MakerCrowd;
  readonly #takers: TakerFlow;
  readonly #sweepers: Record<Side, BookOrder> = { BUY: takerOf('BUY'), SELL: takerOf('SELL') };
  readonly #touchLooksPerMs: number;
  readonly #ladderLooksPerMs: number;
  #atMs = 0;
  /** What time has still to use up, at the rate of all events together, until the next one; exponential of mean 1. */
  #patience = 0;
  #gatherAtMs = NEVER;
  readonly #stretch: Stretch = { startMs: 0, endMs: 0, fairAtStart: 0, fairAtEnd: 0, takersPerMs: 0 };

  constructor(parts: BackgroundParts) {
    const { profile, floor, random } = parts;
    this.#parts = parts;
    this.#cell = new TouchCell(profile.reach);
    this.#crowd = new MakerCrowd({ floor, cell: this.#cell, profile, random });
    this.#takers = new TakerFlow(profile, random);
    this.#touchLooksPerMs = (TOUCH_LOOKS_PER_S * profile.pace) / 1000;
    this.#ladderLooksPerMs = (LADDER_LOOKS_PER_S * profile.pace) / 1000;
  }

  /** A maker's order was traded to the last lot. */
  noteExhausted(maker: Maker): void {
    this.#crowd.noteExhausted(maker);
  }

  /** A taker of the background, or a maker that crossed, has traded so many lots. */
  noteTraded(lots: number): void {
    this.#takers.noteTraded(lots);
  }

  /**
   * Opens the market at an instant, or leaps to it over all that lies between: the book is made anew. What lies behind
   * the touch follows with the first `advance`, so that a market costs little before anybody wants it.
   */
  assemble(atMs: number): void {
    const { random } = this.#parts;
    this.#atMs = atMs;
    this.#gatherAtMs = NEVER;
    this.#patience = random.exponential();
    this.#takers.forget();
    this.#look(atMs);
    this.#cell.settle(this.#price(), random.uniform() - 0.5, random.uniform());
    this.#crowd.formWalls(this.#lean(), atMs);
  }

  /** Lets all happen that is due until an instant, and at it. */
  advance(untilMs: number): void {
    if (!this.#crowd.hasLadders) this.#crowd.raiseLadders(this.#ticksPerBps(), this.#atMs);
    for (;;) {
      const rate = this.#rate();
      const eventAtMs = this.#atMs + this.#patience / rate;
      const dueAtMs = Math.min(eventAtMs, this.#stretch.endMs, this.#gatherAtMs);
      if (dueAtMs > untilMs) return;
      this.#patience -= (dueAtMs - this.#atMs) * rate;
      this.#atMs = dueAtMs;
      if (dueAtMs === this.#gatherAtMs) this.#gather();
      else if (dueAtMs === this.#stretch.endMs) this.#look(dueAtMs);
      else this.#act(rate);
      this.#follow();
    }
  }

  #rate(): number {
    const returnsPerMs = (Math.LN2 / DEPTH_HALF_LIFE_MS) * this.#crowd.exhaustedCount;
    return this.#stretch.takersPerMs + this.#touchLooksPerMs + this.#ladderLooksPerMs + returnsPerMs;
  }

  /** One event of those whose rates add up to `rate`. */
  #act(rate: number): void {
    const { random } = this.#parts;
    this.#patience = random.exponential();
    let draw = random.uniform() * rate;
    if ((draw -= this.#touchLooksPerMs) < 0) return this.#crowd.lookAtTouch(this.#lean(), this.#atMs);
    if ((draw -= this.#ladderLooksPerMs) < 0) return this.#crowd.lookBehind(this.#ticksPerBps(), this.#atMs);
    if ((draw -= this.#stretch.takersPerMs) < 0) return this.#take();
    if (this.#crowd.exhaustedCount > 0) this.#crowd.returnOne(this.#ticksPerBps(), this.#atMs);
  }

  #take(): void {
    const fair = this.#price();
    const slip = TAKER_SLIP_BPS * this.#ticksPerBps();
    this.#parts.floor.take(this.#takers.next(this.#lean(), fair, slip), this.#atMs);
  }

  /** The touch follows a fair price that has left its cell. */
  #follow(): void {
    if (this.#gatherAtMs !== NEVER) return;
    const lean = this.#lean();
    const isBidGone = this.#crowd.isTouchEmpty('BUY');
    const isAskGone = this.#crowd.isTouchEmpty('SELL');
    if (lean > (isAskGone ? LEAN_OF_EMPTY_TOUCH : 1)) this.#move('BUY');
    else if (lean < (isBidGone ? -LEAN_OF_EMPTY_TOUCH : -1)) this.#move('SELL');
    else if (isBidGone || isAskGone) this.#gatherSoon();
  }

  /** `side`: of the taker that moves the price this way. */
  #move(side: Side): void {
    const { random, profile } = this.#parts;
    const { least, most } = LEAN_AFTER_MOVE;
    const before = this.#cell.bid;
    const lean = least + (most - least) * random.uniform();
    this.#cell.settle(this.#price(), side === 'BUY' ? lean : -lean, random.uniform());
    if (this.#cell.bid === before) return this.#gatherSoon();
    const limit = side === 'BUY' ? this.#cell.bid : this.#cell.ask;
    this.#crowd.withdraw(side === 'BUY' ? 'SELL' : 'BUY', limit);
    const sweeper = this.#sweepers[side];
    sweeper.price = limit;
    sweeper.leaves = Math.ceil(profile.wallLots * SWEEP_WALLS * random.exponential()) as Lots;
    this.#parts.floor.take(sweeper, this.#atMs);
    this.#gatherSoon();
  }

  #gatherSoon(): void {
    this.#gatherAtMs = this.#atMs + this.#parts.profile.gatheringMs * this.#parts.random.exponential();
  }

  #gather(): void {
    this.#gatherAtMs = NEVER;
    this.#crowd.gather(this.#lean(), this.#atMs);
  }

  /** Looks up the fair price and the activity of the next stretch of time. */
  #look(atMs: number): void {
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

  /** What the makers quote around: the fair price, displaced by what we did to it. */
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
