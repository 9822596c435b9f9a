const TWO_TO_32 = 0x1_0000_0000;
/** Odd constants of MurmurHash3 and of Weyl sequences. The values are arbitrary but must not change. */
const FIRST = 0xcc9e2d51;
const SECOND = 0x1b873593;
const STEP = 0x9e3779b9;

/** Seed number of a text: FNV-1a, 32 bits. */
function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash | 0;
}

/**
 * Random draws without a stream: each draw is a function of its position, so positions can be visited in any order and
 * repeatedly. One `at` gives two independent standard normals.
 */
export class HashedChance {
  readonly #seed: number;
  /** The two normals of the latest position. */
  first = 0;
  second = 0;

  constructor(seed: string) {
    this.#seed = seedOf(seed);
  }

  /** Draws at a position: three integers, of which 32 bits count. */
  at(block: number, level: number, index: number): void {
    let hash = absorb(this.#seed, block);
    hash = absorb(hash, level);
    hash = absorb(hash, index);
    const one = finish(hash);
    const other = finish(hash + STEP);
    // Box–Muller transform; the 0.5 keeps the logarithm finite.
    const radius = Math.sqrt(-2 * Math.log(((one >>> 0) + 0.5) / TWO_TO_32));
    const angle = (2 * Math.PI * (other >>> 0)) / TWO_TO_32;
    this.first = radius * Math.cos(angle);
    this.second = radius * Math.sin(angle);
  }
}

function absorb(hash: number, word: number): number {
  let mixed = Math.imul(word, FIRST);
  mixed = Math.imul((mixed << 15) | (mixed >>> 17), SECOND) ^ hash;
  mixed = (mixed << 13) | (mixed >>> 19);
  return (Math.imul(mixed, 5) + 0xe6546b64) | 0;
}

/** Finaliser of MurmurHash3: every input bit reaches every output bit. */
function finish(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/** One scale of a wander: independent normals every `everyMs`, with linear interpolation. */
export interface WanderScale {
  readonly everyMs: number;
  /** Standard deviation of the normals, in the unit of the wander. */
  readonly deviation: number;
}

/** A mean-reverting quantity around 0: a function of the seed and the instant alone. */
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

/** The latest interval. */
interface Line {
  knot: number;
  start: number;
  end: number;
}
