import { Random } from '../../src/sim/prng.js';

/** Random numbers of one run. All choices of the run come from here, so that its seed repeats it. */
export class Chance {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = new Random(`sim/${seed}`);
  }

  /** True with the given probability, from 0 to 1. */
  hits(probability: number): boolean {
    return this.#random.uniform() < probability;
  }

  /** A whole number between both ends, ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.#random.uniform() * (most - least + 1));
  }

  /** Mostly small numbers, sometimes large ones. */
  skewed(least: number, most: number): number {
    return Math.floor(least * (most / least) ** this.#random.uniform());
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.between(0, items.length - 1)] as Item;
  }
}
