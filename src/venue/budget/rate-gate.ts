import { REQUEST_BURST_PPM, REQUEST_RESERVE_PPM } from '../../model/limits.js';
import type { EpochMs } from '../../model/time.js';
import type { RequestRate } from '../listing/index.js';

const US_PER_MS = 1_000;
const PPM = 1_000_000;

/**
 * One budget by the generic cell rate algorithm: a token bucket kept as a single instant.
 *
 *     now                     fullAt                  now + burst
 *      |── owed by requests ───|── still free ──|─reserve─|
 *
 * A fifth of the rate's count may go at once, the rest comes back evenly over its span: so no span of that length, wherever
 * it begins, ever holds more than the count. What is pressing may use a reserve that the others must leave.
 */
export class RateGate {
  readonly #requestUs: number;
  readonly #burstUs: number;
  readonly #commonUs: number;
  #fullAtUs = 0;

  /** `count` from 1, `perMs` above 0. */
  constructor({ count, perMs }: RequestRate) {
    const burst = Math.max(1, Math.floor((count * REQUEST_BURST_PPM) / PPM));
    const reserve = Math.floor((burst * REQUEST_RESERVE_PPM) / PPM);
    this.#requestUs = Math.ceil((perMs * US_PER_MS) / Math.max(1, count - burst));
    this.#burstUs = burst * this.#requestUs;
    this.#commonUs = (burst - reserve) * this.#requestUs;
  }

  /** Time that one request takes from the budget, in milliseconds. */
  get requestMs(): number {
    return this.#requestUs / US_PER_MS;
  }

  /** Takes one request; false when the budget does not allow it yet. `nowMs` never steps back. */
  take(nowMs: EpochMs, isPressing: boolean): boolean {
    const nowUs = nowMs * US_PER_MS;
    const fullAtUs = Math.max(this.#fullAtUs, nowUs) + this.#requestUs;
    if (fullAtUs - nowUs > (isPressing ? this.#burstUs : this.#commonUs)) return false;
    this.#fullAtUs = fullAtUs;
    return true;
  }

  /** The first millisecond in which `take` succeeds. */
  freeAtMs(isPressing: boolean): EpochMs {
    const atUs = this.#fullAtUs + this.#requestUs - (isPressing ? this.#burstUs : this.#commonUs);
    return Math.ceil(atUs / US_PER_MS) as EpochMs;
  }

  isFull(nowMs: EpochMs): boolean {
    return this.#fullAtUs <= nowMs * US_PER_MS;
  }
}
