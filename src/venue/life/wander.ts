import { HashedChance } from './hashed-chance.js';

/** One scale of a wander: independent normals every `everyMs`, straight lines between them. */
export interface WanderScale {
  readonly everyMs: number;
  /** Standard deviation of the normals, in whatever unit the wander has. */
  readonly deviation: number;
}

/** A quantity that strays from 0 and always comes back, a function of the seed and the instant alone. */
export class Wander {
  readonly #chance: HashedChance;
  readonly #scales: readonly WanderScale[];
  readonly #lines: readonly Line[];

  constructor(seed: string, scales: readonly WanderScale[]) {
    this.#chance = new HashedChance(seed);
    this.#scales = scales;
    this.#lines = scales.map(() => ({ knot: Number.NaN, start: 0, end: 0 }));
  }

  valueAt(ms: number): number {
    let sum = 0;
    for (let scale = 0; scale < this.#scales.length; scale += 1) {
      const place = ms / this.#scales[scale]!.everyMs;
      const knot = Math.floor(place);
      const line = this.#lines[scale]!;
      if (line.knot !== knot) this.#draw(line, scale, knot);
      sum += line.start + (line.end - line.start) * (place - knot);
    }
    return sum;
  }

  #draw(line: Line, scale: number, knot: number): void {
    line.knot = knot;
    line.start = this.#normal(scale, knot);
    line.end = this.#normal(scale, knot + 1);
  }

  #normal(scale: number, knot: number): number {
    this.#chance.at(Math.floor(knot / 2 ** 32), scale, knot | 0);
    return this.#chance.first * this.#scales[scale]!.deviation;
  }
}

/** The stretch that was looked at last. */
interface Line {
  knot: number;
  start: number;
  end: number;
}
