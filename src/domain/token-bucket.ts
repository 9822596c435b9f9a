/** Sums of fractional token times are not exact in binary. A request is never refused for that. */
const ROUNDING = 1e-6;

/**
 * A token bucket by the generic cell rate algorithm: the state is one instant. Starts full.
 *
 *     now                  full at                now + capacity
 *      |── tokens in use ────|──── free ──|── reserve ──|
 *
 * Times have any one unit, and `now` never steps back.
 */
export class TokenBucket {
  /** Time in which one token returns. */
  readonly tokenTime: number;
  /** Time in which an empty bucket becomes full. */
  readonly capacity: number;
  #fullAt = 0;

  constructor(tokenTime: number, capacity: number) {
    this.tokenTime = tokenTime;
    this.capacity = capacity;
  }

  /**
   * Takes `count` tokens and leaves the `reserve`, a time below the capacity. Returns false and takes none when they do
   * not fit. A count above the capacity needs a full bucket and leaves a debt, so that no count is too large for ever.
   */
  take(count: number, now: number, reserve = 0): boolean {
    if (this.missing(count, now, reserve) > ROUNDING) return false;
    this.charge(count, now);
    return true;
  }

  /** Takes `count` tokens in any case. A debt delays later requests. */
  charge(count: number, now: number): void {
    this.#fullAt = Math.max(this.#fullAt, now) + count * this.tokenTime;
  }

  /** Time until the bucket is full; 0 when it is full. */
  owed(now: number): number {
    return Math.max(0, this.#fullAt - now);
  }

  /** Time until `take` succeeds; at most 0 when it succeeds now. */
  missing(count: number, now: number, reserve = 0): number {
    const limit = this.capacity - reserve;
    return this.owed(now) + Math.min(count * this.tokenTime, limit) - limit;
  }

  /** First instant at which `take` of one token succeeds, if no other is taken before. */
  readyAt(reserve = 0): number {
    return this.#fullAt + this.tokenTime - (this.capacity - reserve);
  }
}
