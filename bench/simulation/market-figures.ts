import type { Side } from '../../src/domain/order.js';
import { median } from '../report.js';

/** Figures that the calibration compares. Quantities in base units. */
export interface MarketFigures {
  /** Mean over time, in bps of the mid. */
  readonly spreadBps: number;
  /** Quantity within 5 bps of the mid, mean of both sides; median over time. */
  readonly depth5Bps: number;
  /** Trades per minute and their size. Fills of one taker at one price count as one trade. */
  readonly tradesPerMinute: number;
  readonly tradeSizeMean: number;
  readonly tradeSizeMedian: number;
  /** Standard deviation of the mid's return over a minute in bps, from returns over ten seconds. */
  readonly volatilityBps: number;
  /**
   * Frequency at which the next move of the mid went to the thinner side of the touch, by the heavier side's share.
   * Counts both directions equally, so that a short trend does not bias it.
   */
  readonly movesToThinSide: readonly { readonly fromShare: number; readonly part: number }[];
}

/** Lower bounds of the ranges of the heavier side's share at the touch. The next bound ends a range. */
const HEAVY_SHARES = [0.5, 0.75, 0.9] as const;
const SHARE_SAMPLE_MS = 100;
const DEPTH_SAMPLE_MS = 1_000;
const RETURN_SAMPLE_MS = 10_000;
const MINUTE_MS = 60_000;
const BPS = 10_000;

/** Best prices and quantities of a market. Prices in any unit, quantities in base units. */
export interface Touch {
  readonly bid: number;
  readonly ask: number;
  readonly bidQuantity: number;
  readonly askQuantity: number;
}

/** Observes a recorded or simulated market and computes its figures. */
export class MarketWatch {
  readonly #depthOf: (distance: number) => number;
  #nowMs = 0;
  #touch: Touch | null = null;
  #watchedMs = 0;
  #spreadMs = 0;
  #nextMs = { share: 0, depth: 0, sample: 0 };
  readonly #depths: number[] = [];
  readonly #mids: number[] = [];
  /**
   * Samples since the last move of the mid, by range, for a heavier bid and for a heavier ask. Their outcome is open.
   */
  readonly #heavyBids = new Uint32Array(HEAVY_SHARES.length);
  readonly #heavyAsks = new Uint32Array(HEAVY_SHARES.length);
  readonly #hits = new Uint32Array(HEAVY_SHARES.length);
  readonly #outcomes = new Uint32Array(HEAVY_SHARES.length);
  readonly #sizes: number[] = [];
  #last: { side: Side; price: number; atMs: number } | null = null;

  /** `depthOf`: present quantity within a distance (a fraction of the mid), mean of both sides. */
  constructor(depthOf: (distance: number) => number) {
    this.#depthOf = depthOf;
  }

  /** Sets the touch from `atMs` on. Times do not decrease. */
  seeTouch(touch: Touch, atMs: number): void {
    if (this.#touch === null) this.#begin(atMs);
    else this.#pass(atMs, this.#touch);
    if (touch.bid <= 0 || touch.ask <= touch.bid) return;
    if (this.#touch !== null) this.#settle(touch.bid + touch.ask - this.#touch.bid - this.#touch.ask);
    this.#touch = touch;
  }

  seeTrade(side: Side, price: number, quantity: number, atMs: number): void {
    const last = this.#last;
    if (last?.side === side && last.price === price && last.atMs === atMs) {
      this.#sizes[this.#sizes.length - 1]! += quantity;
      return;
    }
    this.#last = { side, price, atMs };
    this.#sizes.push(quantity);
  }

  /** Marks a gap in time. Earlier observations count, the gap does not. */
  interrupt(): void {
    this.#touch = null;
    this.#heavyBids.fill(0);
    this.#heavyAsks.fill(0);
    this.#mids.push(Number.NaN);
  }

  figures(): MarketFigures {
    const sum = this.#sizes.reduce((total, size) => total + size, 0);
    return {
      spreadBps: this.#spreadMs / this.#watchedMs,
      depth5Bps: median(this.#depths),
      tradesPerMinute: (this.#sizes.length * MINUTE_MS) / this.#watchedMs,
      tradeSizeMean: sum / this.#sizes.length,
      tradeSizeMedian: median(this.#sizes),
      volatilityBps: this.#volatility(),
      movesToThinSide: HEAVY_SHARES.map((fromShare, range) => ({
        fromShare,
        part: this.#hits[range]! / this.#outcomes[range]!,
      })),
    };
  }

  #begin(atMs: number): void {
    this.#nowMs = atMs;
    this.#nextMs = { share: atMs, depth: atMs, sample: atMs };
  }

  /** Counts the unchanged touch up to `atMs`. */
  #pass(atMs: number, touch: Touch): void {
    const { bid, ask, bidQuantity, askQuantity } = touch;
    const mid = (bid + ask) / 2;
    this.#spreadMs += ((ask - bid) / mid) * BPS * (atMs - this.#nowMs);
    this.#watchedMs += atMs - this.#nowMs;
    this.#nowMs = atMs;
    const next = this.#nextMs;
    for (; next.share < atMs; next.share += SHARE_SAMPLE_MS) this.#sample(bidQuantity, askQuantity);
    for (; next.sample < atMs; next.sample += RETURN_SAMPLE_MS) this.#mids.push(mid);
    if (next.depth >= atMs) return;
    this.#depths.push(this.#depthOf(5 / BPS));
    next.depth = Math.max(next.depth, atMs - DEPTH_SAMPLE_MS) + DEPTH_SAMPLE_MS;
  }

  #sample(bidQuantity: number, askQuantity: number): void {
    const share = Math.max(bidQuantity, askQuantity) / (bidQuantity + askQuantity);
    const range = HEAVY_SHARES.findLastIndex((from) => share >= from);
    (bidQuantity > askQuantity ? this.#heavyBids : this.#heavyAsks)[range]! += 1;
  }

  /** Assigns a move of the mid to the samples since the previous move. */
  #settle(move: number): void {
    if (move === 0) return;
    for (let range = 0; range < HEAVY_SHARES.length; range += 1) {
      const [bids, asks] = [this.#heavyBids[range]!, this.#heavyAsks[range]!];
      this.#outcomes[range]! += bids + asks;
      this.#hits[range]! += move > 0 ? bids : asks;
    }
    this.#heavyBids.fill(0);
    this.#heavyAsks.fill(0);
  }

  #volatility(): number {
    let [sum, count] = [0, 0];
    for (let index = 1; index < this.#mids.length; index += 1) {
      const change = Math.log(this.#mids[index]! / this.#mids[index - 1]!);
      if (Number.isNaN(change)) continue;
      sum += change * change;
      count += 1;
    }
    return Math.sqrt((sum / count) * (MINUTE_MS / RETURN_SAMPLE_MS)) * BPS;
  }
}
