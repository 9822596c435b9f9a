import type { Side } from '../../src/domain/order.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import { ANY_PRICE, BACKGROUND } from '../../src/sim/matching/book-order.js';
import { Random } from '../../src/sim/prng.js';
import { type MatchingOperation, OwnPlayer } from './players.js';

const FIRST_MID_TICKS = 6_400_000;
const MID_MOVES_SHARE = 0.05;
/** Share of the orders that are near the touch. The others are anywhere in the book. */
const NEAR_SHARE = 0.7;
const NEAR_TICKS_MEAN = 8;
const MARKET_SHARE = 0.1;
const LIMIT_LOTS_MEAN = 50;
const MARKET_LOTS_MEAN = 120;
const ORDERS_PER_LEVEL = 3;

/**
 * The order flow of a busy book: limit orders around a moving mid, market orders, and enough random cancels to keep the
 * number of orders. Plays on its own book, so that each cancel finds its order.
 */
export class MatchingFlow {
  readonly #random: Random;
  readonly #levels: number;
  readonly #player = new OwnPlayer(() => undefined);
  readonly #placed: MatchingOperation[] = [];
  #latestId = 0;
  #mid = FIRST_MID_TICKS;

  constructor(seed: string, levels: number) {
    this.#random = new Random(seed);
    this.#levels = levels;
  }

  /** Orders that fill the book: some at each level. */
  opening(): readonly MatchingOperation[] {
    const operations: MatchingOperation[] = [];
    for (let distance = 1; distance <= this.#levels; distance += 1)
      for (let count = 0; count < ORDERS_PER_LEVEL; count += 1)
        for (const side of ['BUY', 'SELL'] as const) operations.push(this.#play(this.#limit(side, distance)));
    return operations;
  }

  /** Returns the next operations. */
  operations(count: number): readonly MatchingOperation[] {
    return Array.from({ length: count }, () => this.#play(this.#next()));
  }

  #next(): MatchingOperation {
    if (this.#isDrawn(MID_MOVES_SHARE)) this.#mid += this.#isDrawn(0.5) ? 1 : -1;
    const side = this.#isDrawn(0.5) ? 'BUY' : 'SELL';
    if (this.#isDrawn(MARKET_SHARE)) return this.#order('market', side, ANY_PRICE, this.#count(MARKET_LOTS_MEAN));
    if (this.#player.book.orderCount > 2 * this.#levels * ORDERS_PER_LEVEL) return this.#cancel();
    return this.#limit(side, this.#count(this.#isDrawn(NEAR_SHARE) ? NEAR_TICKS_MEAN : this.#levels / 3));
  }

  #limit(side: Side, distance: number): MatchingOperation {
    const price = side === 'BUY' ? this.#mid - distance : this.#mid + distance;
    return this.#order('limit', side, price as Ticks, this.#count(LIMIT_LOTS_MEAN));
  }

  #order(kind: 'limit' | 'market', side: Side, price: Ticks, lots: number): MatchingOperation {
    this.#latestId += 1;
    const terms = { id: this.#latestId, participant: BACKGROUND, side, price, leaves: lots as Lots };
    return { kind, ...terms, timeInForce: 'GTC', postOnly: false, stp: 'NONE' };
  }

  #cancel(): MatchingOperation {
    const placed = this.#placed;
    for (;;) {
      const place = Math.floor(this.#random.uniform() * placed.length);
      const chosen = placed[place]!;
      placed[place] = placed.at(-1)!;
      placed.pop();
      if (this.#player.isResting(chosen.id)) return { ...chosen, kind: 'cancel' };
    }
  }

  #play(operation: MatchingOperation): MatchingOperation {
    this.#player.play(operation);
    if (this.#player.isResting(operation.id)) this.#placed.push(operation);
    return operation;
  }

  #isDrawn(share: number): boolean {
    return this.#random.uniform() < share;
  }

  /** A whole number from 1, exponentially distributed. */
  #count(mean: number): number {
    return 1 + Math.floor(this.#random.exponential() * mean);
  }
}
