import type { Side } from '../../model/order.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import { BACKGROUND } from '../matching/index.js';
import type { Floor } from './floor.js';
import { Maker, type MakerHabits } from './maker.js';
import type { MarketProfile } from './market-profile.js';
import type { Random } from '../prng.js';
import type { TouchCell } from './touch-cell.js';

/** Makers at the touch of each side, and behind it. */
const WALL_COUNT = 6;
/** What the straggler quotes, as a part of the wall. */
const STRAGGLER_SHARE = 0.05;
const LADDER_COUNT = 40;
/** The ladder begins so far behind the touch. */
const LADDER_NEAR_BPS = 0.02;
/** The first basis points behind the touch hold this part of what later ones do. */
const THIN_BPS = 2;
const THIN_SHARE = 0.6;
/** How sharply the wall reacts to the lean of the fair price, and at which lean half of it is gone. */
const LEAN_SHARPNESS = 5;
const LEAN_OF_HALF = 0.25;
/** Part of the wall that stands on average, and that is in place again as soon as the touch has moved. */
const WALL_PRESENCE = 0.55;
const GATHERING_SHARE = 0.7;
/** Part of the makers in the way of a moving price that withdraw in time; the others are traded through. */
const WALL_WITHDRAWING_SHARE = 0.96;
const LADDER_WITHDRAWING_SHARE = 0.9;
const SIDES = ['BUY', 'SELL'] as const;

/**
 * All makers of one market. The wall quotes at the touch, as long as the fair price does not lean against it; the
 * ladder quotes behind it, the further away the larger and the more rarely moved:
 *
 *     ladder ▇▅▃▂▁ wall █│█ wall ▁▂▃▅▇ ladder
 *
 * One small maker of each wall, the straggler, always stays, and is back as soon as somebody has taken it away.
 * Makers whose order was traded to the last lot are exhausted until `returnOne` lets one of them come back.
 */
export class MakerCrowd {
  readonly #floor: Floor;
  readonly #cell: TouchCell;
  readonly #random: Random;
  readonly #walls: Record<Side, readonly Maker[]>;
  readonly #stragglers: Record<Side, Maker>;
  readonly #profile: MarketProfile;
  /** Empty until somebody wakes the market: most sleep for ever. */
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

  /** A maker's order was traded to the last lot. */
  noteExhausted(maker: Maker): void {
    if (maker !== this.#stragglers[maker.side]) this.#exhausted.push(maker);
  }

  /** Whether nobody is left at the touch of a side, where somebody could be. */
  isTouchEmpty(side: Side): boolean {
    const { book } = this.#floor;
    if (side === 'BUY') return book.bestBid() < this.#cell.bid && !this.#isBlocked(side);
    const ask = book.bestAsk();
    return (ask === 0 || ask > this.#cell.ask) && !this.#isBlocked(side);
  }

  /** Everybody leaves, and the walls form as if the market had been there for long. The ladders are still missing. */
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

  /** The makers behind the walls quote: the book is complete. */
  raiseLadders(ticksPerBps: number, atMs: number): void {
    if (this.#ladders.BUY.length === 0) {
      const rungs = ladderHabits(this.#profile);
      this.#ladders = bothSides((side) => rungs.map((habits) => new Maker(side, habits)));
    }
    this.#hasLadders = true;
    for (const side of SIDES) {
      for (const maker of this.#ladders[side]) this.#quoteBehind(maker, ticksPerBps, atMs);
    }
  }

  /** One maker of the walls looks at the market, and comes or goes. */
  lookAtTouch(lean: number, atMs: number): void {
    const maker = this.#pick(this.#walls, this.#random.uniform());
    if (maker.isExhausted) return;
    const isWilling = this.#isWilling(maker.side, lean);
    if (isWilling === this.#isAtTouch(maker)) return;
    if (isWilling) this.#quoteAtTouch(maker, atMs);
    else this.#leave(maker);
  }

  /** One maker of the ladders looks at the market and quotes anew; the nearer ones look more often. */
  lookBehind(ticksPerBps: number, atMs: number): void {
    const chance = this.#random.uniform();
    const maker = this.#pick(this.#ladders, chance * chance);
    if (!maker.isExhausted) this.#quoteBehind(maker, ticksPerBps, atMs);
  }

  /** One of the exhausted makers comes back. */
  returnOne(ticksPerBps: number, atMs: number): void {
    const exhausted = this.#exhausted;
    const place = Math.floor(this.#random.uniform() * exhausted.length);
    const maker = exhausted[place]!;
    exhausted[place] = exhausted[exhausted.length - 1]!;
    exhausted.pop();
    if (maker.isOfWall) this.#quoteAtTouch(maker, atMs);
    else this.#quoteBehind(maker, ticksPerBps, atMs);
  }

  /** The price is moving through this side's orders at `limit` or nearer: most of them are taken back in time. */
  withdraw(side: Side, limit: Ticks): void {
    this.#withdrawFrom([this.#stragglers[side]], limit, WALL_WITHDRAWING_SHARE);
    this.#withdrawFrom(this.#walls[side], limit, WALL_WITHDRAWING_SHARE);
    this.#withdrawFrom(this.#ladders[side], limit, LADDER_WITHDRAWING_SHARE);
  }

  /** The touch has moved: the walls form anew. */
  gather(lean: number, atMs: number): void {
    for (const side of SIDES) {
      const straggler = this.#stragglers[side];
      if (!this.#isAtTouch(straggler) && !this.#isBlocked(side)) this.#quoteAtTouch(straggler, atMs);
      for (const maker of this.#walls[side]) {
        if (maker.isExhausted || this.#isAtTouch(maker)) continue;
        if (this.#random.uniform() < GATHERING_SHARE && this.#isWilling(side, lean)) this.#quoteAtTouch(maker, atMs);
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

  /** Whether an order of ours stands on the other side, where this side's touch should be. */
  #isBlocked(side: Side): boolean {
    const { book } = this.#floor;
    const [other, best] = side === 'SELL' ? (['BUY', book.bestBid()] as const) : (['SELL', book.bestAsk()] as const);
    if (best === 0 || (side === 'SELL' ? best < this.#cell.ask : best > this.#cell.bid)) return false;
    return book.frontOf(other, best)?.participant !== BACKGROUND;
  }

  /** Nobody wants to sell below a fair price that is about to rise. */
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
    // As a taker it may have traded all it had, and then nobody else tells.
    if (maker.isExhausted) this.noteExhausted(maker);
  }

  #leave(maker: Maker): void {
    if (maker.isResting) this.#floor.book.cancel(maker);
  }

  /** The maker at a part in [0, 1) of the makers of a side that is drawn. */
  #pick(makers: Record<Side, readonly Maker[]>, part: number): Maker {
    const ofSide = makers[this.#random.uniform() < 0.5 ? 'BUY' : 'SELL'];
    return ofSide[Math.floor(part * ofSide.length)]!;
  }
}

function bothSides<Value>(make: (side: Side) => Value): Record<Side, Value> {
  return { BUY: make('BUY'), SELL: make('SELL') };
}

/** One rung of the ladder for each maker: what lies between two distances, the ratio of which is the same for all. */
function ladderHabits({ lotsPerBps, depthBps }: MarketProfile): MakerHabits[] {
  const ratio = (depthBps / LADDER_NEAR_BPS) ** (1 / LADDER_COUNT);
  return Array.from({ length: LADDER_COUNT }, (_, rung) => {
    const nearBps = LADDER_NEAR_BPS * ratio ** rung;
    const farBps = nearBps * ratio;
    const density = lotsPerBps * (nearBps < THIN_BPS ? THIN_SHARE : 1);
    return { nearBps, farBps, meanLots: density * (farBps - nearBps) };
  });
}
