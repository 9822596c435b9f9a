import { HashedChance } from './hashed-chance.js';

const DAY_MS = 24 * 3600 * 1000;
const DAY_LEVEL = 5;
const BLOCK_DAYS = 2 ** DAY_LEVEL;
const BLOCK_MS = BLOCK_DAYS * DAY_MS;
const LEVELS = 24;
/** Time between two points of the path: 164.8 ms, exact in binary. */
export const LEAF_MS = BLOCK_MS / 2 ** LEVELS;
/** Logarithmic deviation of the activity of two halves: between days, and within a day. */
const DAY_NOISE = 0.3;
const INTRADAY_NOISE = 0.5;
/** Deviation of a block's ends, chosen so that a block's variance equals that of its days. */
const ANCHOR_DEVIATION = Math.sqrt(BLOCK_DAYS / 2);
/** Bounds the ends, so that prices keep enough room above zero. */
const ANCHOR_MAX = 2 * ANCHOR_DEVIATION;
const BLOCK_LEVEL = -1;

/**
 * A random path in time and its activity, both with random access: the value at an instant is a
 * function of the seed and the instant alone.
 *
 *     block of 32 days   ├───────────────────────────────┤   ends: normal around 0
 *     halves             ├───────────────┼───────────────┤   middle: bridge between the ends
 *     …                  ├───────┼───────┼── …               24 levels down to
 *     leaf of 165 ms     ├┼┼┼┼ …                             straight lines
 *
 * Each halving also splits the activity unevenly, by the daily curve and by chance. The bridge's variance is the
 * activity, so the path moves in bursts (a Brownian motion in business time). Volume is drawn from the same activity,
 * so volatility and volume have the same quiet and busy times.
 *
 * The nodes from the block to the latest leaf are cached: the next leaf costs two nodes on average.
 */
export class RandomPath {
  readonly #chance: HashedChance;
  #block = Number.NaN;
  #leaf = -1;
  readonly #value = { start: new Float64Array(LEVELS + 1), end: new Float64Array(LEVELS + 1) };
  readonly #activity = { start: new Float64Array(LEVELS + 1), end: new Float64Array(LEVELS + 1) };

  constructor(seed: string) {
    this.#chance = new HashedChance(seed);
  }

  /** The value at an instant (ms since the epoch, from 0); a day of average activity has variance 1. */
  valueAt(ms: number): number {
    const part = this.#seek(ms);
    const { start, end } = this.#value;
    return start[LEVELS]! + (end[LEVELS]! - start[LEVELS]!) * part;
  }

  /** Activity from the epoch to an instant, in average days. */
  activityUntil(ms: number): number {
    const part = this.#seek(ms);
    const { start, end } = this.#activity;
    return this.#block * BLOCK_DAYS + start[LEVELS]! + (end[LEVELS]! - start[LEVELS]!) * part;
  }

  /** Moves to the leaf of the instant; returns the position within the leaf, in [0, 1). */
  #seek(ms: number): number {
    const block = Math.floor(ms / BLOCK_MS);
    const place = (ms - block * BLOCK_MS) / LEAF_MS;
    const leaf = Math.floor(place);
    if (block !== this.#block) {
      this.#enter(block);
      this.#descend(leaf, 0);
    } else if (leaf !== this.#leaf) {
      this.#descend(leaf, Math.clz32(leaf ^ this.#leaf) - (32 - LEVELS));
    }
    return place - leaf;
  }

  #enter(block: number): void {
    this.#block = block;
    this.#value.start[0] = this.#anchor(block);
    this.#value.end[0] = this.#anchor(block + 1);
    this.#activity.start[0] = 0;
    this.#activity.end[0] = BLOCK_DAYS;
  }

  #anchor(block: number): number {
    this.#chance.at(block, BLOCK_LEVEL, 0);
    return Math.max(-ANCHOR_MAX, Math.min(ANCHOR_MAX, ANCHOR_DEVIATION * this.#chance.first));
  }

  #descend(leaf: number, fromLevel: number): void {
    this.#leaf = leaf;
    for (let level = fromLevel; level < LEVELS; level += 1) {
      const below = LEVELS - level - 1;
      this.#halve(level, leaf >>> (below + 1), ((leaf >>> below) & 1) === 1);
    }
  }

  /** Splits the node of a level and descends into one half. */
  #halve(level: number, index: number, isSecond: boolean): void {
    const value = this.#value;
    const activity = this.#activity;
    const chance = this.#chance;
    chance.at(this.#block, level, index);
    const share = firstShare(level, index, chance.first);
    const low = activity.start[level]!;
    const high = activity.end[level]!;
    const start = value.start[level]!;
    const end = value.end[level]!;
    const middleActivity = low + (high - low) * share;
    const deviation = Math.sqrt((high - low) * share * (1 - share));
    const middle = start + (end - start) * share + deviation * chance.second;
    value.start[level + 1] = isSecond ? middle : start;
    value.end[level + 1] = isSecond ? end : middle;
    activity.start[level + 1] = isSecond ? middleActivity : low;
    activity.end[level + 1] = isSecond ? high : middleActivity;
  }
}

/** Share of a node's activity in its first half, in (0, 1). */
function firstShare(level: number, index: number, normal: number): number {
  if (level < DAY_LEVEL) return 1 / (1 + Math.exp(-DAY_NOISE * normal));
  const dayLevel = level - DAY_LEVEL;
  const expected = firstHalfShare(dayLevel, index & (2 ** dayLevel - 1));
  return expected / (expected + (1 - expected) * Math.exp(-INTRADAY_NOISE * normal));
}

/**
 * Share of the daily volume in each UTC hour, in per cent: mean of 31 days of one-minute candles of the most traded
 * Bitcoin perpetual, January 2022.
 */
const HOUR_SHARES = [
  3.82, 2.52, 2.35, 3.0, 3.15, 2.53, 2.08, 2.46, 3.4, 3.31, 3.44, 3.64, 3.78, 5.6, 7.76, 7.25, 6.69, 6.03, 5.47, 4.79,
  4.82, 4.63, 3.88, 3.59,
];
const HOURS = HOUR_SHARES.length;
const TOTAL = HOUR_SHARES.reduce((sum, share) => sum + share, 0);
/** The curve is flat within parts of a day below about ten minutes. */
const CURVE_LEVELS = 8;

/** Relative activity at a part of the day in [0, 1), with mean 1: linear between the middles of the hours. */
export function activityAt(dayPart: number): number {
  const hour = dayPart * HOURS - 0.5;
  const before = Math.floor(hour);
  const weight = hour - before;
  const [left, right] = [HOUR_SHARES[(before + HOURS) % HOURS]!, HOUR_SHARES[(before + 1) % HOURS]!];
  return ((left * (1 - weight) + right * weight) * HOURS) / TOTAL;
}

/** Share of activity in the first half of each dyadic part of a day. */
const FIRST_HALVES = Array.from({ length: CURVE_LEVELS }, (_, level) =>
  Float64Array.from({ length: 2 ** level }, (__, index) => {
    const length = 1 / 2 ** level;
    const first = meanActivity(index * length, length / 2);
    return first / (first + meanActivity((index + 0.5) * length, length / 2));
  }),
);

/** Share of activity in the first half of part `index` of the 2^level parts of a day. */
export function firstHalfShare(level: number, index: number): number {
  return level < CURVE_LEVELS ? FIRST_HALVES[level]![index]! : 0.5;
}

function meanActivity(from: number, length: number): number {
  const samples = 64;
  let sum = 0;
  for (let sample = 0; sample < samples; sample += 1) sum += activityAt(from + ((sample + 0.5) * length) / samples);
  return sum / samples;
}
