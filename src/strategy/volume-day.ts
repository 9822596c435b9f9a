import type { VolumeProfile } from '../model/intent.js';

const DAY_MS = 24 * 3600 * 1000;
/** How fast a level of volume above or below the average is expected to fade. */
const FADE_MS = 8 * 3600 * 1000;
/** What a day leaves of it. */
const FADED_BY_DAY = Math.exp(-DAY_MS / FADE_MS);

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
  /** The same, each part weighted by how far a level of midnight has faded at its begin; the whole day at the end. */
  readonly #fadedBefore: readonly number[];
  readonly #partMs: number;

  constructor(shares: readonly number[]) {
    this.#shares = shares;
    this.#partMs = DAY_MS / shares.length;
    let sum = 0;
    this.#before = shares.map((share) => (sum += share) - share);
    const faded = [0];
    shares.forEach((share, part) => faded.push(faded[part]! + share * Math.exp((-part * this.#partMs) / FADE_MS)));
    this.#fadedBefore = faded;
  }

  /** Days of volume between two instants: 1 for any whole day. */
  between(fromMs: number, toMs: number): number {
    return toMs <= fromMs ? 0 : this.#until(toMs) - this.#until(fromMs);
  }

  /** The same, each part weighted by what is left at its begin of a level that fades from `fromMs` on. */
  betweenFading(fromMs: number, toMs: number): number {
    if (toMs <= fromMs) return 0;
    const partMs = this.#partMs;
    const first = Math.floor(fromMs / partMs);
    const last = Math.floor(toMs / partMs);
    if (first === last) return (this.#share(first) * (toMs - fromMs)) / partMs;
    const head = this.#share(first) * (first + 1 - fromMs / partMs);
    const tail = this.#share(last) * (toMs / partMs - last) * Math.exp((fromMs - last * partMs) / FADE_MS);
    const day = Math.floor(first / this.#shares.length);
    const between = this.#fadedUntil(last, day) - this.#fadedUntil(first + 1, day);
    return head + between * Math.exp((fromMs - day * DAY_MS) / FADE_MS) + tail;
  }

  /** From midnight of the day on: all parts before `part`, by a level that fades from then. */
  #fadedUntil(part: number, day: number): number {
    const count = this.#shares.length;
    const days = Math.floor(part / count) - day;
    const ofWhole = this.#fadedBefore[count] as number;
    const leftOver = FADED_BY_DAY ** days;
    const whole = (ofWhole * (1 - leftOver)) / (1 - FADED_BY_DAY);
    return whole + leftOver * (this.#fadedBefore[part - (day + days) * count] as number);
  }

  #share(part: number): number {
    return this.#shares[part % this.#shares.length] as number;
  }

  #until(atMs: number): number {
    const days = Math.floor(atMs / DAY_MS);
    const parts = (atMs - days * DAY_MS) / this.#partMs;
    const part = Math.floor(parts);
    return days + (this.#before[part] as number) + (this.#shares[part] as number) * (parts - part);
  }
}
