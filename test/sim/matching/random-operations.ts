import type { MatchingOperation } from '../../../bench/matching/players.js';
import type { Lots, Ticks } from '../../../src/domain/quantity.js';
import { ANY_PRICE, BACKGROUND } from '../../../src/sim/matching/book-order.js';
import { Random } from '../../../src/sim/prng.js';

const MID_TICKS = 1_000;
const REACH_TICKS = 40;
const LOTS_MAX = 20;
const PARTICIPANTS = 3;
/** Operations name one of this many latest orders. */
const MEMORY_ORDERS = 400;

const KINDS = ['limit', 'limit', 'limit', 'limit', 'market', 'cancel', 'cancel'] as const;
const TIMES_IN_FORCE = ['GTC', 'GTC', 'GTC', 'IOC', 'FOK'] as const;
const PREVENTIONS = ['NONE', 'EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH'] as const;

/**
 * Operations that nodejs-order-book and our book treat the same. Two differences are left out: it has no DECREMENT, and
 * it applies self-trade prevention to FOK.
 */
export class RandomOperations {
  readonly #random: Random;
  readonly #placed: MatchingOperation[] = [];
  #latestId = 0;

  constructor(seed: string) {
    this.#random = new Random(seed);
  }

  next(): MatchingOperation {
    const kind = this.#pick(KINDS);
    if (kind === 'limit' || kind === 'market') return this.#new(kind);
    const order = this.#pick(this.#placed.length === 0 ? [this.#new('limit')] : this.#placed);
    return { ...order, kind: 'cancel' };
  }

  #new(kind: 'limit' | 'market'): MatchingOperation {
    this.#latestId += 1;
    const timeInForce = this.#pick(TIMES_IN_FORCE);
    return this.#remember({
      kind,
      id: this.#latestId,
      participant: timeInForce === 'FOK' ? BACKGROUND : this.#count(PARTICIPANTS + 1) - 1,
      side: this.#pick(['BUY', 'SELL']),
      price: kind === 'market' ? ANY_PRICE : this.#price(),
      leaves: this.#count(LOTS_MAX) as Lots,
      timeInForce,
      postOnly: kind === 'limit' && this.#count(5) === 1,
      stp: this.#pick(PREVENTIONS),
    });
  }

  #remember(operation: MatchingOperation): MatchingOperation {
    if (operation.kind === 'limit') this.#placed.push(operation);
    if (this.#placed.length > MEMORY_ORDERS) this.#placed.shift();
    return operation;
  }

  #price(): Ticks {
    return (MID_TICKS - REACH_TICKS + this.#count(2 * REACH_TICKS)) as Ticks;
  }

  #count(max: number): number {
    return 1 + Math.floor(this.#random.uniform() * max);
  }

  #pick<Value>(values: readonly Value[]): Value {
    return values[Math.floor(this.#random.uniform() * values.length)]!;
  }
}
