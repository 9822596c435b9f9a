import type { MatchingOperation } from '../../../bench/matching-operation.js';
import type { Lots, Ticks } from '../../../src/model/quantity.js';
import { ANY_PRICE, BACKGROUND } from '../../../src/venue/matching/index.js';
import { Random } from '../../../src/venue/prng.js';

const MID_TICKS = 1_000;
const REACH_TICKS = 40;
const LOTS_MAX = 20;
const PARTICIPANTS = 3;
/** Operations name an order among so many of the latest. */
const MEMORY_ORDERS = 400;

const KINDS = ['limit', 'limit', 'limit', 'limit', 'market', 'cancel', 'cancel', 'amend'] as const;
const TIMES_IN_FORCE = ['GTC', 'GTC', 'GTC', 'IOC', 'FOK'] as const;
const PREVENTIONS = ['NONE', 'EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH'] as const;

/**
 * Operations that nodejs-order-book understands as our book does. It differs in four things, which are left out:
 * it has no DECREMENT; it applies self-trade prevention to FOK; it forgets whose order it was, and loses a post-only one
 * that would cross, when it amends (so only orders of nobody that are not post-only are amended); and it puts an order to
 * the rear when only its quantity falls (so an amended order gets more, or another price).
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
    if (kind === 'cancel' || order.participant !== BACKGROUND || order.postOnly) return { ...order, kind: 'cancel' };
    const leaves = (order.leaves + this.#count(LOTS_MAX)) as Lots;
    return this.#remember({ ...order, kind: 'amend', price: this.#price(), leaves });
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

  /** The latest operation on an order tells its price and the most it may have left. */
  #remember(operation: MatchingOperation): MatchingOperation {
    const known = this.#placed.findIndex(({ id }) => id === operation.id);
    if (known !== -1) this.#placed[known] = operation;
    else if (operation.kind === 'limit') this.#placed.push(operation);
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
