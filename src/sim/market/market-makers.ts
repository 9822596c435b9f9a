import type { OrderBook } from '../matching/order-book.js';
import type { Side } from '../../domain/order.js';
import type { Lots, Ticks } from '../../domain/quantity.js';
import { BACKGROUND, BookOrder } from '../matching/book-order.js';
import type { Random } from '../prng.js';
import type { MarketProfile } from './market-profile.js';

/** Number of makers at the touch of each side. */
const WALL_COUNT = 6;
/** Mean quantity of the straggler as a share of the wall. */
const STRAGGLER_SHARE = 0.05;
/** Number of makers on the ladder of each side, at prices worse than the touch. */
const LADDER_COUNT = 40;
/** Distance of the ladder's first rung from the touch. */
const LADDER_NEAR_BPS = 0.02;
/** Within this distance the ladder has only a share of its usual density. */
const THIN_BPS = 2;
const THIN_SHARE = 0.6;
/** Sharpness of the wall's reaction to the lean of the fair price, and the lean at which half of the wall is gone. */
const LEAN_SHARPNESS = 5;
const LEAN_OF_HALF = 0.25;
/** Average share of the wall that is present, and its share right after the touch moves. */
const WALL_PRESENCE = 0.55;
const REFORM_SHARE = 0.7;
/** Share of makers that withdraw before a moving price reaches them; it trades through the others. */
const WALL_WITHDRAWING_SHARE = 0.96;
const LADDER_WITHDRAWING_SHARE = 0.9;
const SIDES = ['BUY', 'SELL'] as const;

/** The background's access to the book. */
export interface Floor {
  readonly book: OrderBook;
  /** Matches the order and rests its leaves. */
  rest(order: BookOrder, atMs: number): void;
  /** Matches the order; the leaves expire. */
  take(order: BookOrder, atMs: number): void;
}

/**
 * All market makers of one market. The wall quotes at the touch while the fair price does not lean against it. The
 * ladder quotes behind the touch; farther rungs are larger and move less often:
 *
 *     ladder ▇▅▃▂▁ wall █│█ wall ▁▂▃▅▇ ladder
 *
 * One small maker of each wall, the straggler, always stays and returns at once after a trade.
 * A maker whose order fills completely is exhausted until `returnOne` selects it.
 */
export class MarketMakers {
  readonly #floor: Floor;
  readonly #cell: TouchCell;
  readonly #random: Random;
  readonly #walls: Record<Side, readonly Maker[]>;
  readonly #stragglers: Record<Side, Maker>;
  readonly #profile: MarketProfile;
  /** Created when the market first becomes active: most markets never do. */
  #ladders: Record<Side, readonly Maker[]> = { BUY: [], SELL: [] };
  #hasLadders = false;
  readonly #exhausted: Maker[] = [];

  constructor(parts: { floor: Floor; cell: TouchCell; profile: MarketProfile; random: Random }) {
    const { floor, cell, profile, random } = parts;
    this.#floor = floor;
    this.#cell = cell;
    this.#random = random;
    const wall = { nearBps: 0, farBps: 0, meanLots: profile.wallLots / WALL_COUNT / WALL_PRESENCE };
    this.#walls = bothSides((side) => Array.from({ length: WALL_COUNT }, () => new Maker(side, wall)));
    const straggler = { nearBps: 0, farBps: 0, meanLots: profile.wallLots * STRAGGLER_SHARE };
    this.#stragglers = bothSides((side) => new Maker(side, straggler));
    this.#profile = profile;
  }

  get exhaustedCount(): number {
    return this.#exhausted.length;
  }

  get hasLadders(): boolean {
    return this.#hasLadders;
  }

  /** Records that a maker's order filled completely. */
  noteExhausted(maker: Maker): void {
    if (maker !== this.#stragglers[maker.side]) this.#exhausted.push(maker);
  }

  /** True when a side has no order at the touch although nothing blocks it. */
  isTouchEmpty(side: Side): boolean {
    const { book } = this.#floor;
    if (side === 'BUY') return book.bestBid() < this.#cell.bid && !this.#isBlocked(side);
    const ask = book.bestAsk();
    return (ask === 0 || ask > this.#cell.ask) && !this.#isBlocked(side);
  }

  /** Removes all orders and forms walls of average size. The ladders are still missing. */
  formWalls(lean: number, atMs: number): void {
    for (const maker of this.#exhausted) maker.recover();
    this.#exhausted.length = 0;
    this.#hasLadders = false;
    for (const side of SIDES) {
      this.#leave(this.#stragglers[side]);
      for (const maker of this.#walls[side]) this.#leave(maker);
      for (const maker of this.#ladders[side]) this.#leave(maker);
    }
    for (const side of SIDES) {
      this.#quoteAtTouch(this.#stragglers[side], atMs);
      for (const maker of this.#walls[side]) if (this.#isWilling(side, lean)) this.#quoteAtTouch(maker, atMs);
    }
  }

  /** Places the ladder orders; the book is then complete. */
  raiseLadders(ticksPerBps: number, atMs: number): void {
    if (this.#ladders.BUY.length === 0) {
      const rungs = ladderRanges(this.#profile);
      this.#ladders = bothSides((side) => rungs.map((range) => new Maker(side, range)));
    }
    this.#hasLadders = true;
    for (const side of SIDES) {
      for (const maker of this.#ladders[side]) this.#quoteBehind(maker, ticksPerBps, atMs);
    }
  }

  /** A random maker of the walls re-evaluates its quote: it enters or leaves. */
  requoteAtTouch(lean: number, atMs: number): void {
    const maker = this.#pick(this.#walls, this.#random.uniform());
    if (maker.isExhausted) return;
    const isWilling = this.#isWilling(maker.side, lean);
    if (isWilling === this.#isAtTouch(maker)) return;
    if (isWilling) this.#quoteAtTouch(maker, atMs);
    else this.#leave(maker);
  }

  /** A random maker of the ladders replaces its quote; nearer makers are drawn more often. */
  requoteBehind(ticksPerBps: number, atMs: number): void {
    const chance = this.#random.uniform();
    const maker = this.#pick(this.#ladders, chance * chance);
    if (!maker.isExhausted) this.#quoteBehind(maker, ticksPerBps, atMs);
  }

  /** A random exhausted maker returns. */
  returnOne(ticksPerBps: number, atMs: number): void {
    const exhausted = this.#exhausted;
    const place = Math.floor(this.#random.uniform() * exhausted.length);
    const maker = exhausted[place]!;
    exhausted[place] = exhausted[exhausted.length - 1]!;
    exhausted.pop();
    if (maker.isOfWall) this.#quoteAtTouch(maker, atMs);
    else this.#quoteBehind(maker, ticksPerBps, atMs);
  }

  /** The price moves through this side's orders up to `limit`: most makers cancel in time. */
  withdraw(side: Side, limit: Ticks): void {
    this.#withdrawFrom([this.#stragglers[side]], limit, WALL_WITHDRAWING_SHARE);
    this.#withdrawFrom(this.#walls[side], limit, WALL_WITHDRAWING_SHARE);
    this.#withdrawFrom(this.#ladders[side], limit, LADDER_WITHDRAWING_SHARE);
  }

  /** Re-forms the walls after a move of the touch. */
  reformWalls(lean: number, atMs: number): void {
    for (const side of SIDES) {
      const straggler = this.#stragglers[side];
      if (!this.#isAtTouch(straggler) && !this.#isBlocked(side)) this.#quoteAtTouch(straggler, atMs);
      for (const maker of this.#walls[side]) {
        if (maker.isExhausted || this.#isAtTouch(maker)) continue;
        if (this.#random.uniform() < REFORM_SHARE && this.#isWilling(side, lean)) this.#quoteAtTouch(maker, atMs);
      }
    }
  }

  #withdrawFrom(makers: readonly Maker[], limit: Ticks, share: number): void {
    for (const maker of makers) {
      if (!maker.isResting) continue;
      const isInTheWay = maker.side === 'SELL' ? maker.price <= limit : maker.price >= limit;
      if (isInTheWay && this.#random.uniform() < share) this.#floor.book.cancel(maker);
    }
  }

  #touch(side: Side): Ticks {
    return side === 'BUY' ? this.#cell.bid : this.#cell.ask;
  }

  #isAtTouch(maker: Maker): boolean {
    return maker.isResting && maker.price === this.#touch(maker.side);
  }

  /** True when one of our orders on the opposite side occupies the price of this side's touch. */
  #isBlocked(side: Side): boolean {
    const { book } = this.#floor;
    const [other, best] = side === 'SELL' ? (['BUY', book.bestBid()] as const) : (['SELL', book.bestAsk()] as const);
    if (best === 0 || (side === 'SELL' ? best < this.#cell.ask : best > this.#cell.bid)) return false;
    return book.frontOf(other, best)?.participant !== BACKGROUND;
  }

  /** True when a maker quotes: makers avoid selling when the fair price leans up, and buying when it leans down. */
  #isWilling(side: Side, lean: number): boolean {
    const against = LEAN_SHARPNESS * ((side === 'SELL' ? lean : -lean) - LEAN_OF_HALF);
    return 2 * this.#random.uniform() < 1 - against / Math.sqrt(1 + against * against);
  }

  #quoteAtTouch(maker: Maker, atMs: number): void {
    this.#quote(maker, this.#touch(maker.side), atMs);
  }

  #quoteBehind(maker: Maker, ticksPerBps: number, atMs: number): void {
    const { side, nearBps, farBps } = maker;
    const distance = Math.ceil((nearBps + (farBps - nearBps) * this.#random.uniform()) * ticksPerBps);
    const price = this.#touch(side) + (side === 'BUY' ? -distance : distance);
    this.#quote(maker, Math.max(1, price) as Ticks, atMs);
  }

  #quote(maker: Maker, price: Ticks, atMs: number): void {
    this.#leave(maker);
    maker.price = price;
    maker.leaves = Math.max(1, Math.round(maker.meanLots * this.#random.exponential())) as Lots;
    this.#floor.rest(maker, atMs);
    // The order may have filled completely as a taker, which no other callback reports.
    if (maker.isExhausted) this.noteExhausted(maker);
  }

  #leave(maker: Maker): void {
    if (maker.isResting) this.#floor.book.cancel(maker);
  }

  /** Selects a random side, then the maker at the position `part` in [0, 1). */
  #pick(makers: Record<Side, readonly Maker[]>, part: number): Maker {
    const ofSide = makers[this.#random.uniform() < 0.5 ? 'BUY' : 'SELL'];
    return ofSide[Math.floor(part * ofSide.length)]!;
  }
}

function bothSides<Value>(make: (side: Side) => Value): Record<Side, Value> {
  return { BUY: make('BUY'), SELL: make('SELL') };
}

/** One rung for each maker. Each rung covers a distance range; the ranges grow by a constant ratio. */
function ladderRanges({ lotsPerBps, depthBps }: MarketProfile): MakerRange[] {
  const ratio = (depthBps / LADDER_NEAR_BPS) ** (1 / LADDER_COUNT);
  return Array.from({ length: LADDER_COUNT }, (_, rung) => {
    const nearBps = LADDER_NEAR_BPS * ratio ** rung;
    const farBps = nearBps * ratio;
    const density = lotsPerBps * (nearBps < THIN_BPS ? THIN_SHARE : 1);
    return { nearBps, farBps, meanLots: density * (farBps - nearBps) };
  });
}

/**
 * One background maker with one order, which it places, withdraws and replaces. After a complete fill the maker is
 * exhausted and returns later.
 */
export class Maker extends BookOrder {
  /** Range of its distance from the touch in basis points; 0 and 0: at the touch. */
  readonly nearBps: number;
  readonly farBps: number;
  /** Mean quantity of its quotes, in lots. */
  readonly meanLots: number;

  constructor(side: Side, { nearBps, farBps, meanLots }: MakerRange) {
    super({ id: 0, participant: BACKGROUND, side, price: 1 as Ticks, leaves: 1 as Lots });
    this.nearBps = nearBps;
    this.farBps = farBps;
    this.meanLots = meanLots;
  }

  /** True for a maker at the touch. */
  get isOfWall(): boolean {
    return this.farBps === 0;
  }

  get isExhausted(): boolean {
    return this.leaves === 0;
  }

  /** Makes an exhausted maker ready to quote. */
  recover(): void {
    this.leaves = 1 as Lots;
  }
}

interface MakerRange {
  readonly nearBps: number;
  readonly farBps: number;
  readonly meanLots: number;
}

/**
 * The makers' touch, which stays while the fair price moves within a cell around it:
 *
 *            bid   ask
 *     ───┼────┼──┼──┼────┼───▶ price
 *        └── reach ─┴────┘     when the fair price leaves the cell, the touch follows
 *
 * If the touch followed every move of the fair price, no queue would form.
 */
export class TouchCell {
  readonly #reach: number;
  #bid = 0;
  /** Half width of this cell. It varies, so that the width cannot be inferred from the trades. */
  #span: number;

  /** `reach`: mean distance from the middle of the touch to the edge of the cell, in ticks. */
  constructor(reach: number) {
    this.#reach = reach;
    this.#span = reach;
  }

  get bid(): Ticks {
    return this.#bid as Ticks;
  }

  get ask(): Ticks {
    return (this.#bid + 1) as Ticks;
  }

  /** Position of a fair price in the cell: -1 at the lower edge, 1 at the upper edge, beyond that outside. */
  leanOf(fair: number): number {
    return (fair - this.#bid - 0.5) / this.#span;
  }

  /**
   * Moves the touch so that the fair price has the lean `lean` (-1..1) in the new cell, as far as whole ticks allow.
   * `chance` in [0, 1) sets the cell's width.
   */
  settle(fair: number, lean: number, chance: number): void {
    this.#span = this.#reach * (0.6 + 0.8 * chance);
    this.#bid = Math.max(1, Math.round(fair - 0.5 - lean * this.#span));
  }
}
