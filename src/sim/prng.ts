/** FNV-1a offset basis and prime, 32 bits. */
const FNV_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const TWO_TO_32 = 0x1_0000_0000;
/** Above this mean, a normal draw approximates the Poisson draw: an exact draw takes time in proportion to its mean. */
const POISSON_EXACT_MEAN_MAX = 30;

/** A reproducible random generator (Xoshiro128**): the same seed text gives the same draws on every machine. */
export class Random {
  readonly #state = new Int32Array(4);

  constructor(seed: string) {
    let hash = FNV_BASIS;
    for (let index = 0; index < seed.length; index += 1) hash = Math.imul(hash ^ seed.charCodeAt(index), FNV_PRIME);
    for (let word = 0; word < this.#state.length; word += 1) {
      hash = (hash + 0x9e3779b9) | 0;
      this.#state[word] = scramble(hash);
    }
  }

  /** Uniform in [0, 1), with 32 random bits. */
  uniform(): number {
    const state = this.#state;
    const [a, b, c, d] = [state[0]!, state[1]!, state[2]!, state[3]!];
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9);
    const mixed = d ^ b;
    const crossed = c ^ a;
    state[0] = a ^ mixed;
    state[1] = b ^ crossed;
    state[2] = crossed ^ (b << 9);
    state[3] = rotate(mixed, 11);
    return (result >>> 0) / TWO_TO_32;
  }

  /** Standard normal, by Box and Muller. */
  normal(): number {
    const radius = Math.sqrt(2 * this.exponential());
    return radius * Math.cos(2 * Math.PI * this.uniform());
  }

  /** Exponential with mean 1. */
  exponential(): number {
    return -Math.log(1 - this.uniform());
  }

  /** A Poisson count with the given mean, 0 or more. */
  poisson(mean: number): number {
    if (mean > POISSON_EXACT_MEAN_MAX) return Math.max(0, Math.round(mean + Math.sqrt(mean) * this.normal()));
    const floor = Math.exp(-mean);
    let count = 0;
    for (let product = this.uniform(); product > floor; product *= this.uniform()) count += 1;
    return count;
  }
}

/** Finaliser of MurmurHash3: every input bit reaches every output bit. */
function scramble(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
