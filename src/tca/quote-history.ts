import { QUOTE_HOLD_MS } from '../domain/limits/trading.js';
import type { MarketObservation } from '../domain/market.js';
import { type Lots, type Notional, ZERO_NOTIONAL } from '../domain/quantity.js';
import { assert } from '../domain/rejection.js';
import type { EpochMs } from '../domain/time.js';
import { type ExecutedFill, NOTHING_TRADED, type Turnover, turnoverOf } from './traded-volume.js';

/** Volume of others between two observations. */
export interface ObservedSpan extends Turnover {
  readonly fromMs: EpochMs;
  readonly toMs: EpochMs;
}

/** Mid and half the spread, in ticks. */
interface Quote {
  readonly mid: number;
  readonly halfSpread: number;
}

/** Cumulative volume of others up to an instant. */
interface VolumePoint {
  readonly atMs: EpochMs;
  readonly volume: number;
}

/**
 * The observed market of an instrument, about one observation a second and one at each action of an order. Executions
 * are measured against it. An observation is valid until the next one, and for at most QUOTE_HOLD_MS.
 */
export class ObservedMarket {
  readonly mids = new MidPath(QUOTE_HOLD_MS);
  readonly #seen: MarketObservation[] = [];

  /** Appends an observation, in order of time. */
  append(seen: MarketObservation): void {
    this.mids.append((seen.bid + seen.ask) / 2, seen.atMs);
    if (this.#seen.at(-1)?.atMs === seen.atMs) this.#seen.pop();
    this.#seen.push(seen);
  }

  /** Returns the quote at an instant; null when it is unknown. */
  quoteAt(atMs: EpochMs): Quote | null {
    const seen = this.#seen[this.#indexAt(atMs)];
    if (seen === undefined || atMs - seen.atMs > QUOTE_HOLD_MS) return null;
    return { mid: (seen.bid + seen.ask) / 2, halfSpread: (seen.ask - seen.bid) / 2 };
  }

  /**
   * Returns the volume of others around a period, without own fills. It counts from the latest observation at or before
   * the start (or the first one after it) to the first at or after the end (or the latest before it). null without
   * observations. A counter that decreases, because its venue lost its latest data, counts as no volume.
   */
  tradedByOthers(fromMs: EpochMs, toMs: EpochMs, own: readonly ExecutedFill[]): ObservedSpan | null {
    const [first, last] = this.#spanOf(fromMs, toMs);
    if (last <= first) return null;
    let [volume, notional] = [0, ZERO_NOTIONAL];
    for (let index = first; index < last; index += 1) {
      volume += this.#step(index).volume;
      notional = (notional + this.#step(index).notional) as Notional;
    }
    const [begin, end] = [this.#seen[first]!.atMs, this.#seen[last]!.atMs];
    const mine = turnoverOf(own.filter(({ atMs }) => atMs > begin && atMs <= end));
    const others = { volume: (volume - mine.volume) as Lots, notional: (notional - mine.notional) as Notional };
    // Not negative: a venue may stamp a fill slightly off the observation that counts it.
    return { ...(others.volume > 0 ? others : NOTHING_TRADED), fromMs: begin, toMs: end };
  }

  /** Returns the cumulative volume of others from the start, observation by observation; never decreasing. */
  courseOfOthers(fromMs: EpochMs, toMs: EpochMs, own: readonly ExecutedFill[]): VolumePoint[] {
    const [first, last] = this.#spanOf(fromMs, toMs);
    if (last <= first) return [];
    const points: VolumePoint[] = [];
    let [traded, mine, ownIndex, highest] = [0, 0, 0, 0];
    const begin = this.#seen[first]!.atMs;
    for (let index = first; index <= last; index += 1) {
      const { atMs } = this.#seen[index]!;
      if (index > first) traded += this.#step(index - 1).volume;
      for (let fill = own[ownIndex]; fill !== undefined && fill.atMs <= atMs; fill = own[(ownIndex += 1)]) {
        if (fill.atMs > begin) mine += fill.quantity;
      }
      highest = Math.max(highest, traded - mine);
      points.push({ atMs, volume: highest });
    }
    return points;
  }

  /** Volume between an observation and the next one. */
  #step(index: number): Turnover {
    const [one, next] = [this.#seen[index]!, this.#seen[index + 1]!];
    if (next.volume < one.volume || next.turnover < one.turnover) return NOTHING_TRADED;
    return { volume: (next.volume - one.volume) as Lots, notional: (next.turnover - one.turnover) as Notional };
  }

  #spanOf(fromMs: EpochMs, toMs: EpochMs): readonly [number, number] {
    const before = this.#indexAt(fromMs);
    const isKnown = before >= 0 && fromMs - this.#seen[before]!.atMs <= QUOTE_HOLD_MS;
    const atEnd = this.#indexAt(toMs);
    const isAtEnd = this.#seen[atEnd]?.atMs === toMs;
    const next = this.#seen[atEnd + 1];
    const isClosed = next !== undefined && next.atMs - toMs <= QUOTE_HOLD_MS;
    return [isKnown ? before : before + 1, isAtEnd || !isClosed ? atEnd : atEnd + 1];
  }

  /** Index of the latest observation at or before an instant; -1 before the first. */
  #indexAt(atMs: number): number {
    let low = 0;
    let high = this.#seen.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#seen[middle]!.atMs <= atMs) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** The mid of a market over time, in ticks and half ticks. A mid is valid until the next one. */
export class MidPath {
  readonly #holdMs: number;
  readonly #times: number[] = [];
  readonly #mids: number[] = [];

  /** `holdMs`: longest validity of a mid without a new one; unlimited by default. */
  constructor(holdMs = Infinity) {
    this.#holdMs = holdMs;
  }

  /** Sets the mid from an instant on. Instants do not decrease. */
  append(mid: number, atMs: EpochMs): void {
    const last = this.#times.length - 1;
    assert(last < 0 || atMs >= this.#times[last]!, 'a mid path is appended in order of time');
    // Keeps only the latest of several changes at one instant.
    const index = last >= 0 && this.#times[last] === atMs ? last : last + 1;
    this.#times[index] = atMs;
    this.#mids[index] = mid;
  }

  /** Returns the mid at an instant; null before the first mid, or when it is older than `holdMs`. */
  at(atMs: number): number | null {
    const index = this.#indexAt(atMs);
    return index >= 0 && atMs - this.#times[index]! <= this.#holdMs ? this.#mids[index]! : null;
  }

  /** Times of the first and the latest change; NaN without any. */
  get firstAtMs(): number {
    return this.#times[0] ?? Number.NaN;
  }

  get lastAtMs(): number {
    return this.#times.at(-1) ?? Number.NaN;
  }

  /**
   * Returns the time-weighted mean over the known part of a period, or the mid for a period of length 0; null without
   * any.
   */
  mean(fromMs: number, toMs: number): number | null {
    const first = Math.max(0, this.#indexAt(fromMs));
    // Sums distances from one mid to keep precision over a long path.
    const base = this.#mids[first] ?? 0;
    let sum = 0;
    let knownMs = 0;
    for (let index = first; index < this.#times.length && this.#times[index]! < toMs; index += 1) {
      const untilMs = Math.min(toMs, this.#times[index + 1] ?? toMs, this.#times[index]! + this.#holdMs);
      const heldMs = Math.max(0, untilMs - Math.max(fromMs, this.#times[index]!));
      sum += (this.#mids[index]! - base) * heldMs;
      knownMs += heldMs;
    }
    return knownMs > 0 ? base + sum / knownMs : this.at(toMs);
  }

  /** Index of the change that is valid at an instant; -1 before the first. */
  #indexAt(atMs: number): number {
    let low = 0;
    let high = this.#times.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#times[middle]! <= atMs) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
