import type { Random } from '../prng.js';
import { delayUs, type LatencyModel } from './latency-model.js';

/** One way of one connection: each message takes its own time, and none overtakes the one before it. */
export class Leg {
  readonly #model: LatencyModel;
  readonly #random: Random;
  #messageCount = 0;
  #lastArrivalUs = 0;

  constructor(model: LatencyModel, random: Random) {
    this.#model = model;
    this.#random = random;
  }

  /** Sends one message; returns when it arrives, in microseconds of the same clock. */
  arrivalUs(sentUs: number): number {
    const ownUs = sentUs + delayUs(this.#model, this.#messageCount, this.#random);
    this.#messageCount += 1;
    this.#lastArrivalUs = Math.max(this.#lastArrivalUs, ownUs);
    return this.#lastArrivalUs;
  }
}
