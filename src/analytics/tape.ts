import { TAPE_HOLD_MS } from '../model/limits.js';
import type { MarketObservation } from '../model/market.js';
import type { Lots, Notional } from '../model/quantity.js';
import { ZERO_NOTIONAL } from '../model/quantity.js';
import type { EpochMs } from '../model/time.js';
import type { ExecutedFill } from './execution.js';
import { MidPath } from './mid-path.js';
import { NOTHING_TRADED, turnoverOf, type Turnover } from './traded-volume.js';

/** What others traded from one observation to a later one. */
export interface TapeSpan extends Turnover {
  readonly fromMs: EpochMs;
  readonly toMs: EpochMs;
}

/** The market halfway between the best prices, and how far these are from there, in ticks. */
export interface Quote {
  readonly mid: number;
  readonly halfSpread: number;
}

/** Traded up to an instant, by others. */
export interface VolumePoint {
  readonly atMs: EpochMs;
  readonly volume: number;
}

/**
 * What was observed of a market, about once a second and whenever an order did something: what an execution is measured
 * against. An observation holds until the next one, and at most TAPE_HOLD_MS: what is not observed is not known.
 */
export class Tape {
  readonly mids = new MidPath(TAPE_HOLD_MS);
  readonly #seen: MarketObservation[] = [];

  /** In order of time. */
  append(seen: MarketObservation): void {
    this.mids.append((seen.bid + seen.ask) / 2, seen.atMs);
    if (this.#seen.at(-1)?.atMs === seen.atMs) this.#seen.pop();
    this.#seen.push(seen);
  }

  /** The market at the instant; null when it is not known. */
  quoteAt(atMs: EpochMs): Quote | null {
    const seen = this.#seen[this.#indexAt(atMs)];
    if (seen === undefined || atMs - seen.atMs > TAPE_HOLD_MS) return null;
    return { mid: (seen.bid + seen.ask) / 2, halfSpread: (seen.ask - seen.bid) / 2 };
  }

  /** The same; when it is not known yet, the first that is seen of it, no later than an observation holds. */
  quoteFrom(atMs: EpochMs): Quote | null {
    const next = this.#seen[this.#indexAt(atMs) + 1];
    const isSoon = next !== undefined && next.atMs - atMs <= TAPE_HOLD_MS;
    return this.quoteAt(atMs) ?? (isSoon ? this.quoteAt(next.atMs) : null);
  }

  /**
   * What others traded around the stretch of time, own fills left out: from the latest observation at or before its
   * beginning (or the first one after it) to the first at or after its end (or the latest before it). null: nothing is
   * known of it. A counter that goes back, because its venue has lost its latest moments, has counted nothing.
   */
  tradedByOthers(fromMs: EpochMs, toMs: EpochMs, own: readonly ExecutedFill[]): TapeSpan | null {
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
    // A fill that its venue stamped a moment off the row that counts it can be all that was traded.
    return { ...(others.volume > 0 ? others : NOTHING_TRADED), fromMs: begin, toMs: end };
  }

  /** How the volume of others grew from the beginning on, observation by observation; never falling. */
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

  /** Traded between an observation and the next one. */
  #step(index: number): Turnover {
    const [one, next] = [this.#seen[index]!, this.#seen[index + 1]!];
    if (next.volume < one.volume || next.turnover < one.turnover) return NOTHING_TRADED;
    return { volume: (next.volume - one.volume) as Lots, notional: (next.turnover - one.turnover) as Notional };
  }

  #spanOf(fromMs: EpochMs, toMs: EpochMs): readonly [number, number] {
    const before = this.#indexAt(fromMs);
    const isKnown = before >= 0 && fromMs - this.#seen[before]!.atMs <= TAPE_HOLD_MS;
    const atEnd = this.#indexAt(toMs);
    const isAtEnd = this.#seen[atEnd]?.atMs === toMs;
    const next = this.#seen[atEnd + 1];
    const isClosed = next !== undefined && next.atMs - toMs <= TAPE_HOLD_MS;
    return [isKnown ? before : before + 1, isAtEnd || !isClosed ? atEnd : atEnd + 1];
  }

  /** Index of the latest observation at or before the instant; -1 before the first. */
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
