import type { VolumeProfile } from '../model/intent.js';

const DAY_MS = 24 * 3600 * 1000;

/** The expected course of volume: the same every day, by shares of equal parts of it from 00:00 UTC that add up to 1. */
export class VolumeDay {
  static readonly #known = new WeakMap<VolumeProfile['shares'], VolumeDay>();

  /** One for each shape, however often it is asked for. */
  static of({ shares }: VolumeProfile): VolumeDay {
    let day = VolumeDay.#known.get(shares);
    if (day === undefined) VolumeDay.#known.set(shares, (day = new VolumeDay(shares)));
    return day;
  }

  readonly #shares: readonly number[];
  /** Share of the day before each part. */
  readonly #before: readonly number[];
  readonly #partMs: number;

  constructor(shares: readonly number[]) {
    this.#shares = shares;
    this.#partMs = DAY_MS / shares.length;
    let sum = 0;
    this.#before = shares.map((share) => (sum += share) - share);
  }

  /** Days of volume between two instants: 1 for any whole day. */
  between(fromMs: number, toMs: number): number {
    return toMs <= fromMs ? 0 : this.#until(toMs) - this.#until(fromMs);
  }

  /** The same, each part weighted by exp(−(its time − from) ÷ decayMs). */
  betweenFading(fromMs: number, toMs: number, decayMs: number): number {
    let sum = 0;
    let atMs = fromMs;
    while (atMs < toMs) {
      const part = Math.floor(atMs / this.#partMs);
      const untilMs = Math.min(toMs, (part + 1) * this.#partMs);
      const share = this.#shares[part % this.#shares.length] as number;
      sum += (share * (untilMs - atMs) * Math.exp(-(atMs - fromMs) / decayMs)) / this.#partMs;
      atMs = untilMs;
    }
    return sum;
  }

  #until(atMs: number): number {
    const days = Math.floor(atMs / DAY_MS);
    const parts = (atMs - days * DAY_MS) / this.#partMs;
    const part = Math.floor(parts);
    return days + (this.#before[part] as number) + (this.#shares[part] as number) * (parts - part);
  }
}
