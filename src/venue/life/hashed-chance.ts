const TWO_TO_32 = 0x1_0000_0000;
/** Odd constants of MurmurHash3 and of Weyl sequences: any would do, as long as they stay what they are. */
const FIRST = 0xcc9e2d51;
const SECOND = 0x1b873593;
const STEP = 0x9e3779b9;

/** FNV-1a, 32 bits: the number a text stands for in a seed. */
export function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash | 0;
}

/**
 * Chance without a stream: a draw is a function of its place alone, so that places may be visited in any order and as
 * often as one likes. One `at` gives two independent standard normals.
 */
export class HashedChance {
  readonly #seed: number;
  /** The two normals of the latest place. */
  first = 0;
  second = 0;

  constructor(seed: string) {
    this.#seed = seedOf(seed);
  }

  /** Looks at the place (three integers, 32 bits of each count). */
  at(block: number, level: number, index: number): void {
    let hash = absorb(this.#seed, block);
    hash = absorb(hash, level);
    hash = absorb(hash, index);
    const one = finish(hash);
    const other = finish(hash + STEP);
    // Box and Muller; the half keeps the logarithm finite.
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
