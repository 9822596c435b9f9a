import { Random } from '../../src/venue/prng.js';

/** The luck of one run: everything in it is drawn from here, so that the seed alone repeats it. */
export class Chance {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = new Random(`sim/${seed}`);
  }

  /** True with the probability, which lies in 0..1. */
  hits(probability: number): boolean {
    return this.#random.uniform() < probability;
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.#random.uniform() * (most - least + 1));
  }

  /** Small numbers often, large ones now and then. */
  skewed(least: number, most: number): number {
    return Math.floor(least * (most / least) ** this.#random.uniform());
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.between(0, items.length - 1)] as Item;
  }
}
