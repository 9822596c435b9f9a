import { firstHalfShare } from './activity-curve.js';
import { HashedChance } from './hashed-chance.js';

const DAY_MS = 24 * 3600 * 1000;
const DAY_LEVEL = 5;
const BLOCK_DAYS = 2 ** DAY_LEVEL;
const BLOCK_MS = BLOCK_DAYS * DAY_MS;
const LEVELS = 24;
/** Time between two points of the path: 164.8 ms, exact in binary. */
export const LEAF_MS = BLOCK_MS / 2 ** LEVELS;
/** Logarithmic deviation by which the two halves of a time differ in activity: between days, and within one. */
const DAY_NOISE = 0.3;
const INTRADAY_NOISE = 0.5;
/** A block's ends lie so far from the reference, that the path over a block varies as much as its days say. */
const ANCHOR_DEVIATION = Math.sqrt(BLOCK_DAYS / 2);
/** Kept within reach, for ever: a book needs room below its mid. */
const ANCHOR_MAX = 2 * ANCHOR_DEVIATION;
const BLOCK_LEVEL = -1;

/**
 * A random path in time with its own clock of activity, both open to random access: the value at an instant is a
 * function of the seed and the instant alone.
 *
 *     block of 32 days   ├───────────────────────────────┤   ends: normal around 0
 *     halves             ├───────────────┼───────────────┤   middle: bridge between the ends
 *     …                  ├───────┼───────┼── …               24 levels down to
 *     leaf of 165 ms     ├┼┼┼┼ …                             straight lines
 *
 * Each halving also splits the activity of the time, unevenly: by the curve of the day and by chance. The bridge's
 * variance is what activity says, so that the path moves in bursts (a Brownian motion in business time), and quiet and
 * busy hours, minutes and seconds follow each other as the volume does that is drawn from the same activity.
 *
 * The nodes from the block to the latest leaf are kept: the next leaf in time costs two nodes on average.
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

  /** The value at an instant (ms since the epoch, 0 or later); a day of mean activity has variance 1. */
  valueAt(ms: number): number {
    const part = this.#seek(ms);
    const { start, end } = this.#value;
    return start[LEVELS]! + (end[LEVELS]! - start[LEVELS]!) * part;
  }

  /** Activity from the epoch to an instant, in mean days. */
  activityUntil(ms: number): number {
    const part = this.#seek(ms);
    const { start, end } = this.#activity;
    return this.#block * BLOCK_DAYS + start[LEVELS]! + (end[LEVELS]! - start[LEVELS]!) * part;
  }

  /** Goes to the leaf of the instant; returns how far into it the instant is, in [0, 1). */
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

  /** Splits the node of a level and keeps one half as the node of the next. */
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

/** The part of a node's activity in its first half, in (0, 1). */
function firstShare(level: number, index: number, normal: number): number {
  if (level < DAY_LEVEL) return 1 / (1 + Math.exp(-DAY_NOISE * normal));
  const dayLevel = level - DAY_LEVEL;
  const expected = firstHalfShare(dayLevel, index & (2 ** dayLevel - 1));
  return expected / (expected + (1 - expected) * Math.exp(-INTRADAY_NOISE * normal));
}
